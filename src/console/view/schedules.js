/** Syncs that begin by themselves: when, what came of them last, and what came of each night. */
import { request } from '../api.js';
import { connection } from '../connection.js';
import { cronWords } from '../cron-words.js';
import { fill, foreign, h, section } from '../element.js';
import { timeIn } from '../format.js';
import { errorNotice } from '../notice.js';
import { modeWords } from '../sync-words.js';
import { dataTable } from '../table.js';
import { scheduleActions } from './schedules/actions.js';
import { RUN_TONES, scheduleHistory } from './schedules/history.js';

/** @import { Schedule } from '../sync-answers.d.ts' */
/** @import { Place } from '../place.d.ts' */

const ASK_EVERY_MS = 3000;

/** @param {Place} place */
export function schedulesPage({ session, signal, query, go }) {
  const name = query.get('name') ?? '';
  const place = h('div', {}, h('p', { class: 'empty' }, 'Loading …'));
  const history = name === '' ? undefined : scheduleHistory(name, signal);
  /** @type {Map<string, ReturnType<typeof scheduleActions>>} */
  const actions = new Map();
  /** @param {string} own */
  const actionsOf = (own) => {
    const known = actions.get(own) ?? scheduleActions({ name: own, signal, go, onDone: () => void load() });
    actions.set(own, known);
    return known;
  };
  const table = dataTable({
    caption: 'Schedules by name',
    key: (schedule) => schedule.name,
    columns: [
      ...COLUMNS,
      ...(session.role === 'operator'
        ? [
            {
              label: 'Actions',
              kind: /** @type {const} */ ('wide'),
              cell: (/** @type {Schedule} */ schedule) => actionsOf(schedule.name).element,
            },
          ]
        : []),
    ],
  });
  const load = async () => {
    try {
      /** @type {{ schedules: Schedule[] }} */
      const { schedules } = await request('/v1/schedules', { signal });
      for (const schedule of schedules) actionsOf(schedule.name).show(schedule);
      table.show(schedules);
      if (schedules.length > 0) fill(place, table.element);
      else fill(place, emptyNote());
      const own = schedules.find((schedule) => schedule.name === name);
      if (own !== undefined) await history?.show(own);
    } catch (error) {
      if (!signal.aborted && !connection.away) fill(place, errorNotice(error));
    }
  };
  const again = async () => {
    if (!document.hidden && !connection.away) await load();
    if (!signal.aborted) timer = setTimeout(() => void again(), ASK_EVERY_MS);
  };
  /** @type {number | undefined} */
  let timer;
  signal.addEventListener('abort', () => clearTimeout(timer));
  void again();
  return [
    h('h1', {}, 'Schedules'),
    section('all', 'All schedules', place),
    ...(history === undefined ? [] : [section('history', `History of ${name}`, history.element)]),
  ];
}

function emptyNote() {
  return h(
    'div',
    {},
    h(
      'p',
      { class: 'empty' },
      'No schedules yet. Add one on the server’s machine, because schedules read files there:',
    ),
    h('p', {}, h('code', {}, 'rollcall schedule add nightly --cron "30 2 * * *" --tz Europe/Rome --file members.csv')),
  );
}

/** @type {import('../table.js').Column<Schedule>[]} */
const COLUMNS = [
  {
    label: 'Schedule',
    kind: 'main',
    cell: ({ name, paused, sandbox, apply }) => [
      h('a', { href: `/schedules?name=${encodeURIComponent(name)}#history` }, foreign(name)),
      paused && h('span', { class: 'tag' }, 'paused'),
      !apply && h('span', { class: 'tag' }, 'plans only'),
      sandbox && h('span', { class: 'tag' }, 'sandbox'),
    ],
  },
  {
    label: 'When',
    kind: 'wide',
    cell: ({ cron, tz }) => [cronWords(cron) || h('code', {}, cron), h('p', { class: 'note' }, tz)],
  },
  {
    label: 'File',
    kind: 'wide',
    cell: ({ file, flags }) => [foreign(file), h('p', { class: 'note' }, modeWords(flags))],
  },
  {
    label: 'Next',
    kind: 'wide',
    cell: ({ next, tz }) => (next[0] === undefined ? h('span', { class: 'soft' }, 'none') : timeIn(next[0], tz)),
  },
  {
    label: 'Last result',
    kind: 'wide',
    cell: ({ lastRun, tz }) =>
      lastRun === null
        ? h('span', { class: 'soft' }, 'none yet')
        : [
            h('span', { class: `badge ${RUN_TONES[lastRun.state]}` }, lastRun.state),
            ' ',
            timeIn(lastRun.dueAt, tz),
            h('p', { class: 'note' }, foreign(lastRun.reason)),
            lastRun.sync !== null && h('a', { href: `/syncs/${encodeURIComponent(lastRun.sync.id)}` }, 'Its sync'),
          ],
  },
];
