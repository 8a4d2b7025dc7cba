/** The charts of calls and outcomes per second: what has been, from the ledger, then what comes, from events. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { importPath, request } from '../../api.js';
import { LineChart } from '../../chart.js';
import { connection } from '../../connection.js';
import { Empty, h } from '../../element.js';
import { timeOfDay } from '../../format.js';

/** @import { CallsAnswer } from '../../answers.d.ts' */
/** @import { Line, Shown } from '../../chart.js' */
/** @import { LiveImport, Rate } from './live-import.js' */

/** @typedef {Pick<Rate, 'at' | 'calls' | 'rateLimited'>} Point */

const BUCKETS = 200;

const CALLS = /** @type {const} */ ([
  { of: 'calls', label: 'calls', colour: '--accent' },
  { of: 'rateLimited', label: 'rate-limited', colour: '--invalid' },
]);
const OUTCOMES = /** @type {const} */ ([
  { of: 'succeeded', label: 'succeeded', colour: '--added' },
  { of: 'wentWrong', label: 'went wrong', colour: '--failed' },
]);

/** @param {{ id: string, live: LiveImport }} properties */
export function ImportPace({ id, live }) {
  const known = useKnownCalls(id, live);
  const told = useCalm(live.rates.value);
  const view = live.view.value;
  if ((view?.startedAt ?? null) === null || known === undefined) return null;
  const hasCalls = (view?.calls ?? 0) > 0;
  return h('div', { class: 'charts' }, h(Charts, { known, told, over: live.over.value, hasCalls }));
}

/** So many rates are told before charts skip some. */
const FEW = 10;

/**
 * After the first rates, each second one, for a chart is drawn anew as a whole, and its rates are those of some seconds. The
 * end of the sending is drawn at once, for nothing may follow it.
 * @param {readonly Rate[]} told
 */
function useCalm(told) {
  const isDrawn = told.length < FEW || told.at(-1)?.calls === null;
  return useMemo(() => told, [isDrawn ? told : Math.floor(told.length / 2)]);
}

/** @param {{ known: readonly Point[], told: readonly Rate[], over: boolean, hasCalls: boolean }} properties */
function Charts({ known, told, over, hasCalls }) {
  // When it is over the ledger knows all of it, and shows the same to everyone.
  const calls = useMemo(() => (over ? known : callsOf(known, told)), [known, told, over]);
  if (calls.filter((point) => point.calls !== null).length < 2) {
    if (over) return null;
    return h(
      Empty,
      {},
      hasCalls ? 'The first calls have been made; the chart follows in some seconds.' : 'No calls yet.',
    );
  }
  const asOf = connection.asOf.value;
  const shows = over ? 'at most' : asOf === null ? 'now' : /** @type {const} */ (`as of ${timeOfDay(asOf)}`);
  const hasOutcomes = told.filter(({ succeeded, wentWrong }) => (succeeded ?? 0) + (wentWrong ?? 0) > 0).length >= 2;
  return [
    h(RatesChart, { key: 'calls', name: 'Calls a second', lines: CALLS, points: calls, shows }),
    !over &&
      hasOutcomes &&
      h(RatesChart, { key: 'rows', name: 'Outcomes a second', lines: OUTCOMES, points: told, shows }),
  ];
}

/**
 * @param {object} properties
 * @param {string} properties.name
 * @param {readonly (Line & { of: string })[]} properties.lines
 * @param {readonly ({ at: number } & Readonly<Record<string, number | null>>)[]} properties.points
 * @param {Shown} properties.shows
 */
function RatesChart({ name, lines, points, shows }) {
  const times = useMemo(() => points.map(({ at }) => at), [points]);
  const columns = useMemo(() => lines.map(({ of }) => points.map((point) => point[of] ?? null)), [lines, points]);
  return h(LineChart, { name, lines, times, columns, shows });
}

/**
 * What the ledger knows of the calls.
 * @param {string} id
 * @param {LiveImport} live
 * @returns {readonly Point[] | undefined} undefined until it has been asked
 */
function useKnownCalls(id, live) {
  const [known, setKnown] = useState(/** @type {readonly Point[] | undefined} */ (undefined));
  const turns = live.turns.value;
  const hasRows = live.hasRows.value;
  useEffect(() => {
    if (!hasRows) return;
    const leaving = new AbortController();
    const load = async () => {
      /** @type {CallsAnswer} */
      const { rates } = await request(importPath(id, `/calls?buckets=${BUCKETS}`), { signal: leaving.signal });
      setKnown(rates.map(({ at, ...rate }) => ({ at: Date.parse(at) / 1000, ...rate })));
    };
    // What cannot be had is missing from the chart; the page says why elsewhere.
    load().catch(() => setKnown((before) => before ?? []));
    return () => leaving.abort();
  }, [turns, hasRows]);
  return known;
}

/** The calls that the ledger knows, then those that events told since; what is between is not known. @param {readonly Point[]} known @param {readonly Rate[]} told */
function callsOf(known, told) {
  const end = known.at(-1)?.at ?? 0;
  const since = told.filter(({ at }) => at > end);
  const first = since[0];
  if (first === undefined || known.length === 0) return [...known, ...since];
  return [...known, { at: (end + first.at) / 2, calls: null, rateLimited: null }, ...since];
}
