/** A table that comes page by page: its items, or why there are none, and the button for more. */
import type { ComponentChildren } from 'preact';
import type { Pages } from '../use-answer.ts';
import { DataTable, type DataTableProperties } from './data-table.tsx';
import { Empty, Pending } from './elements.tsx';

interface PagedTableProperties<T> extends Omit<DataTableProperties<T>, 'items'> {
  pages: Pages<T>;
  /** Items that the button brings. */
  step: number;
  /** The words for them, if the button names them. */
  noun?: string;
  /** Said where there are no items. */
  empty: ComponentChildren;
  /** Said until the first page is there. */
  loading?: string;
  /** Class of a place of its own for the table. */
  place?: string;
}

export function PagedTable<T>({ pages, step, noun, empty, loading, place, ...table }: PagedTableProperties<T>) {
  const { items, isOld, error } = pages;
  if (error !== undefined || items === undefined) return <Pending error={error}>{loading}</Pending>;
  const shown = <DataTable items={items} {...table} />;
  return (
    <>
      {items.length === 0 ? (
        <Empty>{isOld ? 'Searching …' : empty}</Empty>
      ) : place === undefined ? (
        shown
      ) : (
        <div class={place}>{shown}</div>
      )}
      <MoreButton pages={pages} step={step} noun={noun} />
    </>
  );
}

interface MoreButtonProperties {
  pages: Pick<Pages<unknown>, 'hasMore' | 'more'>;
  step: number;
  noun?: string | undefined;
}

/** Brings further items, where there are any. */
export function MoreButton({ pages, step, noun }: MoreButtonProperties) {
  return (
    pages.hasMore && (
      <button type="button" onClick={() => void pages.more()}>
        Show {step} more{noun !== undefined && ` ${noun}`}
      </button>
    )
  );
}
