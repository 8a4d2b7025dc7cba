/**
 * The list: rows in columns under a caption, which become cards where there is little room (list.css); of a list that comes
 * page by page, its items, or why there are none, and the button for more.
 */
import { Component, type ComponentChildren, type TargetedMouseEvent } from 'preact';
import type { Pages } from '../use-answer.ts';
import { Empty, Pending } from './elements.tsx';

export interface Column<T> {
  label: string;
  cell: (item: T) => ComponentChildren;
  /** `main` heads the card and the row. */
  kind?: 'number' | 'wide' | 'main' | 'choose' | 'end';
  /** The key by which this column sorts the rows. */
  sort?: string;
}

interface RowProperties<T> {
  item: T;
  columns: readonly Column<T>[];
}

/** A row that is drawn again only when its item is another object. */
class Row<T> extends Component<RowProperties<T>> {
  override shouldComponentUpdate(next: RowProperties<T>) {
    return this.props.item !== next.item || this.props.columns !== next.columns;
  }

  override render() {
    const { item, columns } = this.props;
    return (
      <tr role="row" onClick={openRow}>
        {columns.map((column, index) => {
          const properties = { class: column.kind, 'data-label': column.label };
          const content = <div>{column.cell(item)}</div>;
          return column.kind === 'main' ? (
            <th key={index} {...properties} scope="row" role="rowheader">
              {content}
            </th>
          ) : (
            <td key={index} {...properties} role="cell">
              {content}
            </td>
          );
        })}
      </tr>
    );
  }
}

/** A row opens as a whole, by its own control or by the link that heads it; what is selected in it can be copied. */
function openRow({ target, currentTarget }: TargetedMouseEvent<HTMLTableRowElement>) {
  const isControl = target instanceof Element && target.closest('a, button, input, select, summary, label') !== null;
  if (isControl || getSelection()?.isCollapsed === false) return;
  currentTarget.querySelector<HTMLElement>('.opens, .main a')?.click();
}

interface DataTableProperties<T> {
  caption: string;
  /** The same array for as long as they show the same. */
  columns: readonly Column<T>[];
  items: readonly T[];
  /** Must tell all rows apart. */
  keyOf: (item: T, index: number) => string | number;
  sorted?: { by: string; descending: boolean };
  onSort?: (by: string) => void;
}

/**
 * Rows are known by their key; those whose item stays the same object are left alone. Roles are said aloud because cards
 * are laid out as blocks, which takes the meaning from table elements.
 */
export function DataTable<T>({ caption, columns, items, keyOf, sorted, onSort }: DataTableProperties<T>) {
  return (
    <table role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label, kind, sort }, index) => {
            const isSorted = sort !== undefined && sorted?.by === sort;
            const direction = isSorted ? (sorted.descending ? 'descending' : 'ascending') : undefined;
            return (
              <th key={index} scope="col" role="columnheader" class={kind} aria-sort={direction}>
                {sort === undefined || onSort === undefined ? (
                  label
                ) : (
                  <button
                    type="button"
                    class="sort"
                    title={`Sort by ${label.toLowerCase()}`}
                    onClick={() => onSort(sort)}
                  >
                    {label}
                  </button>
                )}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {items.map((item, index) => (
          <Row key={keyOf(item, index)} item={item} columns={columns} />
        ))}
      </tbody>
    </table>
  );
}

interface ListProperties<T> extends Omit<DataTableProperties<T>, 'items'> {
  /** A list, or the items of an answer that comes at once. */
  pages: Pages<T> | { items: readonly T[] | undefined; error: unknown };
  /** The words for the items, if the button names them. */
  noun?: string;
  /** Said where there are no items. */
  empty: ComponentChildren;
  /** Said until the first page is there. */
  loading?: string;
}

export function List<T>({ pages, noun, empty, loading, ...table }: ListProperties<T>) {
  const { items, error } = 'shown' in pages ? pages.shown : pages;
  if (error !== undefined || items === undefined) return <Pending error={error}>{loading}</Pending>;
  const isOld = 'isOld' in pages && pages.isOld;
  return (
    <>
      {items.length === 0 ? <Empty>{isOld ? 'Searching …' : empty}</Empty> : <DataTable items={items} {...table} />}
      {'more' in pages && <MoreButton pages={pages} noun={noun} />}
    </>
  );
}

interface MoreButtonProperties<T> {
  pages: Pages<T>;
  noun?: string | undefined;
}

/** Brings further items, where there are any. */
export function MoreButton<T>({ pages, noun }: MoreButtonProperties<T>) {
  const { step } = pages;
  const { cursor, dropped, items = [], total } = pages.shown;
  if (cursor === null && !dropped) return null;
  return (
    <div class="buttons">
      {cursor !== null && (
        <button type="button" onClick={() => void pages.more()}>
          Show {dropped || total === null ? step : Math.min(step, total - items.length)} more
          {noun !== undefined && ` ${noun}`}
        </button>
      )}
      {dropped && (
        <button type="button" class="quiet" onClick={() => void pages.restart()}>
          Back to the start
        </button>
      )}
    </div>
  );
}
