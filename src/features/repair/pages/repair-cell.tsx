/** One cell that can be edited, and the way from cell to cell: the keys of a spreadsheet. */
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { columnLabel } from '../../../console/import-words.ts';
import type { RepairRow } from '../api.ts';
import { copiedText, pastedLines } from './clipboard.ts';
import type { Cells, Column } from './marked-cells.ts';
import type { RepairRows } from './repair-rows.ts';
import type { RepairActions } from './repair-tools.tsx';

/** Rows that Page Up and Page Down go. */
const PAGE_ROWS = 10;

/** Rows and columns that a key goes; Infinity: to the last. */
const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
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

interface CellProperties {
  repair: RepairRows;
  actions: RepairActions;
  row: RepairRow;
  column: { name: string; place: number };
  /** The columns that are shown. */
  columns: readonly { name: string; place: number }[];
  isReadOnly: boolean;
}

export function Cell(properties: CellProperties) {
  const { repair, actions, row, column, columns } = properties;
  const cell = useCell(properties);
  const { original, now, isFixed, marks, typing } = cell;
  const { draft, setDraft, isInside, setInside, leave } = typing;
  const onPaste = (event: ClipboardEvent) => {
    const lines = pastedLines(event.clipboardData?.getData('text/plain') ?? '');
    const [first = []] = lines;
    if (isFixed) return;
    if (lines.length === 1 && first.length === 1) {
      // Into one cell, the browser pastes.
      if (!isInside && marks.enter(first[0] ?? '')) event.preventDefault();
      return;
    }
    event.preventDefault();
    setDraft(null);
    const { row: to = row, place = column.place } = isInside ? {} : marks.start();
    actions.paste(lines, to, namesFrom(columns, place));
  };
  return (
    <input
      type="text"
      class={`${Object.hasOwn(row.edits, column.name) ? 'edited' : ''} ${repair.marked.has({ row: row.row, place: column.place }) ? 'marked' : ''}`.trim()}
      data-column={String(column.place)}
      aria-label={`${columnLabel(column.name)}, row ${row.line}`}
      aria-invalid={isWrong(row, column.name) || undefined}
      aria-describedby={`state-${row.row}`}
      value={draft ?? now}
      placeholder={
        original === null && row.problems.some(({ code }) => code === 'CELL_COUNT') ? 'no such cell' : undefined
      }
      maxLength={10_000}
      readOnly={isFixed}
      spellcheck={false}
      autocapitalize="none"
      autocomplete="off"
      onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      onFocus={({ currentTarget }) => {
        currentTarget.select();
        repair.marked.arrive({ row: row.row, place: column.place });
        repair.keepPlace({ row, column: column.name });
      }}
      // The first click chooses the cell, the second one goes into it.
      onMouseDown={(event) => {
        if (document.activeElement === event.currentTarget) return setInside(true);
        event.preventDefault();
        if (event.shiftKey) marks.mark(event.currentTarget);
        else event.currentTarget.focus();
      }}
      onBlur={leave}
      onKeyDown={(event) => {
        if (!event.isComposing && took(event, cell)) event.preventDefault();
      }}
      onPaste={onPaste}
      onCopy={(event) => !isInside && marks.copy(event)}
    />
  );
}

/** The value of a cell, and how it is changed. */
function useCell({ repair, actions, row, column, columns, isReadOnly }: CellProperties) {
  const original = row.cells[column.place] ?? null;
  const now = row.edits[column.name] ?? original ?? '';
  const isFixed = isReadOnly || row.state === 'sent';
  const enter = (value: string) => {
    if (value === now) return;
    repair.latest.value = { row: row.row, column: column.name, from: now, to: value };
    repair.edit([{ row: row.row, column: column.name, value: value === original ? null : value }]);
  };
  const marks = marksOf(repair, actions, columns);
  return { repair, actions, original, now, isFixed, enter, marks, typing: useTyping(repair, now, enter) };
}

/** @returns whether a key was for the cell */
function took(
  event: TargetedKeyboardEvent<HTMLInputElement>,
  { repair, actions, now, isFixed, enter, marks, typing }: ReturnType<typeof useCell>,
): boolean {
  const { key, shiftKey, ctrlKey, metaKey, altKey, currentTarget } = event;
  const isControl = ctrlKey || metaKey;
  const isRedo = isControl && ((shiftKey && key.toLowerCase() === 'z') || (!shiftKey && key === 'y'));
  const isTyping = typing.isInside || typing.draft !== null;
  const step = isTyping ? undefined : STEPS[isControl ? `Ctrl+${key}` : key];
  if (altKey || (shiftKey && key !== 'Enter' && !isRedo && step === undefined)) return false;
  if (isTyping) return typing.took(event);
  if (step !== undefined && shiftKey) void go(repair, currentTarget, step, marks.mark);
  else if (step !== undefined) void go(repair, currentTarget, step);
  else if (isFixed) return false;
  else if (isRedo) actions.undo('redo');
  else if (isControl && key === 'z') actions.undo('undo');
  else if (isControl && key === 'd') {
    const above = cellAt(currentTarget, [-1, 0]);
    if (!marks.fill() && above !== currentTarget) enter(above.value);
  } else if (isControl) return false;
  else if (key === 'Delete' || key === 'Backspace') {
    if (!marks.enter('')) enter('');
  } else if (key === 'Enter' || key === 'F2') {
    typing.setInside(true);
    currentTarget.setSelectionRange(now.length, now.length);
  } else return false;
  return true;
}

function isWrong({ state, problems, left }: RepairRow, column: string): boolean {
  return state !== 'sent' && (state === 'open' ? problems : left).some((problem) => problem.column === column);
}

/** The text that is typed into a cell, until it is entered. */
function useTyping(repair: RepairRows, now: string, enter: (value: string) => void) {
  const [draft, showDraft] = useState<string | null>(null);
  /** The same at once: going on with a key leaves the cell twice before it is drawn again. */
  const typed = useRef<string | null>(null);
  const setDraft = (text: string | null) => {
    typed.current = text;
    showDraft(text);
  };
  /** Keys move in the text, not from cell to cell. */
  const [isInside, setInside] = useState(false);
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
  /** @returns whether the key ends the typing */
  const took = ({ key, shiftKey, ctrlKey, metaKey, currentTarget }: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (key === 'Escape') {
      setDraft(null);
      setInside(false);
      // It shows the value from before and is selected at once: the next key may come before it is drawn again.
      currentTarget.value = now;
      currentTarget.select();
    } else if (!(ctrlKey || metaKey) && (key === 'Enter' || key === 'ArrowDown' || key === 'ArrowUp')) {
      leave();
      go(repair, currentTarget, [key === 'ArrowUp' || shiftKey ? -1 : 1, 0]);
    } else return false;
    return true;
  };
  return { draft, setDraft, isInside, setInside, leave, took };
}

function namesFrom(columns: CellProperties['columns'], place: number): string[] {
  return columns.slice(columns.findIndex((one) => one.place === place)).map(({ name }) => name);
}

/** Goes to a cell; below the last row that is shown, to the first one of the next page. */
async function go(
  repair: RepairRows,
  cell: HTMLInputElement,
  step: readonly [number, number],
  arrive: (cell: HTMLInputElement) => void = (next) => next.focus(),
) {
  const next = cellAt(cell, step);
  if (next === cell && step[0] > 0 && repair.hasMore.peek()) {
    await repair.more();
    arrive(cellAt(cell, step));
  } else arrive(next);
}

/** The cell so many rows down and columns to the right, or the last one on the way. */
function cellAt(cell: HTMLInputElement, [down, right]: readonly [down: number, right: number]): HTMLInputElement {
  const row = cell.closest('tr');
  const rows = [...(row?.parentElement?.children ?? [])];
  const target = near(rows, row, down);
  const cells = [...(row?.querySelectorAll('input[data-column]') ?? [])] as HTMLInputElement[];
  const place = near(cells, cell, right)?.dataset['column'];
  return target?.querySelector(`input[data-column="${place}"]`) ?? cell;
}

function near<T>(items: readonly T[], item: T | null, by: number) {
  const from = item === null ? -1 : items.indexOf(item);
  return items[Math.min(items.length - 1, Math.max(0, from + by))];
}

/**
 * Actions on marked cells from a cell of the table; each returns whether there were any.
 * @param columns that are shown
 */
function marksOf({ marked, rows }: RepairRows, actions: RepairActions, columns: readonly Column[]) {
  const shown = () => ({ rows: rows.peek() ?? [], columns });
  const withMarked = (task: (cells: Cells) => void) => {
    const cells = marked.of(shown());
    if (cells !== undefined) task(cells);
    return cells !== undefined;
  };
  return {
    /** Up to this cell. */
    mark: (cell: HTMLElement) => {
      marked.mark(() => cell.focus());
      marked.say(shown());
    },
    /** The first of them, where lines are pasted. */
    start: () => {
      const cells = marked.of(shown());
      return { row: cells?.rows[0], place: cells?.columns[0]?.place };
    },
    /** One value into all. */
    enter: (value: string) =>
      withMarked((cells) =>
        actions.enter(
          cells,
          cells.rows.map(() => cells.columns.map(() => value)),
        ),
      ),
    /** The values of the first row into those below. */
    fill: () =>
      withMarked((cells) => {
        const [first] = cells.rows;
        const line = cells.columns.map((column) => (first === undefined ? '' : valueIn(first, column)));
        actions.enter(
          cells,
          cells.rows.map(() => line),
        );
      }),
    copy: (event: ClipboardEvent) =>
      withMarked((cells) => {
        event.preventDefault();
        const lines = cells.rows.map((row) => cells.columns.map((column) => valueIn(row, column)));
        event.clipboardData?.setData('text/plain', copiedText(lines));
      }),
  };
}

/** The value of a cell as it is now. */
function valueIn(row: RepairRow, { name, place }: Column) {
  return row.edits[name] ?? row.cells[place] ?? '';
}
