/** One cell that can be edited, and the way from cell to cell. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { h } from '../../element.js';
import { columnLabel } from '../../words.js';

/** @import { RepairRow } from '../../answers.d.ts' */
/** @import { Edit, RepairRows } from './repair-rows.js' */

/**
 * @param {object} properties
 * @param {RepairRows} properties.repair
 * @param {RepairRow} properties.row
 * @param {{ name: string, place: number }} properties.column
 * @param {readonly { name: string, place: number }[]} properties.columns that are shown
 * @param {boolean} properties.isReadOnly
 */
export function Cell({ repair, row, column, columns, isReadOnly }) {
  const [draft, setDraft] = useState(/** @type {string | null} */ (null));
  const original = row.cells[column.place] ?? null;
  const now = row.edits[column.name] ?? original ?? '';
  const isEdited = Object.hasOwn(row.edits, column.name);
  const problems = row.state === 'open' ? row.problems : row.left;
  const isWrong = row.state !== 'sent' && problems.some((problem) => problem.column === column.name);
  const keep = () => {
    if (draft === null) return;
    setDraft(null);
    if (draft === now) return;
    repair.latest.value = { row: row.row, column: column.name, from: now, to: draft };
    repair.edit([{ row: row.row, column: column.name, value: draft === original ? null : draft }]);
  };
  const latest = useRef(keep);
  latest.current = keep;
  // The page may be left by keyboard while something is typed.
  useEffect(() => () => latest.current(), []);
  /** @param {import('preact').TargetedKeyboardEvent<HTMLInputElement>} event */
  const onKey = (event) => {
    const step = event.key === 'ArrowDown' || (event.key === 'Enter' && !event.shiftKey) ? 1 : -1;
    if (event.key === 'Enter' || event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      keep();
      neighbour(event.currentTarget, step)?.focus();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      // What was typed goes first, then what was saved.
      if (draft !== null && draft !== now) setDraft(null);
      else if (isEdited) repair.edit([{ row: row.row, column: column.name, value: null }]);
    }
  };
  /** @param {ClipboardEvent} event */
  const onPaste = (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
    if (lines.length === 1 && !text.includes('\t')) return;
    event.preventDefault();
    setDraft(null);
    repair.edit(pasted(repair.rows.peek() ?? [], { row, column, columns }, lines));
  };
  return h('input', {
    type: 'text',
    class: isEdited ? 'edited' : undefined,
    'data-column': String(column.place),
    'aria-label': `${columnLabel(column.name)}, row ${row.line}`,
    'aria-invalid': isWrong || undefined,
    'aria-describedby': `state-${row.row}`,
    value: draft ?? now,
    placeholder:
      original === null && row.problems.some(({ code }) => code === 'CELL_COUNT') ? 'no such cell' : undefined,
    maxLength: 10_000,
    readOnly: isReadOnly || row.state === 'sent',
    spellcheck: false,
    autocapitalize: 'none',
    autocomplete: 'off',
    onInput: ({ currentTarget }) => setDraft(currentTarget.value),
    onFocus: ({ currentTarget }) => {
      currentTarget.select();
      repair.keepPlace(row.row);
    },
    onBlur: keep,
    onKeyDown: onKey,
    onPaste: (event) => !isReadOnly && onPaste(event),
  });
}

/** The cell of the same column in the next row, or the one before. @param {HTMLElement} cell @param {number} step @returns {HTMLElement | null} */
function neighbour(cell, step) {
  const row = cell.closest('tr');
  const next = step > 0 ? row?.nextElementSibling : row?.previousElementSibling;
  return next?.querySelector(`[data-column="${cell.dataset['column']}"]`) ?? null;
}

/**
 * Values from a spreadsheet, from this cell on to the right and downwards.
 * @param {readonly RepairRow[]} rows
 * @param {{ row: RepairRow, column: { place: number }, columns: readonly { name: string, place: number }[] }} from
 * @param {readonly string[]} lines
 * @returns {Edit[]}
 */
function pasted(rows, { row, column, columns }, lines) {
  const first = rows.findIndex((one) => one.row === row.row);
  const left = columns.findIndex((one) => one.place === column.place);
  return lines.flatMap((line, down) => {
    const target = rows[first + down];
    if (target === undefined || target.state === 'sent') return [];
    return line.split('\t').flatMap((text, right) => {
      const into = columns[left + right];
      if (into === undefined) return [];
      const original = target.cells[into.place] ?? null;
      return [{ row: target.row, column: into.name, value: text === original ? null : text }];
    });
  });
}
