/** A table with a caption, which becomes a list of cards where there is little room (table.css). */
import { arrange, fill, h } from './element.js';

/** @import { Child } from './element.js' */

/**
 * @template T
 * @typedef {object} Column
 * @property {string} label
 * @property {(item: T) => Child | readonly Child[]} cell
 * @property {'number' | 'wide' | 'main'} [kind] `main` heads the card and the row
 */

/**
 * Rows are known by their key. One that has not changed is left alone, so that focus and selection stay.
 * @template T
 * @param {object} options
 * @param {string} options.caption
 * @param {readonly Column<T>[]} options.columns
 * @param {(item: T, index: number) => string | number} options.key must tell all rows apart
 * @param {(item: T) => string} [options.rowClass]
 */
export function dataTable({ caption, columns, key, rowClass }) {
  // Roles are said aloud because cards are laid out as blocks, which takes the meaning from table elements.
  const body = h('tbody', { role: 'rowgroup' });
  const head = columns.map(({ label, kind }) => h('th', { scope: 'col', role: 'columnheader', class: kind }, label));
  const element = h(
    'table',
    { role: 'table' },
    h('caption', { class: 'unseen' }, caption),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head)),
    body,
  );
  /** @type {Map<string | number, { row: HTMLTableRowElement, text: string }>} */
  let known = new Map();

  const made = () => {
    const cells = columns.map(({ label, kind }) =>
      kind === 'main'
        ? h('th', { scope: 'row', role: 'rowheader', class: kind, 'data-label': label }, h('div'))
        : h('td', { role: 'cell', class: kind, 'data-label': label }, h('div')),
    );
    return { row: h('tr', { role: 'row' }, cells), text: '' };
  };
  /** @param {readonly T[]} items */
  const show = (items) => {
    /** @type {typeof known} */
    const next = new Map();
    for (const [index, item] of items.entries()) {
      const own = key(item, index);
      const entry = known.get(own) ?? made();
      const text = JSON.stringify(item);
      if (entry.text !== text) {
        entry.text = text;
        if (rowClass !== undefined) entry.row.className = rowClass(item);
        columns.forEach(({ cell }, column) => {
          const place = entry.row.cells[column]?.firstElementChild;
          const content = cell(item);
          if (place instanceof Element) fill(place, ...(Array.isArray(content) ? content : [content]));
        });
      }
      next.set(own, entry);
    }
    known = next;
    arrange(
      body,
      [...next.values()].map(({ row }) => row),
    );
  };
  return { element, show };
}
