/** Who did what: found by words, people, actions and days, with links to what it was done to. */
import { useSignal } from '@preact/signals';
import { query } from '../api.js';
import { Card, Empty, foreign, h, importHref, syncHref } from '../element.js';
import { DayFilter, TypedFilter } from '../filter-fields.js';
import { FilterChoice } from '../form.js';
import { useKeptPages } from '../kept-pages.js';
import { ErrorNotice } from '../notice.js';
import { keepInAddress, usePlace } from '../place.js';
import { dataTable } from '../table.js';
import { Time } from '../time.js';
import { daysAsked } from './imports/filter.js';

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
  const { query: initial } = usePlace();
  const filter = useSignal(
    /** @type {Readonly<Partial<Record<typeof NAMES[number], string>>>} */ (
      Object.fromEntries(NAMES.flatMap((name) => (initial.get(name) ? [[name, initial.get(name)]] : [])))
    ),
  );
  /** @type {import('../answer.js').Pages<Entry>} */
  const pages = useKeptPages(`/v1/audit${query(daysAsked(filter.value))}`, { name: 'entries', limit: PAGE });
  const { items, hasMore, error } = pages;
  /** @param {typeof NAMES[number]} name @param {string} value */
  const set = (name, value) => {
    const { [name]: _, ...others } = filter.value;
    filter.value = value === '' ? others : { ...others, [name]: value };
    keepInAddress(query(filter.value));
  };
  const { search = '', who = '', action = '', from = '', to = '' } = filter.value;
  return [
    h(
      'div',
      { key: 'filter', class: 'filter', role: 'search', 'aria-label': 'Filter the audit log' },
      h(TypedFilter, {
        id: 'search',
        label: 'Search',
        value: search,
        placeholder: 'id, detail or address',
        onValue: (value) => set('search', value),
      }),
      h(TypedFilter, {
        id: 'who',
        label: 'Who',
        value: who,
        placeholder: 'whole name',
        onValue: (value) => set('who', value),
      }),
      h(FilterChoice, {
        id: 'action',
        label: 'What',
        value: action,
        choices: ACTIONS,
        onChoose: (value) => set('action', value),
      }),
      h(DayFilter, { id: 'from', label: 'From', value: from, onValue: (value) => set('from', value) }),
      h(DayFilter, { id: 'to', label: 'To', value: to, onValue: (value) => set('to', value) }),
    ),
    error !== undefined
      ? h(ErrorNotice, { key: 'error', error })
      : items === undefined
        ? h(Empty, { key: 'loading' }, 'Loading …')
        : items.length === 0
          ? h(
              Empty,
              { key: 'empty' },
              Object.keys(filter.value).length > 0
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
