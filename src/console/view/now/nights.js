/** How the last run of each schedule went. */
import { Badge, foreign, h, syncHref } from '../../element.js';
import { grouped } from '../../format.js';
import { dataTable } from '../../table.js';
import { Time, TimeIn } from '../../time.js';

/** @import { Night } from '../../answers.d.ts' */

/** @type {Readonly<Record<Night['result'], readonly ['busy' | 'still' | 'good' | 'attention', string]>>} */
const RESULTS = {
  ok: ['good', 'ok'],
  running: ['busy', 'running'],
  waits: ['attention', 'waits for you'],
  failed: ['attention', 'failed'],
  missed: ['attention', 'missed'],
  rejected: ['still', 'rejected'],
  none: ['still', 'not run yet'],
};

/** @type {import('../../table.js').Column<Night>[]} */
const COLUMNS = [
  {
    label: 'Schedule',
    kind: 'main',
    cell: ({ name, paused }) => [
      h('a', { href: '/schedules' }, foreign(name)),
      paused && h('span', { class: 'tag' }, 'paused'),
    ],
  },
  {
    label: 'Result',
    cell: ({ result, unsuccessful }) => [
      h(Badge, { tone: RESULTS[result][0] }, RESULTS[result][1]),
      unsuccessful > 1 && h('span', { class: 'soft' }, ` ${grouped(unsuccessful)} in a row`),
    ],
  },
  {
    label: 'Last run',
    cell: ({ run }) =>
      run === null
        ? '–'
        : run.sync === null
          ? h(Time, { iso: run.at })
          : h('a', { href: syncHref(run.sync.id) }, h(Time, { iso: run.at })),
  },
  {
    label: 'Next run',
    cell: ({ next, tz }) =>
      next === null ? '–' : [h(TimeIn, { iso: next, tz }), h('span', { class: 'soft' }, ` ${tz}`)],
  },
];

/** @param {{ nights: readonly Night[] }} properties */
export function Nights({ nights }) {
  return dataTable({
    caption: 'The last run of each schedule',
    columns: COLUMNS,
    items: nights,
    keyOf: ({ name }) => name,
  });
}

/** Why a run did not succeed, as a sentence. @param {Night} night */
export function nightSentence({ result, run }) {
  if (result === 'missed' && run?.state === 'skipped-running')
    return 'The last run was skipped: the one before was not over.';
  if (result === 'missed') return 'The last run was missed: no server was running at its time.';
  const reason = run?.reason ?? '';
  return reason === '' ? 'The last run failed.' : `The last run failed: ${reason}.`;
}
