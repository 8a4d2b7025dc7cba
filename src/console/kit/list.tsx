/**
 * The list: rows in columns under a caption, which become cards where there is little room (list.css). Its filter, order,
 * pages and the actions of its rows are properties of it.
 */
import type { ComponentChildren, ComponentProps, TargetedMouseEvent } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { grouped } from '../../text/wording.ts';
import { usePlace } from '../place.ts';
import type { Pages } from '../use-answer.ts';
import { Actions } from './actions.tsx';
import { Empty, Facts, foreign, Pending, Time } from './elements.tsx';
import { type Filter, FilterBar } from './filter.tsx';

export interface Column<T> {
  label: string;
  /** A field of the item, a value from a file or the service, or what is drawn of the item. */
  cell: (keyof T & string) | ((item: T) => ComponentChildren);
  /** `main` heads the card and the row; a `time` is shown by its age. */
  kind?: 'number' | 'time' | 'wide' | 'main' | 'choose' | 'end';
  /** The key by which this column sorts the rows. */
  sort?: string;
  /** The text that the cell stands for: where all rows have the same, it is said once, and there is no column. */
  same?: (item: T) => string;
}

function shownIn<T>({ cell, kind }: Column<T>, item: T): ComponentChildren {
  if (typeof cell === 'function') return cell(item);
  const value: unknown = item[cell];
  if (kind === 'time') return <Time iso={value as string | null} />;
  return typeof value === 'number' ? grouped(value) : foreign(String(value ?? '–'));
}

/** Something below a row that is made when the row is opened. */
interface Unfolded {
  label: string;
  content: () => ComponentChildren;
  /** At first. */
  isOpen?: boolean;
}

interface RowProperties<T> {
  item: T;
  columns: readonly Column<T>[];
  unfold: ((item: T) => Unfolded | undefined) | undefined;
}

/** A row that is drawn again only when its item is another object. */
function Row<T>({ item, columns, unfold }: RowProperties<T>) {
  const [isOpen, open] = useState(() => unfold?.(item)?.isOpen === true);
  return useMemo(() => {
    const below = unfold?.(item);
    return (
      <>
        <tr role="row" onClick={openRow}>
          {columns.map((column, index) => {
            const properties = { class: column.kind, 'data-label': column.label };
            const content = <div>{shownIn(column, item)}</div>;
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
          {unfold !== undefined && (
            <td role="cell" class="end" data-label="Details">
              <div>
                {below !== undefined && (
                  <button
                    type="button"
                    class="quiet opens"
                    aria-expanded={isOpen}
                    aria-label={below.label}
                    onClick={() => open(!isOpen)}
                  />
                )}
              </div>
            </td>
          )}
        </tr>
        {isOpen && below !== undefined && (
          <tr role="row" class="below">
            <td role="cell" class="wide" colSpan={columns.length + 1}>
              {below.content()}
            </td>
          </tr>
        )}
      </>
    );
  }, [item, columns, isOpen]);
}

/** A row opens as a whole, by its own control or by the link that heads it; what is selected in it can be copied. */
function openRow({ target, currentTarget }: TargetedMouseEvent<HTMLTableRowElement>) {
  const isControl = target instanceof Element && target.closest('a, button, input, select, summary, label') !== null;
  if (isControl || getSelection()?.isCollapsed === false) return;
  currentTarget.querySelector<HTMLElement>('.opens, .main a')?.click();
}

interface ListProperties<T> {
  /** The items of a list that comes page by page, or of an answer that comes at once. */
  pages: Pages<T> | { items: readonly T[] | undefined; error: unknown };
  caption: string;
  /** The same array for as long as they show the same. */
  columns: readonly Column<T>[];
  /** Must tell all rows apart. */
  keyOf: (item: T, index: number) => string | number;
  noun: string;
  /** Said where there are no items, and no filter is set. */
  empty: ComponentChildren;
  /** Said until the first page is there. */
  loading?: string;
  /** Its conditions stand above the list, and it has the order of the rows. */
  filter?: Filter | undefined;
  /** Whether its conditions stand above this list, and not above others too. Default: they do. */
  hasBar?: boolean;
  actions?: (item: T) => Omit<ComponentProps<typeof Actions>, 'class'>;
  /** Rows are one line of text and open to all of it; what opens a row, by name. */
  opens?: (item: T) => string;
  /** Something that a row opens to; undefined for a row with nothing more. */
  unfold?: (item: T) => Unfolded | undefined;
  /** Class of the place that the rows scroll in. */
  class?: string;
  children?: ComponentChildren;
}

/** `children` stand between the filter and the rows. */
export function List<T>(properties: ListProperties<T>) {
  const { pages, noun, empty, loading, filter, hasBar = true, children } = properties;
  const { items, error } = 'shown' in pages ? pages.shown : pages;
  const isOld = 'isOld' in pages && pages.isOld;
  const columns = useColumns(properties);
  const values = columns.map((column) => sameIn(column, items));
  const different = useMemo(
    () => columns.filter((_, at) => values[at] === undefined),
    [columns, values.map((value) => value === undefined).join()],
  );
  const none = isOld ? 'Searching …' : filter?.isSet ? `No ${noun} match this filter.` : empty;
  return (
    <>
      {filter !== undefined && hasBar && (
        <FilterBar filter={filter} label={`Filter ${noun}`} conditions={filter.conditions} />
      )}
      <p class="note">
        {columns
          .flatMap(({ label }, at) =>
            values[at] ? (
              <span key={at}>
                {label} {foreign(values[at])}
              </span>
            ) : (
              []
            ),
          )
          .flatMap((said, at) => [at === 0 ? `In all ${noun} shown: ` : ', ', said])}
      </p>
      {children}
      {error !== undefined || items === undefined ? (
        <Pending error={error}>{loading}</Pending>
      ) : items.length === 0 ? (
        <Empty>{none}</Empty>
      ) : (
        <div class={properties.opens ? 'one-line' : properties.class} aria-busy={isOld}>
          <Table {...properties} items={items} columns={different} />
        </div>
      )}
      {error === undefined && 'more' in pages && <MoreButton pages={pages} noun={noun} />}
    </>
  );
}

/** The value of the column if all items have the same; '' may be one. */
export function sameIn<T>({ same }: Column<T>, [first, ...others]: readonly T[] = []) {
  if (same === undefined || first === undefined || others.length === 0) return undefined;
  return others.every((item) => same(item) === same(first)) ? same(first) : undefined;
}

/**
 * Rows are known by their key; those whose item stays the same object are left alone. Roles are said aloud because cards
 * are laid out as blocks, which takes the meaning from table elements.
 */
function Table<T>(properties: ListProperties<T> & { items: readonly T[] }) {
  const { caption, items, keyOf, filter, opens, columns } = properties;
  const whole = (item: T) => <Facts list={columns.map((column) => [column.label, shownIn(column, item)])} />;
  const { unfold = opens && ((item) => ({ label: opens(item), content: () => whole(item) })) } = properties;
  const [first] = columns.flatMap(({ sort }) => sort ?? []);
  const { sort: by = first, order } = filter?.values ?? {};
  return (
    <table role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label, kind, sort }, index) => (
            <th
              key={index}
              scope="col"
              role="columnheader"
              class={kind}
              aria-sort={sort === undefined || sort !== by ? undefined : order === 'desc' ? 'descending' : 'ascending'}
            >
              {sort === undefined || first === undefined ? (
                label
              ) : (
                <button
                  type="button"
                  class="sort"
                  title={`Sort by ${label.toLowerCase()}`}
                  onClick={() => filter?.sortBy(sort, first)}
                >
                  {label}
                </button>
              )}
            </th>
          ))}
          {unfold !== undefined && (
            <th scope="col" role="columnheader" class="end">
              Details
            </th>
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {items.map((item, index) => (
          <Row key={keyOf(item, index)} item={item} columns={columns} unfold={unfold} />
        ))}
      </tbody>
    </table>
  );
}

/** The columns, with that of the actions, which only operators have. */
function useColumns<T>({ columns, actions }: ListProperties<T>) {
  const { isOperator } = usePlace();
  const latest = useRef(actions);
  latest.current = actions;
  return useMemo(() => {
    if (!isOperator || actions === undefined) return columns;
    const cell = (item: T) => latest.current && <Actions class="row-actions row" {...latest.current(item)} />;
    return [...columns, { label: 'Actions', kind: 'end', cell } satisfies Column<T>];
  }, [columns, isOperator, actions === undefined]);
}

export function MoreButton<T>({ pages, noun }: { pages: Pages<T>; noun: string }) {
  const { cursor, dropped } = pages.shown;
  if (cursor === null && dropped === 0) return null;
  const coming = pages.coming === undefined ? 'more' : `${pages.coming} more`;
  return (
    <div class="buttons row more">
      {cursor !== null && (
        <button type="button" onClick={() => void pages.more()}>
          Show {coming} {noun}
        </button>
      )}
      {dropped > 0 && (
        <button type="button" class="quiet" onClick={() => void pages.restart()}>
          Back to the start
        </button>
      )}
    </div>
  );
}
