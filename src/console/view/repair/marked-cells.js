/** Cells that are marked together: from the one where Shift was first held down to the one that has the keyboard. */
import { signal } from '@preact/signals';
import { counted } from '../../format.js';
import { announce } from '../../frame.js';
import { columnLabel } from '../../words.js';
import { copiedText } from './clipboard.js';

/** @import { RepairRow } from '../../answers.d.ts' */

/** @typedef {{ name: string, place: number }} Column */
/** @typedef {{ row: number, place: number }} At a cell: number of its row, place of its column */
/** @typedef {{ rows: readonly RepairRow[], columns: readonly Column[] }} Cells */

export class MarkedCells {
  /** Corners; undefined while one cell alone is meant. */
  #corners = signal(/** @type {{ from: At, to: At } | undefined} */ (undefined));
  /** @type {At | undefined} */
  #anchor;
  #isMarking = false;

  /** The keyboard goes to another cell in this, and the cells up to it are marked. @param {() => void} focus */
  mark(focus) {
    this.#isMarking = this.#anchor !== undefined;
    focus();
    this.#isMarking = false;
  }

  /** The cell has the keyboard now. @param {At} at */
  arrive(at) {
    if (!this.#isMarking) this.#anchor = at;
    const from = this.#anchor ?? at;
    this.#corners.value = from.row === at.row && from.place === at.place ? undefined : { from, to: at };
  }

  clear() {
    this.#anchor = undefined;
    this.#corners.value = undefined;
  }

  /** @param {At} at */
  has({ row, place }) {
    const corners = this.#corners.value;
    if (corners === undefined) return false;
    const { from, to } = corners;
    return isBetween(row, from.row, to.row) && isBetween(place, from.place, to.place);
  }

  /** What is marked of these; undefined while one cell alone is meant. @param {Cells} shown @returns {Cells | undefined} */
  of({ rows, columns }) {
    const corners = this.#corners.peek();
    if (corners === undefined) return undefined;
    const { from, to } = corners;
    return {
      rows: rows.filter(({ row }) => isBetween(row, from.row, to.row)),
      columns: columns.filter(({ place }) => isBetween(place, from.place, to.place)),
    };
  }

  /** Says what is marked to those who do not see it. @param {Cells} shown */
  say(shown) {
    const { rows, columns } = this.of(shown) ?? {};
    const [first, last] = [columns?.[0], columns?.at(-1)];
    if (rows === undefined || first === undefined || last === undefined) return;
    announce(
      `${counted(rows.length * (columns?.length ?? 0), 'cell')} marked: ${columnLabel(first.name)}, row ${rows[0]?.line} to ${columnLabel(last.name)}, row ${rows.at(-1)?.line}`,
    );
  }
}

/** @param {number} value @param {number} one @param {number} other */
function isBetween(value, one, other) {
  return value >= Math.min(one, other) && value <= Math.max(one, other);
}

/**
 * What is done to marked cells from a cell of the table; each says whether there were any.
 * @param {import('./repair-rows.js').RepairRows} repair
 * @param {import('./repair-actions.js').RepairActions} actions
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
