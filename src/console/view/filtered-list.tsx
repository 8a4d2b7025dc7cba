/** A list by state, newest first, a page at a time: imports, syncs. */
import { useSignal } from '@preact/signals';
import type { Pages } from '../answer.ts';
import { query } from '../api.ts';
import { Empty } from '../element.tsx';
import { type Choice, FilterChoice } from '../form.tsx';
import { useKeptPages } from '../kept-pages.ts';
import { ErrorNotice } from '../notice.tsx';
import { keepInAddress, usePlace } from '../place.ts';
import { type Column, DataTable } from '../table.tsx';

const PAGE = 50;

interface FilteredListList<Item extends { id: string }> {
  /** Path in the API. */
  path: string;
  /** Name of the items in its answer. */
  name: string;
  /** States that are shown, separated by commas; '' for all. */
  choices: Choice[];
  caption: string;
  columns: (items: readonly Item[]) => Column<Item>[];
  emptyText: (isFiltered: boolean, mayUpload: boolean) => string;
  /** Keeps it up to date. */
  useNews: (pages: Pages<Item>, states: string) => void;
}

export function useFilteredList<Item extends { id: string }>({
  path,
  name,
  choices,
  caption,
  columns,
  emptyText,
  useNews,
}: FilteredListList<Item>) {
  const { query: initial, isOperator } = usePlace();
  const states = useSignal(initial.get('state') ?? '');
  const pages = useKeptPages<Item>(`${path}${query({ state: states.value })}`, { name, limit: PAGE });
  useNews(pages, states.value);
  const { items, isOld, hasMore, error } = pages;
  return (
    <>
      <div class="filter">
        <FilterChoice
          id="states"
          label="State"
          value={states.value}
          choices={choices}
          onChoose={(value) => {
            states.value = value;
            keepInAddress(query({ state: value }));
          }}
        />
      </div>
      {error !== undefined ? (
        <ErrorNotice error={error} />
      ) : items === undefined ? (
        <Empty>Loading …</Empty>
      ) : items.length === 0 ? (
        <Empty>{isOld ? 'Searching …' : emptyText(states.value !== '', isOperator)}</Empty>
      ) : (
        <DataTable caption={caption} columns={columns(items)} items={items} keyOf={({ id }) => id} />
      )}
      {hasMore && (
        <button type="button" onClick={() => void pages.more()}>
          Show {PAGE} more
        </button>
      )}
    </>
  );
}
