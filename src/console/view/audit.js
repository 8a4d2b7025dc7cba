/** Who did what: found by words, people, actions and days, with links to what it was done to. */
import { query } from '../api.js';
import { Card, Empty, foreign, h, importHref, syncHref } from '../element.js';
import { DayFilter, daysAsked, FilterBar, TypedFilter, useFilter } from '../filter-fields.js';
import { FilterChoice } from '../form.js';
import { useKeptPages } from '../kept-pages.js';
import { ErrorNotice } from '../notice.js';
import { usePlace } from '../place.js';
import { dataTable } from '../table.js';
import { Time } from '../time.js';

/** @import { AuditPage as Page } from '../answers.d.ts' */

/** @typedef {Page['entries'][number]} Entry */

const PAGE = 50;
const NAMES = /** @type {const} */ (['search', 'who', 'action', 'from', 'to']);

/** @type {import('../form.js').Choice[]} */
const ACTIONS = [
  ['', 'all'],
  ['import', 'imports'],
  ['sync', 'syncs'],
  ['schedule', 'schedules'],
  ['export', 'exports'],
  ['recipe', 'recipes'],
  ['token', 'tokens'],
  ['notify', 'notifications'],
  ['session', 'logins'],
];

export function AuditPage() {
  const { isOperator } = usePlace();
  return [
    h('h1', null, 'Audit log'),
    h('p', { class: 'lead' }, 'Who did what, in the console, over the API and on the command line of this machine.'),
    isOperator
      ? h(Card, { id: 'entries', title: 'Entries' }, h(AuditLog, {}))
      : h(Empty, {}, 'The audit log is for operators.'),
  ];
}

/** @type {import('../table.js').Column<Entry>[]} */
const COLUMNS = [
  { label: 'When', cell: ({ at }) => h(Time, { iso: at, seconds: true }) },
  { label: 'Who', kind: 'main', cell: ({ who }) => foreign(who) },
  { label: 'What', cell: ({ action }) => h('code', null, action) },
  { label: 'Target', cell: targetOf },
  { label: 'Detail', kind: 'wide', cell: ({ detail }) => foreign(detail) },
  { label: 'From', cell: ({ address }) => foreign(address) },
];

/** What it was done to, as a link where it has a page. @param {Entry} entry */
function targetOf({ action, target }) {
  const [kind] = action.split('.');
  const isSync = kind === 'sync' || action === 'import.undo';
  const href = isSync
    ? syncHref(target)
    : kind === 'import' && action !== 'import.delete'
      ? importHref(target)
      : kind === 'schedule'
        ? '/schedules'
        : kind === 'export'
          ? '/exports'
          : undefined;
  return href === undefined || target === '' ? foreign(target) : h('a', { href }, foreign(target));
}

function AuditLog() {
  const filter = useFilter(NAMES);
  /** @type {import('../answer.js').Pages<Entry>} */
  const pages = useKeptPages(`/v1/audit${query(daysAsked(filter.values))}`, { name: 'entries', limit: PAGE });
  const { items, hasMore, error } = pages;
  const { typed, chosen } = filter;
  return [
    h(
      FilterBar,
      { key: 'filter', filter, label: 'Filter the audit log', placeholder: 'id, detail or address' },
      h(TypedFilter, { id: 'who', label: 'Who', placeholder: 'whole name', ...typed('who') }),
      h(FilterChoice, { id: 'action', label: 'What', choices: ACTIONS, ...chosen('action') }),
      h(DayFilter, { id: 'from', label: 'From', ...typed('from') }),
      h(DayFilter, { id: 'to', label: 'To', ...typed('to') }),
    ),
    error !== undefined
      ? h(ErrorNotice, { key: 'error', error })
      : items === undefined
        ? h(Empty, { key: 'loading' }, 'Loading …')
        : items.length === 0
          ? h(
              Empty,
              { key: 'empty' },
              filter.isSet
                ? 'No entries match this filter.'
                : 'Nothing yet. Uploads, pauses, cancellations and so on will be listed here.',
            )
          : h(
              'div',
              { key: 'table' },
              // Entries are only ever added.
              dataTable({
                caption: 'What was done, newest first',
                columns: COLUMNS,
                items,
                keyOf: (_, index) => index,
              }),
            ),
    hasMore && h('button', { key: 'more', type: 'button', onClick: () => void pages.more() }, `Show ${PAGE} more`),
  ];
}
