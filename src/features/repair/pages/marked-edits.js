/** What keys and the clipboard do to marked cells. */
import { copiedText } from './clipboard.js';

/** @import { RepairRow } from '../api.ts' */
/** @import { Cells, Column } from './marked-cells.js' */
/** @import { RepairActions } from './repair-actions.js' */
/** @import { RepairRows } from './repair-rows.js' */

/**
 * What is done to marked cells from a cell of the table; each says whether there were any.
 * @param {RepairRows} repair
 * @param {RepairActions} actions
 * @param {readonly Column[]} columns that are shown
 */
export function marksOf({ marked, rows }, actions, columns) {
  const shown = () => ({ rows: rows.peek() ?? [], columns });
  /** @param {(cells: Cells) => void} task */
  const withMarked = (task) => {
    const cells = marked.of(shown());
    if (cells !== undefined) task(cells);
    return cells !== undefined;
  };
  return {
    /** Up to this cell. @param {HTMLElement} cell */
    mark: (cell) => {
      marked.mark(() => cell.focus());
      marked.say(shown());
    },
    /** The first of them, where lines are pasted. */
    start: () => {
      const cells = marked.of(shown());
      return { row: cells?.rows[0], place: cells?.columns[0]?.place };
    },
    /** One value into all. @param {string} value */
    enter: (value) =>
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
    /** @param {ClipboardEvent} event */
    copy: (event) =>
      withMarked((cells) => {
        event.preventDefault();
        const lines = cells.rows.map((row) => cells.columns.map((column) => valueIn(row, column)));
        event.clipboardData?.setData('text/plain', copiedText(lines));
      }),
  };
}

/** The value of a cell as it is now. @param {RepairRow} row @param {Column} column */
function valueIn(row, { name, place }) {
  return row.edits[name] ?? row.cells[place] ?? '';
}
