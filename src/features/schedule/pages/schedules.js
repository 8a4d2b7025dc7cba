/** Syncs that begin by themselves: when, what came of them last, and what came of each night. */
import { useMemo } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.js';
import { cronWords } from '../../../console/cron-words.js';
import { Badge, Card, Empty, foreign, h, syncHref, Tag } from '../../../console/element.js';
import { ErrorNotice } from '../../../console/notice.js';
import { useListNews } from '../../../console/overview.js';
import { usePlace } from '../../../console/place.js';
import { mayCreateWords, modeWords } from '../../../console/sync-words.js';
import { dataTable } from '../../../console/table.js';
import { TimeIn } from '../../../console/time.js';
import { ScheduleActions } from './actions.js';
import { RUN_TONES, ScheduleHistory } from './history.js';
import { Nights } from './nights.js';

/** @import { Schedule } from '../../../console/sync-answers.d.ts' */

export function SchedulesPage() {
  const { query, isOperator } = usePlace();
  const name = query.get('name') ?? '';
  /** @type {import('../../../console/answer.js').Answer<{ schedules: Schedule[] }>} */
  const { data, error, reload } = useAnswer('/v1/schedules');
  useListNews(['schedules', 'sync'], () => void reload());
  const columns = useMemo(() => (isOperator ? [...COLUMNS, actionsColumn(reload)] : COLUMNS), []);
  const own = data?.schedules.find((schedule) => schedule.name === name);
  return [
    h('h1', null, 'Schedules'),
    h('p', { class: 'lead' }, 'A schedule is a sync that runs at set times.'),
    isOperator && h('p', null, h('a', { class: 'button main', href: '/schedules/new' }, 'New schedule')),
    h(
      Card,
      { id: 'all', title: 'All schedules' },
      error !== undefined
        ? h(ErrorNotice, { error })
        : data === undefined
          ? h(Empty, {}, 'Loading …')
          : data.schedules.length === 0
            ? h(NoSchedules, {})
            : dataTable({
                caption: 'Schedules by name',
                columns,
                items: data.schedules,
                keyOf: (schedule) => schedule.name,
              }),
    ),
    data !== undefined &&
      data.schedules.length > 0 &&
      h(Card, { id: 'nights', title: 'The last 30 nights' }, h(Nights, { schedules: data.schedules })),
    name !== '' &&
      h(
        Card,
        { id: 'history', title: `History of ${name}` },
        own === undefined
          ? data !== undefined && h(Empty, {}, 'There is no such schedule.')
          : h(ScheduleHistory, { schedule: own }),
      ),
  ];
}

function NoSchedules() {
  const { isOperator } = usePlace();
  return h(Empty, {}, `No schedules yet. ${isOperator ? 'Add the first one above.' : 'An operator can add one.'}`);
}

/** @param {() => Promise<void>} reload @returns {import('../../../console/table.js').Column<Schedule>} */
function actionsColumn(reload) {
  return {
    label: 'Actions',
    kind: 'wide',
    cell: ({ name, paused }) => h(ScheduleActions, { name, paused, onDone: reload }),
  };
}

/** @type {import('../../../console/table.js').Column<Schedule>[]} */
const COLUMNS = [
  {
    label: 'Schedule',
    kind: 'main',
    cell: ({ name, paused, sandbox, apply }) => [
      h('a', { href: `/schedules?name=${encodeURIComponent(name)}#history` }, foreign(name)),
      paused && h(Tag, {}, 'paused'),
      !apply && h(Tag, {}, 'plans only'),
      sandbox && h(Tag, {}, 'sandbox'),
    ],
  },
  {
    label: 'When',
    kind: 'wide',
    cell: ({ cron, tz }) => [cronWords(cron) || h('code', null, cron), h('p', { class: 'note' }, tz)],
  },
  {
    label: 'File',
    kind: 'wide',
    cell: ({ file, flags, create }) => [
      foreign(file),
      h('p', { class: 'note' }, modeWords(flags)),
      create !== null && h('p', { class: 'note' }, `may create ${mayCreateWords(create)}`),
    ],
  },
  {
    label: 'Next',
    kind: 'wide',
    cell: ({ next, tz }) =>
      next[0] === undefined ? h('span', { class: 'soft' }, 'none') : h(TimeIn, { iso: next[0], tz }),
  },
  {
    label: 'Last result',
    kind: 'wide',
    cell: ({ lastRun, tz }) =>
      lastRun === null
        ? h('span', { class: 'soft' }, 'none yet')
        : [
            h(Badge, { tone: RUN_TONES[lastRun.state] }, lastRun.state),
            ' ',
            h(TimeIn, { iso: lastRun.dueAt, tz }),
            h('p', { class: 'note' }, foreign(lastRun.reason)),
            lastRun.sync !== null && h('a', { href: syncHref(lastRun.sync.id) }, 'Its sync'),
          ],
  },
];
