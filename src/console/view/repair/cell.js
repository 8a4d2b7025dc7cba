/** One cell that can be edited, and the way from cell to cell: the keys of a spreadsheet. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { h } from '../../element.js';
import { columnLabel } from '../../words.js';
import { copiedText, pastedLines } from './clipboard.js';
import { valueIn } from './marked-cells.js';

/** @import { RepairRow } from '../../answers.d.ts' */
/** @import { RepairActions } from './repair-actions.js' */
/** @import { RepairRows } from './repair-rows.js' */

/** Rows that Page Up and Page Down go. */
const PAGE_ROWS = 10;

/** Rows and columns that a key goes; Infinity: to the last. @type {Readonly<Record<string, readonly [down: number, right: number]>>} */
const STEPS = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [PAGE_ROWS, 0],
  PageUp: [-PAGE_ROWS, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
  'Ctrl+Home': [-Infinity, -Infinity],
  'Ctrl+End': [Infinity, Infinity],
};

/**
 * @param {object} properties
 * @param {RepairRows} properties.repair
 * @param {RepairActions} properties.actions
 * @param {RepairRow} properties.row
 * @param {{ name: string, place: number }} properties.column
 * @param {readonly { name: string, place: number }[]} properties.columns that are shown
 * @param {boolean} properties.isReadOnly
 */
export function Cell({ repair, actions, row, column, columns, isReadOnly }) {
  const [draft, showDraft] = useState(/** @type {string | null} */ (null));
  /** The same at once: going on with a key leaves the cell twice before it is drawn again. */
  const typed = useRef(/** @type {string | null} */ (null));
  /** @param {string | null} text */
  const setDraft = (text) => {
    typed.current = text;
    showDraft(text);
  };
  /** Keys move in the text, not from cell to cell. */
  const [isInside, setInside] = useState(false);
  const original = row.cells[column.place] ?? null;
  const now = row.edits[column.name] ?? original ?? '';
  const isEdited = Object.hasOwn(row.edits, column.name);
  const problems = row.state === 'open' ? row.problems : row.left;
  const isWrong = row.state !== 'sent' && problems.some((problem) => problem.column === column.name);
  const isFixed = isReadOnly || row.state === 'sent';
  /** @param {string} value */
  const enter = (value) => {
    if (value === now) return;
    repair.latest.value = { row: row.row, column: column.name, from: now, to: value };
    repair.edit([{ row: row.row, column: column.name, value: value === original ? null : value }]);
  };
  const leave = () => {
    const text = typed.current;
    setInside(false);
    setDraft(null);
    if (text !== null) enter(text);
  };
  const latest = useRef(leave);
  latest.current = leave;
  // The page may be left by keyboard while something is typed.
  useEffect(() => () => latest.current(), []);
  const shown = () => ({ rows: repair.rows.peek() ?? [], columns });
  /** Cells that are marked together and can be edited. */
  const marked = () => repair.marked.of(shown());
  /** @param {HTMLElement} cell */
  const mark = (cell) => {
    repair.marked.mark(() => cell.focus());
    repair.marked.say(shown());
  };
  /** @param {import('preact').TargetedKeyboardEvent<HTMLInputElement>} event @returns {boolean} whether the key was for this */
  const took = ({ key, shiftKey, ctrlKey, metaKey, altKey, currentTarget }) => {
    const isControl = ctrlKey || metaKey;
    const isRedo = isControl && ((shiftKey && key.toLowerCase() === 'z') || (!shiftKey && key === 'y'));
    const isTyping = isInside || draft !== null;
    const step = isTyping ? undefined : STEPS[isControl ? `Ctrl+${key}` : key];
    if (altKey || (shiftKey && key !== 'Enter' && !isRedo && step === undefined)) return false;
    if (isTyping) {
      if (key === 'Escape') {
        setDraft(null);
        setInside(false);
        // Selected once it shows the value from before.
        requestAnimationFrame(() => currentTarget.select());
      } else if (!isControl && (key === 'Enter' || key === 'ArrowDown' || key === 'ArrowUp')) {
        leave();
        go(repair, currentTarget, [key === 'ArrowUp' || shiftKey ? -1 : 1, 0]);
      } else return false;
      return true;
    }
    const cells = marked();
    if (step !== undefined && shiftKey) void go(repair, currentTarget, step, mark);
    else if (step !== undefined) void go(repair, currentTarget, step);
    else if (isFixed) return false;
    else if (isRedo) actions.undo('redo');
    else if (isControl && key === 'z') actions.undo('undo');
    else if (cells !== undefined && isControl && key === 'd') {
      const [first] = cells.rows;
      const line = first === undefined ? [] : cells.columns.map((one) => valueIn(first, one));
      actions.enter(
        cells,
        cells.rows.map(() => line),
      );
    } else if (isControl && key === 'd') {
      const above = cellAt(currentTarget, [-1, 0]);
      if (above !== currentTarget) enter(above.value);
    } else if (isControl) return false;
    else if (cells !== undefined && (key === 'Delete' || key === 'Backspace')) {
      actions.enter(cells, filledWith(cells, ''));
    } else if (key === 'Delete' || key === 'Backspace') enter('');
    else if (key === 'Enter' || key === 'F2') {
      setInside(true);
      currentTarget.setSelectionRange(now.length, now.length);
    } else return false;
    return true;
  };
  /** @param {ClipboardEvent} event */
  const onPaste = (event) => {
    const lines = pastedLines(event.clipboardData?.getData('text/plain') ?? '');
    const cells = isInside ? undefined : marked();
    const single = lines.length === 1 && lines[0]?.length === 1 ? (lines[0][0] ?? '') : undefined;
    if (isFixed || (single !== undefined && cells === undefined)) return;
    event.preventDefault();
    setDraft(null);
    if (single !== undefined && cells !== undefined) return actions.enter(cells, filledWith(cells, single));
    const place = cells?.columns[0]?.place ?? column.place;
    const from = columns.findIndex((one) => one.place === place);
    actions.paste(
      lines,
      cells?.rows[0] ?? row,
      columns.slice(from).map(({ name }) => name),
    );
  };
  /** @param {ClipboardEvent} event */
  const onCopy = (event) => {
    const cells = isInside ? undefined : marked();
    if (cells === undefined) return;
    event.preventDefault();
    const lines = cells.rows.map((one) => cells.columns.map((other) => valueIn(one, other)));
    event.clipboardData?.setData('text/plain', copiedText(lines));
  };
  return h('input', {
    type: 'text',
    class:
      `${isEdited ? 'edited' : ''} ${repair.marked.has({ row: row.row, place: column.place }) ? 'marked' : ''}`.trim(),
    'data-column': String(column.place),
    'aria-label': `${columnLabel(column.name)}, row ${row.line}`,
    'aria-invalid': isWrong || undefined,
    'aria-describedby': `state-${row.row}`,
    value: draft ?? now,
    placeholder:
      original === null && row.problems.some(({ code }) => code === 'CELL_COUNT') ? 'no such cell' : undefined,
    maxLength: 10_000,
    readOnly: isFixed,
    spellcheck: false,
    autocapitalize: 'none',
    autocomplete: 'off',
    onInput: ({ currentTarget }) => setDraft(currentTarget.value),
    onFocus: ({ currentTarget }) => {
      currentTarget.select();
      repair.marked.arrive({ row: row.row, place: column.place });
      repair.keepPlace({ row, column: column.name });
    },
    // The first click chooses the cell, the second one goes into it.
    onMouseDown: (event) => {
      if (document.activeElement === event.currentTarget) return setInside(true);
      event.preventDefault();
      if (event.shiftKey) mark(event.currentTarget);
      else event.currentTarget.focus();
    },
    onBlur: leave,
    onKeyDown: (event) => {
      if (!event.isComposing && took(event)) event.preventDefault();
    },
    onPaste,
    onCopy,
  });
}

/**
 * Goes to a cell; below the last row that is shown, to the first one of the next page.
 * @param {RepairRows} repair
 * @param {HTMLInputElement} cell
 * @param {readonly [number, number]} step
 * @param {(cell: HTMLInputElement) => void} [arrive]
 */
async function go(repair, cell, step, arrive = (next) => next.focus()) {
  const next = cellAt(cell, step);
  if (next === cell && step[0] > 0 && repair.hasMore.peek()) {
    await repair.more();
    arrive(cellAt(cell, step));
  } else arrive(next);
}

/** The same value for each of these cells. @param {import('./marked-cells.js').Cells} cells @param {string} value */
function filledWith({ rows, columns }, value) {
  return rows.map(() => columns.map(() => value));
}

/** The cell so many rows down and columns to the right, or the last one on the way. @param {HTMLInputElement} cell @param {readonly [down: number, right: number]} step @returns {HTMLInputElement} */
function cellAt(cell, [down, right]) {
  const row = cell.closest('tr');
  const rows = [...(row?.parentElement?.children ?? [])];
  const target = near(rows, row, down);
  const cells = /** @type {HTMLInputElement[]} */ ([...(row?.querySelectorAll('input[data-column]') ?? [])]);
  const place = near(cells, cell, right)?.dataset['column'];
  return target?.querySelector(`input[data-column="${place}"]`) ?? cell;
}

/** @template T @param {readonly T[]} items @param {T | null} item @param {number} by */
function near(items, item, by) {
  const from = item === null ? -1 : items.indexOf(item);
  return items[Math.min(items.length - 1, Math.max(0, from + by))];
}
