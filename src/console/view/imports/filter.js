/** The filter of the list of imports, which the address of the page keeps. */
import { h } from '../../element.js';
import { DayFilter, TypedFilter } from '../../filter-fields.js';
import { FilterChoice } from '../../form.js';
import { preferences } from '../../preferences.js';
import { STATE_GROUPS } from '../../words.js';

/** Names of the filter's parts, as the address of the page has them. */
const NAMES = /** @type {const} */ (['search', 'state', 'kind', 'problems', 'from', 'to', 'createdBy', 'tags']);

/** @typedef {Readonly<Partial<Record<typeof NAMES[number], string>>>} Filter what is set */

/** @param {URLSearchParams} query @returns {Filter} */
export function filterIn(query) {
  return Object.fromEntries(NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));
}

/**
 * A filter as the server takes it: days are those of the clock that times are shown by.
 * @template {{ readonly from?: string, readonly to?: string }} F
 * @param {F} filter
 * @returns {F}
 */
export function daysAsked(filter) {
  if (preferences.value.clock === 'utc') return filter;
  const { from, to } = filter;
  return {
    ...filter,
    ...(isDay(from) && { from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(isDay(to) && { to: dayAfter(to).toISOString() }),
  };
}

/** @param {string | undefined} text @returns {text is string} */
function isDay(text) {
  return text !== undefined && !Number.isNaN(Date.parse(`${text}T00:00:00`));
}

/** @param {string} day */
function dayAfter(day) {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + 1);
  return date;
}

/** @type {import('../../form.js').Choice[]} */
const STATES = [
  ['', 'all'],
  ...Object.entries(STATE_GROUPS).map(([name, states]) => /** @type {const} */ ([states.join(','), name])),
];

/** @type {import('../../form.js').Choice[]} */
const KINDS = [
  ['', 'all'],
  ['file', 'files'],
  ['retry', 'retries'],
  ['sync', 'syncs'],
  ['undo', 'undos'],
];

/** @param {{ filter: Filter, onFilter: (filter: Filter) => void }} properties */
export function ListFilter({ filter, onFilter }) {
  /** @param {typeof NAMES[number]} name @param {string} value */
  const set = (name, value) => {
    const { [name]: _, ...others } = filter;
    onFilter(value === '' ? others : { ...others, [name]: value });
  };
  /** What a field of the filter shows, and what a change of it sets. @param {typeof NAMES[number]} name */
  const typed = (name) => ({ value: filter[name] ?? '', onValue: (/** @type {string} */ value) => set(name, value) });
  /** @param {typeof NAMES[number]} name */
  const chosen = (name) => ({ value: filter[name] ?? '', onChoose: (/** @type {string} */ value) => set(name, value) });
  const count = Object.keys(filter).length;
  return h(
    'div',
    { class: 'filter imports-filter', role: 'search', 'aria-label': 'Filter imports' },
    h(
      'div',
      null,
      h(TypedFilter, {
        id: 'search',
        label: 'Search',
        placeholder: 'name, id, reason or tag',
        ...typed('search'),
      }),
      h(FilterChoice, {
        id: 'states',
        label: 'State',
        choices: STATES,
        ...chosen('state'),
      }),
      h(FilterChoice, {
        id: 'kinds',
        label: 'Kind',
        choices: KINDS,
        ...chosen('kind'),
      }),
      h(FilterChoice, {
        id: 'problems-only',
        label: 'Problems',
        choices: [
          ['', 'all'],
          ['true', 'only with problems'],
        ],
        ...chosen('problems'),
      }),
      h(DayFilter, { id: 'from', label: 'From', ...typed('from') }),
      h(DayFilter, { id: 'to', label: 'To', ...typed('to') }),
      h(TypedFilter, {
        id: 'by',
        label: 'Started by',
        placeholder: 'whole name',
        ...typed('createdBy'),
      }),
      h(TypedFilter, {
        id: 'tags',
        label: 'Tags',
        placeholder: 'choir, term 1',
        ...typed('tags'),
      }),
      count > 0 &&
        h(
          'button',
          { type: 'button', class: 'quiet', onClick: () => onFilter({}) },
          count === 1 ? 'Clear the filter' : `Clear ${count} filters`,
        ),
    ),
  );
}
