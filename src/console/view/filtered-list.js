/** A list by state, newest first, a page at a time: imports, syncs. */
import { useSignal } from '@preact/signals';
import { query } from '../api.js';
import { Empty, h } from '../element.js';
import { FilterChoice } from '../form.js';
import { useKeptPages } from '../kept-pages.js';
import { ErrorNotice } from '../notice.js';
import { keepInAddress, usePlace } from '../place.js';
import { dataTable } from '../table.js';

const PAGE = 50;

/**
 * @template {{ id: string }} Item
 * @param {object} list
 * @param {string} list.path of the API
 * @param {string} list.name of the items in its answer
 * @param {import('../form.js').Choice[]} list.choices states that are shown, separated by commas; '' for all
 * @param {string} list.caption
 * @param {(items: readonly Item[]) => import('../table.js').Column<Item>[]} list.columns
 * @param {(isFiltered: boolean, mayUpload: boolean) => string} list.emptyText
 * @param {(pages: import('../answer.js').Pages<Item>, states: string) => void} list.useNews keeps it up to date
 */
export function useFilteredList({ path, name, choices, caption, columns, emptyText, useNews }) {
  const { query: initial, isOperator } = usePlace();
  const states = useSignal(initial.get('state') ?? '');
  /** @type {import('../answer.js').Pages<Item>} */
  const pages = useKeptPages(`${path}${query({ state: states.value })}`, { name, limit: PAGE });
  useNews(pages, states.value);
  const { items, isOld, hasMore, error } = pages;
  return [
    h(
      'div',
      { class: 'filter' },
      h(FilterChoice, {
        id: 'states',
        label: 'State',
        value: states.value,
        choices,
        onChoose: (value) => {
          states.value = value;
          keepInAddress(query({ state: value }));
        },
      }),
    ),
    error !== undefined
      ? h(ErrorNotice, { error })
      : items === undefined
        ? h(Empty, {}, 'Loading …')
        : items.length === 0
          ? h(Empty, {}, isOld ? 'Searching …' : emptyText(states.value !== '', isOperator))
          : dataTable({ caption, columns: columns(items), items, keyOf: ({ id }) => id }),
    hasMore && h('button', { type: 'button', onClick: () => void pages.more() }, `Show ${PAGE} more`),
  ];
}
