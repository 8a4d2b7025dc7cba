/** The rows of an import: filtered, sorted, a page at a time. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useRenewal } from '../../answer.ts';
import type { RowView } from '../../answers.ts';
import { importPath, query } from '../../api.ts';
import { Empty } from '../../element.tsx';
import { useChange } from '../../form.tsx';
import { counted, grouped } from '../../format.ts';
import { useKeptPages } from '../../kept-pages.ts';
import { isNarrow } from '../../narrow.ts';
import { ErrorNotice } from '../../notice.tsx';
import { DataTable } from '../../table.tsx';
import { settled } from '../../words.ts';
import type { LiveImport } from './live-import.ts';
import { rowColumns } from './row-columns.tsx';
import { RowDetails } from './row-detail.tsx';
import { RowsActions } from './rows-actions.tsx';
import type { RowsWanted } from './rows-wanted.ts';

const PAGE = 100;
/** There each row is as high as a quarter of the screen, and stands below much else: more are shown when they are asked for. */
const FIRST_ON_PHONE = 4;
const STEP_ON_PHONE = 25;
/** Rows on the page at the same time: the earliest make room. */
const MAX_ROWS = 500;
/** While the import runs, the rows that are shown are asked for again no more often. */
const EVERY_MS = 5000;

export function ImportRows({ id, live, filter }: { id: string; live: LiveImport; filter: RowsWanted }) {
  const path = importPath(id, `/rows${query(filter.wanted.value)}`);
  const { limit, step } = useMemo(
    () => (isNarrow() ? { limit: FIRST_ON_PHONE, step: STEP_ON_PHONE } : { limit: PAGE, step: PAGE }),
    [],
  );
  const pages = useKeptPages<RowView>(path, { name: 'rows', limit, step, most: MAX_ROWS });
  const { items, total, isOld, hasMore, dropped, error } = pages;
  const detail = useSignal<RowView | undefined>(undefined);
  // Once it is sent, the outcomes count.
  const hasCheck = live.view.value?.state === 'staged' && live.view.value.checkedRows !== undefined;
  const columns = useMemo(
    () =>
      rowColumns((row) => {
        detail.value = row;
      }, hasCheck),
    [hasCheck],
  );
  const turns = live.turns.value;
  const over = live.over.value;
  // Also before the first answer, which may say how it was before the turn.
  useChange(`${turns} ${hasCheck}`, () => void pages.refresh());
  // Those that are shown get their outcomes while the import runs.
  useRenewal(useSettled(live, filter, items), () => !over && pages.follow(), EVERY_MS);
  // Rows that are not sent yet are shown as pending while the import goes on.
  const shown = useMemo(
    () => (over ? items : items?.map((row) => (row.status === 'unprocessed' ? { ...row, status: null } : row))),
    [items, over],
  );
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (shown === undefined) return <Empty>Loading …</Empty>;
  const { sort = '', order = '' } = filter.wanted.value;
  return (
    <div class={isOld ? 'rows old' : 'rows'} aria-busy={isOld}>
      <p class="note" role="status">
        {isOld
          ? 'Searching …'
          : shownSentence({
              shown: shown.length,
              total,
              all: live.view.value?.rows.read ?? 0,
              isSet: filter.isSet,
              dropped,
            })}
      </p>
      <RowsActions id={id} live={live} filter={filter} total={total} />
      {shown.length === 0 ? (
        <Empty>{isOld ? '' : filter.isSet ? 'No row fits this filter.' : 'No rows yet.'}</Empty>
      ) : (
        <DataTable
          caption="Rows of the file with their outcomes"
          columns={columns}
          items={shown}
          keyOf={({ row }) => row}
          sorted={{ by: sort === '' ? 'row' : sort, descending: order === 'desc' }}
          onSort={(by) => filter.sortBy(by)}
        />
      )}
      <div class="buttons">
        {hasMore && (
          <button type="button" onClick={() => void pages.more()}>
            Show {dropped || total === null ? step : Math.min(step, total - shown.length)} more
          </button>
        )}
        {dropped && (
          <button type="button" class="quiet" onClick={() => void pages.restart()}>
            Back to the start
          </button>
        )}
      </div>
      {detail.value !== undefined && (
        <RowDetails
          id={id}
          row={detail.value}
          onClose={() => {
            detail.value = undefined;
          }}
        />
      )}
    </div>
  );
}

/**
 * Returns a number that changes when other rows may be shown: that of the rows with an outcome; always the same if all
 * shown rows have theirs, and stand in an order that no outcome changes.
 */
function useSettled(live: LiveImport, filter: RowsWanted, items: readonly RowView[] | undefined) {
  const view = live.view.value;
  const { sort = '' } = filter.wanted.value;
  const isFixed = useMemo(() => items?.every(({ status }) => status !== null && status !== 'unprocessed'), [items]);
  if (view === undefined || (isFixed && !filter.isSet && ['', 'row', 'uid', 'guid'].includes(sort))) return 0;
  return settled(view.rows);
}

interface ShownSentenceOf {
  shown: number;
  total: number | null;
  all: number;
  isSet: boolean;
  dropped: boolean;
}

function shownSentence({ shown, total, all, isSet, dropped }: ShownSentenceOf) {
  if (total === null || (total === 0 && !isSet)) return '';
  const which = isSet ? `${grouped(total)} of ${counted(all, 'row')} fit this filter` : counted(total, 'row');
  if (shown === total) return `${which}.`;
  return `${which}; ${grouped(shown)} shown${dropped ? ', earlier ones are hidden' : ''}.`;
}
