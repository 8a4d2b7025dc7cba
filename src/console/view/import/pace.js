/** The charts of calls and outcomes per second: what has been, from the ledger, then what comes, from events. */
import { importPath, request } from '../../api.js';
import { lineChart } from '../../chart.js';
import { h } from '../../element.js';
import { pointOf, pointsOf, Timeline } from '../../timeline.js';

/** @import { CallTally, Progress } from '../../answers.d.ts' */

const BUCKETS = 200;
const PACE_MS = 5000;

/**
 * @param {string} id
 * @param {AbortSignal} signal
 */
export function importPace(id, signal) {
  const calls = lineChart(
    'Calls a second',
    [
      { label: 'calls', colour: '--accent' },
      { label: 'rate-limited', colour: '--invalid' },
    ],
    signal,
  );
  const outcomes = lineChart(
    'Outcomes a second',
    [
      { label: 'succeeded', colour: '--added' },
      { label: 'went wrong', colour: '--failed' },
    ],
    signal,
  );
  const empty = h('p', { class: 'empty' }, 'No calls yet.');
  const element = h('div', { class: 'charts' }, empty, calls.element, outcomes.element);
  let timeline = new Timeline();
  /** Events of the last seconds: rates over so long are calm, and follow a change soon. @type {Progress[]} */
  let recent = [];

  const draw = () => {
    const { points } = timeline;
    const times = points.map(({ at }) => at);
    const drawable = points.length > 1;
    empty.hidden = drawable;
    calls.element.hidden = !drawable;
    outcomes.element.hidden = points.filter((point) => (point.good ?? 0) + (point.wrong ?? 0) > 0).length < 2;
    if (!drawable) return;
    calls.show(times, [points.map((point) => point.calls), points.map(({ limited }) => limited)]);
    if (outcomes.element.hidden) return;
    outcomes.show(times, [points.map(({ good }) => good), points.map(({ wrong }) => wrong)]);
  };
  draw();
  return {
    element,
    /** Takes from the ledger what events have not told: what was before them, and what was missed since the last. */
    load: async () => {
      /** @type {{ buckets: CallTally[] }} */
      const { buckets } = await request(importPath(id, `/calls?buckets=${BUCKETS}`), { signal });
      const seen = timeline.points.filter((point) => point.good !== null);
      const from = seen[0]?.at ?? Number.POSITIVE_INFINITY;
      const to = seen.at(-1)?.at ?? Number.POSITIVE_INFINITY;
      const known = pointsOf(buckets);
      timeline = new Timeline();
      for (const point of known.filter(({ at }) => at < from)) timeline.add(point);
      for (const point of seen) timeline.add(point);
      for (const point of known.filter(({ at }) => at > to)) timeline.add(point);
      draw();
    },
    /** @param {Progress} progress */
    add: (progress) => {
      const since = Date.parse(progress.at) - PACE_MS;
      const old = recent.findLastIndex(({ at }) => Date.parse(at) <= since);
      const point = pointOf(progress, recent[Math.max(0, old)]);
      recent = [...recent.slice(Math.max(0, old)), progress];
      if (timeline.points.length === 0 && point.calls === 0) return;
      timeline.add(point);
      draw();
    },
  };
}
