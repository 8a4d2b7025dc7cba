/** All imports: found by what is known of them, followed while they run, and acted on several at a time. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { query } from '../api.js';
import { Card, Empty, h } from '../element.js';
import { daysAsked, useFilter } from '../filter-fields.js';
import { announce } from '../frame.js';
import { useKeptPages } from '../kept-pages.js';
import { ErrorNotice } from '../notice.js';
import { onListEvents } from '../overview.js';
import { usePlace } from '../place.js';
import { dataTable } from '../table.js';
import { fileName, isUndo, stateLabel } from '../words.js';
import { BulkBar, ChooseBox } from './imports/bulk.js';
import { COLUMNS } from './imports/columns.js';
import { ListFilter, NAMES } from './imports/filter.js';
import { NewImport } from './new-import.js';

/** @import { ImportView } from '../answers.d.ts' */
/** @import { Filter } from './imports/filter.js' */

const PAGE = 50;
/** Where only the server knows whether a new import fits, it is asked this long after one came, in ms. */
const NEWS_MS = 1000;

export function ImportsPage() {
  const { isOperator } = usePlace();
  return [
    h('h1', null, 'Imports'),
    isOperator && h(NewImport, {}),
    h(Card, { id: 'all', title: 'All imports' }, h(ImportsList, {})),
  ];
}

function ImportsList() {
  const { isOperator } = usePlace();
  const chosen = useSignal(/** @type {ReadonlySet<string>} */ (new Set()));
  const filter = useFilter(NAMES, () => {
    chosen.value = new Set();
  });
  /** @type {import('../answer.js').Pages<ImportView>} */
  const pages = useKeptPages(`/v1/imports${query(daysAsked(filter.values))}`, { name: 'imports', limit: PAGE });
  useListEvents(pages, filter.values);
  const { items, isOld, hasMore, error } = pages;
  const columns = useMemo(() => (isOperator ? [chooseColumn(chosen), ...COLUMNS] : COLUMNS), [isOperator]);
  return [
    h(ListFilter, { key: 'filter', filter }),
    isOperator && h(BulkBar, { key: 'bulk', items: items ?? [], chosen, onDone: pages.refresh }),
    error !== undefined
      ? h(ErrorNotice, { key: 'error', error })
      : items === undefined
        ? h(Empty, { key: 'loading' }, 'Loading …')
        : items.length === 0
          ? h(Empty, { key: 'empty' }, isOld ? 'Searching …' : emptyText(filter.isSet, isOperator))
          : h(
              'div',
              { key: 'table', class: 'imports' },
              dataTable({ caption: 'Imports, newest first', columns, items, keyOf: ({ id }) => id }),
            ),
    hasMore && h('button', { key: 'more', type: 'button', onClick: () => void pages.more() }, `Show ${PAGE} more`),
  ];
}

/**
 * @param {import('./imports/bulk.js').Chosen} chosen
 * @returns {import('../table.js').Column<ImportView>}
 */
function chooseColumn(chosen) {
  return { label: 'Select', kind: 'choose', cell: (view) => h(ChooseBox, { view, chosen }) };
}

/**
 * Keeps the list up to date by events.
 * @param {import('../answer.js').Pages<ImportView>} pages
 * @param {Filter['values']} filter
 */
function useListEvents(pages, filter) {
  const latest = useRef({ pages, filter });
  latest.current = { pages, filter };
  const isThere = pages.items !== undefined;
  useEffect(() => {
    if (!isThere) return;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const refreshSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void latest.current.pages.refresh();
      }, NEWS_MS);
    };
    const end = onListEvents(
      {
        imports: ({ imports }) =>
          latest.current.pages.edit((items) =>
            imports.reduce((all, view) => merged(all, view, latest.current.filter, refreshSoon), items),
          ),
        removed: ({ id }) => latest.current.pages.edit((items) => items.filter((view) => view.id !== id)),
        sync: (sync) => isUndo(sync) && sync.state === 'applied' && refreshSoon(),
      },
      () => void latest.current.pages.refresh(),
    );
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [isThere]);
}

/**
 * @param {readonly ImportView[]} items
 * @param {ImportView} view
 * @param {Filter['values']} filter
 * @param {() => void} refreshSoon
 */
function merged(items, view, { state = '', ...others }, refreshSoon) {
  const before = items.find(({ id }) => id === view.id);
  if (before !== undefined && before.state !== view.state) announce(`${fileName(view.file)}: ${stateLabel(view)}`);
  const isWanted = state === '' || state.split(',').includes(view.state);
  if (before !== undefined) {
    return isWanted ? items.map((one) => (one === before ? view : one)) : items.filter((one) => one !== before);
  }
  const isNew = isWanted && view.createdAt >= (items[0]?.createdAt ?? '');
  if (isNew && Object.keys(others).length > 0) refreshSoon();
  return isNew && Object.keys(others).length === 0 ? [view, ...items] : items;
}

/**
 * @param {boolean} isFiltered
 * @param {boolean} mayUpload
 */
function emptyText(isFiltered, mayUpload) {
  if (isFiltered) return 'No imports match this filter.';
  return mayUpload
    ? 'No imports yet. Choose a file above to start the first one.'
    : 'No imports yet. An operator can start one.';
}
