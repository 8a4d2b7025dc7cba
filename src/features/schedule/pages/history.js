/** What came of each run of a schedule, drawn and listed, and the rows that keep failing. */
import { useEffect, useMemo } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.js';
import { LineChart } from '../../../console/chart.js';
import { Badge, Empty, foreign, h, syncHref } from '../../../console/element.js';
import { ErrorNotice } from '../../../console/notice.js';
import { CHANGES, countsSentence } from '../../../console/sync-words.js';
import { dataTable } from '../../../console/table.js';
import { Time, TimeIn } from '../../../console/time.js';
import { compareHref } from '../../sync/pages/compare.js';

/** @import { RunState, Schedule, ScheduleHistory as History, ScheduleRun } from '../../../console/sync-answers.d.ts' */

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

const LINES = [
  { label: 'to add', colour: '--added' },
  { label: 'to change', colour: '--changed' },
  { label: 'to remove or ban', colour: '--removed' },
];

/** @param {{ schedule: Schedule }} properties */
export function ScheduleHistory({ schedule }) {
  const { name, tz } = schedule;
  const path = `/v1/schedules/${encodeURIComponent(name)}/history?limit=${SHOWN}`;
  /** @type {import('../../../console/answer.js').Answer<History>} */
  const { data, error, reload } = useAnswer(path);
  // The list is asked for again and again; its news are the history's.
  useEffect(() => void reload(), [schedule]);
  const columns = useMemo(() => runColumns(tz), [tz]);
  if (error !== undefined) return h(ErrorNotice, { error });
  if (data === undefined) return h(Empty, {}, 'Loading …');
  return h(
    'div',
    { class: 'stack' },
    h(PlannedByRun, { runs: data.runs }),
    h(LastTwo, { runs: data.runs }),
    data.runs.length === 0
      ? h(Empty, {}, 'It has not run yet.')
      : dataTable({
          caption: `Runs of ${name}, newest first`,
          columns,
          items: data.runs,
          keyOf: ({ id }) => id,
        }),
    data.edits.length > 0 &&
      h(
        'div',
        null,
        h('h3', null, 'Edits'),
        dataTable({
          caption: `Edits of ${name}, newest first`,
          columns: EDIT_COLUMNS,
          items: data.edits,
          keyOf: ({ version }) => version,
        }),
      ),
    data.failing.length > 0 &&
      h(
        'div',
        null,
        h('h3', null, 'Failing rows'),
        dataTable({
          caption: 'Failing rows, oldest first',
          columns: FAILING_COLUMNS,
          items: data.failing,
          keyOf: ({ region, guid, uid }) => `${region} ${guid} ${uid}`,
        }),
      ),
  );
}

/** @param {{ runs: readonly ScheduleRun[] }} properties newest first */
function LastTwo({ runs }) {
  const [last, before] = runs.flatMap(({ sync }) => (sync === null || sync.totals === null ? [] : [sync.id]));
  if (last === undefined || before === undefined) return null;
  return h('p', null, h('a', { href: compareHref(before, last) }, 'Compare the last two runs'));
}

/** @param {{ runs: readonly ScheduleRun[] }} properties newest first */
function PlannedByRun({ runs }) {
  const drawn = runs
    .flatMap(({ dueAt, sync }) => ((sync?.totals ?? null) === null ? [] : [{ dueAt, actions: sync?.totals?.actions }]))
    .toReversed();
  if (drawn.length < 2) return null;
  return h(LineChart, {
    shows: 'last run',
    name: 'Planned by run',
    lines: LINES,
    times: drawn.map(({ dueAt }) => Date.parse(dueAt) / 1000),
    columns: [
      drawn.map(({ actions }) => actions?.add ?? 0),
      drawn.map(({ actions }) => actions?.change ?? 0),
      drawn.map(({ actions }) => (actions?.remove ?? 0) + (actions?.ban ?? 0)),
    ],
  });
}

/** @param {string} tz @returns {import('../../../console/table.js').Column<ScheduleRun>[]} */
function runColumns(tz) {
  return [
    { label: 'Due', kind: 'main', cell: ({ dueAt }) => h(TimeIn, { iso: dueAt, tz }) },
    { label: 'State', cell: ({ state }) => h(Badge, { tone: RUN_TONES[state] }, state) },
    {
      label: 'Plan',
      kind: 'wide',
      cell: ({ sync }) =>
        sync === null
          ? h('span', { class: 'soft' }, '–')
          : h(
              'a',
              { href: syncHref(sync.id) },
              sync.totals === null ? sync.state : countsSentence(sync.totals.actions, CHANGES) || 'nothing to do',
            ),
    },
    { label: 'Result', kind: 'wide', cell: ({ reason }) => foreign(reason) },
    { label: 'Started by', cell: ({ who }) => foreign(who) },
  ];
}

/** @type {import('../../../console/table.js').Column<History['failing'][number]>[]} */
const FAILING_COLUMNS = [
  { label: 'UID', kind: 'main', cell: ({ uid }) => foreign(uid) },
  { label: 'Group', cell: ({ guid }) => foreign(guid) },
  { label: 'Region', cell: ({ region }) => region },
  { label: 'Code', cell: ({ code }) => h('code', null, foreign(code)) },
  { label: 'Failing since', cell: ({ since }) => h(Time, { iso: since }) },
];

/** @type {import('../../../console/table.js').Column<History['edits'][number]>[]} */
const EDIT_COLUMNS = [
  { label: 'When', kind: 'main', cell: ({ at }) => h(Time, { iso: at }) },
  { label: 'Who', cell: ({ who }) => foreign(who) },
  {
    label: 'What',
    kind: 'wide',
    cell: ({ changes }) =>
      h(
        'ul',
        { class: 'plain' },
        changes.map(({ field, from, to }) =>
          h('li', { key: field }, `${field}: `, foreign(from) ?? '–', ' → ', foreign(to) ?? '–'),
        ),
      ),
  },
];
