/** All imports: found by what is known of them, followed while they run, and acted on several at a time. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Pages } from '../answer.ts';
import type { ImportView } from '../answers.ts';
import { query } from '../api.ts';
import { Card, Empty } from '../element.tsx';
import { daysAsked, useFilter } from '../filter-fields.tsx';
import { announce } from '../frame.tsx';
import { useKeptPages } from '../kept-pages.ts';
import { ErrorNotice } from '../notice.tsx';
import { onListEvents } from '../overview.ts';
import { usePlace } from '../place.ts';
import { type Column, DataTable } from '../table.tsx';
import { fileName, isUndo, stateLabel } from '../words.ts';
import { BulkBar, ChooseBox, type Chosen } from './imports/bulk.tsx';
import { COLUMNS } from './imports/columns.tsx';
import { type Filter, ListFilter, NAMES } from './imports/filter.tsx';
import { NewImport } from './new-import.tsx';

const PAGE = 50;
/** Delay after a new import before the server is asked whether it matches, in ms: only the server may know. */
const NEWS_MS = 1000;

export function ImportsPage() {
  const { isOperator } = usePlace();
  return (
    <>
      <h1>Imports</h1>
      {isOperator && <NewImport />}
      <Card id="all" title="All imports">
        <ImportsList />
      </Card>
    </>
  );
}

function ImportsList() {
  const { isOperator } = usePlace();
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const filter = useFilter(NAMES, () => {
    chosen.value = new Set();
  });
  const pages = useKeptPages<ImportView>(`/v1/imports${query(daysAsked(filter.values))}`, {
    name: 'imports',
    limit: PAGE,
  });
  useListEvents(pages, filter.values);
  const { items, isOld, hasMore, error } = pages;
  const columns = useMemo(() => (isOperator ? [chooseColumn(chosen), ...COLUMNS] : COLUMNS), [isOperator]);
  return (
    <>
      <ListFilter filter={filter} />
      {isOperator && <BulkBar items={items ?? []} chosen={chosen} onDone={pages.refresh} />}
      {error !== undefined ? (
        <ErrorNotice error={error} />
      ) : items === undefined ? (
        <Empty>Loading …</Empty>
      ) : items.length === 0 ? (
        <Empty>{isOld ? 'Searching …' : emptyText(filter.isSet, isOperator)}</Empty>
      ) : (
        <div class="imports">
          <DataTable caption="Imports, newest first" columns={columns} items={items} keyOf={({ id }) => id} />
        </div>
      )}
      {hasMore && (
        <button type="button" onClick={() => void pages.more()}>
          Show {PAGE} more
        </button>
      )}
    </>
  );
}

function chooseColumn(chosen: Chosen): Column<ImportView> {
  return { label: 'Select', kind: 'choose', cell: (view) => <ChooseBox view={view} chosen={chosen} /> };
}

/** Keeps the list up to date by events. */
function useListEvents(pages: Pages<ImportView>, filter: Filter['values']) {
  const latest = useRef({ pages, filter });
  latest.current = { pages, filter };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
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
  }, []);
}

function merged(
  items: readonly ImportView[],
  view: ImportView,
  { state = '', ...others }: Filter['values'],
  refreshSoon: () => void,
) {
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

function emptyText(isFiltered: boolean, mayUpload: boolean) {
  if (isFiltered) return 'No imports match this filter.';
  return mayUpload
    ? 'No imports yet. Choose a file above to start the first one.'
    : 'No imports yet. An operator can start one.';
}
