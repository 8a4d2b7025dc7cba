/** The charts of calls and outcomes per second: what has been, from the ledger, then what comes, from events. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { importPath, request } from '../../api.js';
import { LineChart } from '../../chart.js';
import { Card, Empty, h } from '../../element.js';
import { pointOf, pointsOf, Timeline } from '../../timeline.js';

/** @import { CallCounts, Progress } from '../../answers.d.ts' */
/** @import { Point } from '../../timeline.js' */
/** @import { LiveImport } from './live-import.js' */

const BUCKETS = 200;
const PACE_MS = 5000;
/** So long without a call is a pause. */
const QUIET_S = 5;

const CALLS = [
  { label: 'calls', colour: '--accent' },
  { label: 'rate-limited', colour: '--invalid' },
];
const OUTCOMES = [
  { label: 'succeeded', colour: '--added' },
  { label: 'went wrong', colour: '--failed' },
];

/** @param {{ id: string, live: LiveImport }} properties */
export function ImportPace({ id, live }) {
  const points = usePoints(id, live);
  if ((live.view.value?.startedAt ?? null) === null) return null;
  return h(
    Card,
    { id: 'pace', title: 'Throughput' },
    h(Charts, { points, over: live.over.value, hasCalls: (live.view.value?.calls ?? 0) > 0 }),
  );
}

/** @param {{ points: readonly Point[] | undefined, over: boolean, hasCalls: boolean }} properties */
function Charts({ points, over, hasCalls }) {
  if (points === undefined) return h('div', { class: 'charts' }, h(Empty, {}, 'Loading …'));
  if (points.length < 2) {
    const why = over
      ? `No chart: ${hasCalls ? 'the calls took less than two seconds' : 'no calls were made'}.`
      : hasCalls
        ? 'The first calls have been made; the chart follows in some seconds.'
        : 'No calls yet.';
    return h('div', { class: 'charts' }, h(Empty, {}, why));
  }
  const times = points.map(({ at }) => at);
  const withOutcomes = points.filter((point) => (point.good ?? 0) + (point.wrong ?? 0) > 0).length >= 2;
  return h(
    'div',
    { class: 'charts' },
    h(LineChart, {
      name: 'Calls a second',
      lines: CALLS,
      times,
      shows: over ? 'at most' : 'now',
      columns: [points.map(({ calls }) => calls), points.map(({ limited }) => limited)],
    }),
    withOutcomes &&
      h(LineChart, {
        name: 'Outcomes a second',
        lines: OUTCOMES,
        times,
        shows: over ? 'at most' : 'now',
        columns: [points.map(({ good }) => good), points.map(({ wrong }) => wrong)],
      }),
  );
}

/**
 * What is known of the import's rates over time.
 * @param {string} id
 * @param {LiveImport} live
 * @returns {readonly Point[] | undefined} undefined until the ledger has been asked
 */
function usePoints(id, live) {
  const [points, setPoints] = useState(/** @type {readonly Point[] | undefined} */ (undefined));
  const timeline = useRef(new Timeline());
  /** Events of the last seconds: rates over so long are calm, and follow a change soon. */
  const recent = useRef(/** @type {Progress[]} */ ([]));
  const turns = live.turns.value;
  const hasRows = live.hasRows.value;
  // Takes from the ledger what events have not said: what was before them, and what was missed since the last.
  useEffect(() => {
    if (!hasRows) return;
    const leaving = new AbortController();
    const load = async () => {
      /** @type {{ buckets: CallCounts[] }} */
      const { buckets } = await request(importPath(id, `/calls?buckets=${BUCKETS}`), { signal: leaving.signal });
      // When it is over the ledger knows all of it, and shows the same to everyone.
      const seen = live.over.peek() ? new Timeline() : timeline.current;
      timeline.current = withKnown(seen, pointsOf(buckets));
      setPoints([...timeline.current.points]);
    };
    // What cannot be had is missing from the chart; the page says why elsewhere.
    load().catch(() => setPoints((known) => known ?? []));
    return () => leaving.abort();
  }, [turns, hasRows]);
  const progress = live.progress.value;
  useEffect(() => {
    if (progress === undefined || live.over.peek()) return;
    const since = Date.parse(progress.at) - PACE_MS;
    const old = Math.max(
      0,
      recent.current.findLastIndex(({ at }) => Date.parse(at) <= since),
    );
    const point = pointOf(progress, recent.current[old]);
    recent.current = [...recent.current.slice(old), progress];
    if (timeline.current.points.length === 0 && point.calls === 0) return;
    for (const each of [...quietBetween(timeline.current.points.at(-1), point), point]) timeline.current.add(each);
    setPoints([...timeline.current.points]);
  }, [progress]);
  return points;
}

/** @param {Timeline} seen @param {readonly Point[]} known */
function withKnown(seen, known) {
  const told = seen.points.filter((point) => point.good !== null);
  const from = told[0]?.at ?? Number.POSITIVE_INFINITY;
  const to = told.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  const whole = new Timeline();
  const before = known.filter(({ at }) => at < from);
  for (const point of [...before, ...quietBetween(before.at(-1), told[0])]) whole.add(point);
  for (const point of told) whole.add(point);
  for (const point of known.filter(({ at }) => at > to)) whole.add(point);
  return whole;
}

/**
 * Nothing was called between what the ledger knows last and an event: else calls that end would look like calls that become
 * rarer. Between two events, some may have been missed.
 * @param {Point | undefined} known
 * @param {Point | undefined} told
 * @returns {Point[]}
 */
function quietBetween(known, told) {
  if (known === undefined || told === undefined || known.good !== null || told.at - known.at < QUIET_S) return [];
  return [known.at + 1, told.at - 1].map((at) => ({ at, calls: 0, limited: 0, good: null, wrong: null }));
}
