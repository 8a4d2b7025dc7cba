/** A table with a caption, which becomes a list of cards where there is little room (table.css). */
import { Component } from 'preact';
import { h } from './element.js';

/** @import { ComponentChildren } from 'preact' */

/**
 * @template T
 * @typedef {object} Column
 * @property {string} label
 * @property {(item: T) => ComponentChildren} cell
 * @property {'number' | 'wide' | 'main' | 'choose'} [kind] `main` heads the card and the row
 * @property {string} [sort] what the rows can be sorted by here
 * @property {string} [sortLabel] what that is called, where it is not the label
 */

/**
 * @template T
 * @typedef {object} RowProperties
 * @property {T} item
 * @property {readonly Column<T>[]} columns
 * @property {string} kind
 */

/**
 * A row that is drawn again only when its item is another object.
 * @template T
 * @extends {Component<RowProperties<T>>}
 */
class Row extends Component {
  /** @override @param {RowProperties<T>} next */
  shouldComponentUpdate(next) {
    const { item, columns, kind } = this.props;
    return item !== next.item || columns !== next.columns || kind !== next.kind;
  }

  /** @override */
  render() {
    const { item, columns, kind } = this.props;
    return h(
      'tr',
      { role: 'row', class: kind },
      columns.map((column, index) => {
        const properties = { class: column.kind, 'data-label': column.label };
        const content = h('div', null, column.cell(item));
        return column.kind === 'main'
          ? h('th', { key: index, ...properties, scope: 'row', role: 'rowheader' }, content)
          : h('td', { key: index, ...properties, role: 'cell' }, content);
      }),
    );
  }
}

/**
 * Rows are known by their key; those whose item stays the same object are left alone. Roles are said aloud because cards
 * are laid out as blocks, which takes the meaning from table elements.
 * @template T
 * @param {object} properties
 * @param {string} properties.caption
 * @param {readonly Column<T>[]} properties.columns the same array for as long as they show the same
 * @param {readonly T[]} properties.items
 * @param {(item: T, index: number) => string | number} properties.keyOf must tell all rows apart
 * @param {(item: T) => string} [properties.rowClass]
 * @param {{ by: string, descending: boolean }} [properties.sorted]
 * @param {(by: string) => void} [properties.onSort]
 */
export function dataTable({ caption, columns, items, keyOf, rowClass, sorted, onSort }) {
  return h(
    'table',
    { role: 'table' },
    h('caption', { class: 'unseen' }, caption),
    h(
      'thead',
      { role: 'rowgroup' },
      h(
        'tr',
        { role: 'row' },
        columns.map(({ label, kind, sort, sortLabel = label }, index) => {
          const isSorted = sort !== undefined && sorted?.by === sort;
          const direction = isSorted ? (sorted.descending ? 'descending' : 'ascending') : undefined;
          return h(
            'th',
            { key: index, scope: 'col', role: 'columnheader', class: kind, 'aria-sort': direction },
            sort === undefined || onSort === undefined
              ? label
              : h(
                  'button',
                  {
                    type: 'button',
                    class: 'sort',
                    title: `Sort by ${sortLabel.toLowerCase()}`,
                    onClick: () => onSort(sort),
                  },
                  sortLabel,
                  h('span', { 'aria-hidden': true }, isSorted ? (sorted.descending ? ' ↓' : ' ↑') : ''),
                ),
          );
        }),
      ),
    ),
    h(
      'tbody',
      { role: 'rowgroup' },
      items.map((item, index) =>
        h(/** @type {typeof Row<T>} */ (Row), {
          key: keyOf(item, index),
          item,
          columns,
          kind: rowClass?.(item) ?? '',
        }),
      ),
    ),
  );
}
