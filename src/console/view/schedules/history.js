/** What came of each run of a schedule, drawn and listed, and the rows that keep failing. */
import { request } from '../../api.js';
import { lineChart } from '../../chart.js';
import { fill, foreign, h } from '../../element.js';
import { time, timeIn } from '../../format.js';
import { CHANGES, countsSentence } from '../../sync-words.js';
import { dataTable } from '../../table.js';

/** @import { RunState, Schedule, ScheduleHistory, ScheduleRun } from '../../sync-answers.d.ts' */

const SHOWN = 100;

/** Tone of a run's badge. @type {Readonly<Record<RunState, 'busy' | 'still' | 'good' | 'attention'>>} */
export const RUN_TONES = {
  running: 'busy',
  ran: 'good',
  'skipped-unchanged': 'still',
  waiting: 'attention',
  'skipped-running': 'attention',
  missed: 'attention',
  failed: 'attention',
};

/**
 * @param {string} name
 * @param {AbortSignal} signal
 */
export function scheduleHistory(name, signal) {
  const chart = lineChart(
    'Planned by run',
    [
      { label: 'to add', colour: '--added' },
      { label: 'to change', colour: '--changed' },
      { label: 'to remove or ban', colour: '--removed' },
    ],
    signal,
  );
  let tz = 'UTC';
  const runs = dataTable({
    caption: `Runs of ${name}, newest first`,
    key: ({ id }) => id,
    /** @type {import('../../table.js').Column<ScheduleRun>[]} */
    columns: [
      { label: 'Due', kind: 'main', cell: ({ dueAt }) => timeIn(dueAt, tz) },
      { label: 'State', cell: ({ state }) => h('span', { class: `badge ${RUN_TONES[state]}` }, state) },
      {
        label: 'Plan',
        kind: 'wide',
        cell: ({ sync }) =>
          sync === null
            ? h('span', { class: 'soft' }, '–')
            : h(
                'a',
                { href: `/syncs/${encodeURIComponent(sync.id)}` },
                sync.totals === null ? sync.state : countsSentence(sync.totals.actions, CHANGES) || 'nothing to do',
              ),
      },
      { label: 'Result', kind: 'wide', cell: ({ reason }) => foreign(reason) },
      { label: 'Started by', cell: ({ who }) => foreign(who) },
    ],
  });
  const failing = dataTable({
    caption: 'Failing rows, oldest first',
    key: ({ region, guid, uid }) => `${region} ${guid} ${uid}`,
    /** @type {import('../../table.js').Column<ScheduleHistory['failing'][number]>[]} */
    columns: [
      { label: 'UID', kind: 'main', cell: ({ uid }) => foreign(uid) },
      { label: 'Group', cell: ({ guid }) => foreign(guid) },
      { label: 'Region', cell: ({ region }) => region },
      { label: 'Code', cell: ({ code }) => h('code', {}, foreign(code)) },
      { label: 'Failing since', cell: ({ since }) => time(since) },
    ],
  });
  const runsPlace = h('div', {}, h('p', { class: 'empty' }, 'Loading …'));
  const failingPlace = h('div', {});
  chart.element.hidden = true;
  return {
    element: h('div', { class: 'stack' }, chart.element, runsPlace, failingPlace),
    /** @param {Schedule} schedule */
    show: async (schedule) => {
      tz = schedule.tz;
      const path = `/v1/schedules/${encodeURIComponent(name)}/history?limit=${SHOWN}`;
      /** @type {ScheduleHistory} */
      const history = await request(path, { signal });
      const drawn = history.runs.filter(({ sync }) => (sync?.totals ?? null) !== null).toReversed();
      chart.element.hidden = drawn.length < 2;
      if (drawn.length > 1) {
        const counts = drawn.map(({ sync }) => sync?.totals?.actions);
        chart.show(
          drawn.map(({ dueAt }) => Date.parse(dueAt) / 1000),
          [
            counts.map((actions) => actions?.add ?? 0),
            counts.map((actions) => actions?.change ?? 0),
            counts.map((actions) => (actions?.remove ?? 0) + (actions?.ban ?? 0)),
          ],
        );
      }
      runs.show(history.runs);
      if (history.runs.length > 0) fill(runsPlace, runs.element);
      else fill(runsPlace, h('p', { class: 'empty' }, 'It has not run yet.'));
      failing.show(history.failing);
      if (history.failing.length > 0) fill(failingPlace, h('h3', {}, 'Failing rows'), failing.element);
      else fill(failingPlace);
    },
  };
}
