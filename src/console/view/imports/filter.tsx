/** The filter of the list of imports. */
import { DayFilter, FilterBar, type Filter as FilterOf, TypedFilter } from '../../filter-fields.tsx';
import { type Choice, FilterChoice } from '../../form.tsx';
import { STATE_GROUPS } from '../../words.ts';

/** Names of the filter's parts, as the address of the page has them. */
export const NAMES = ['search', 'state', 'kind', 'problems', 'from', 'to', 'createdBy', 'tags'] as const;

export type Filter = FilterOf<(typeof NAMES)[number]>;

const STATES: Choice[] = [
  ['', 'all'],
  ...Object.entries(STATE_GROUPS).map(([name, states]) => [states.join(','), name] as const),
];

const KINDS: Choice[] = [
  ['', 'all'],
  ['file', 'files'],
  ['retry', 'retries'],
  ['sync', 'syncs'],
  ['undo', 'undos'],
];

const PROBLEMS: Choice[] = [
  ['', 'all'],
  ['true', 'only with problems'],
];

export function ListFilter({ filter }: { filter: Filter }) {
  const { chosen, typed } = filter;
  return (
    <FilterBar filter={filter} label="Filter imports" placeholder="name, id, reason or tag">
      <FilterChoice id="states" label="State" choices={STATES} {...chosen('state')} />
      <FilterChoice id="kinds" label="Kind" choices={KINDS} {...chosen('kind')} />
      <FilterChoice id="problems-only" label="Problems" choices={PROBLEMS} {...chosen('problems')} />
      <DayFilter id="from" label="From" {...typed('from')} />
      <DayFilter id="to" label="To" {...typed('to')} />
      <TypedFilter id="by" label="Started by" placeholder="whole name" {...typed('createdBy')} />
      <TypedFilter id="tags" label="Tags" placeholder="choir, term 1" {...typed('tags')} />
    </FilterBar>
  );
}
