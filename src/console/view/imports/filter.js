/** The filter of the list of imports. */
import { h } from '../../element.js';
import { DayFilter, FilterBar, TypedFilter } from '../../filter-fields.js';
import { FilterChoice } from '../../form.js';
import { STATE_GROUPS } from '../../words.js';

/** Names of the filter's parts, as the address of the page has them. */
export const NAMES = /** @type {const} */ (['search', 'state', 'kind', 'problems', 'from', 'to', 'createdBy', 'tags']);

/** @import { Filter as FilterOf } from '../../filter-fields.js' */
/** @typedef {FilterOf<typeof NAMES[number]>} Filter */

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

/** @type {import('../../form.js').Choice[]} */
const PROBLEMS = [
  ['', 'all'],
  ['true', 'only with problems'],
];

/** @param {{ filter: Filter }} properties */
export function ListFilter({ filter }) {
  const { chosen, typed } = filter;
  return h(
    FilterBar,
    { filter, label: 'Filter imports', placeholder: 'name, id, reason or tag' },
    h(FilterChoice, { id: 'states', label: 'State', choices: STATES, ...chosen('state') }),
    h(FilterChoice, { id: 'kinds', label: 'Kind', choices: KINDS, ...chosen('kind') }),
    h(FilterChoice, { id: 'problems-only', label: 'Problems', choices: PROBLEMS, ...chosen('problems') }),
    h(DayFilter, { id: 'from', label: 'From', ...typed('from') }),
    h(DayFilter, { id: 'to', label: 'To', ...typed('to') }),
    h(TypedFilter, { id: 'by', label: 'Started by', placeholder: 'whole name', ...typed('createdBy') }),
    h(TypedFilter, { id: 'tags', label: 'Tags', placeholder: 'choir, term 1', ...typed('tags') }),
  );
}
