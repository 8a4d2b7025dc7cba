/** The effects of keys and the clipboard on marked cells. */
import type { RepairRow } from '../api.ts';
import { copiedText } from './clipboard.ts';
import type { Cells, Column } from './marked-cells.ts';
import type { RepairActions } from './repair-actions.ts';
import type { RepairRows } from './repair-rows.ts';

/**
 * Actions on marked cells from a cell of the table; each returns whether there were any.
 * @param columns that are shown
 */
export function marksOf({ marked, rows }: RepairRows, actions: RepairActions, columns: readonly Column[]) {
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
