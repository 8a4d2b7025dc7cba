/** Cells that are marked together: from the one where Shift was first held down to the one that has the keyboard. */
import { signal } from '@preact/signals';
import { counted } from '../../../console/format.js';
import { announce } from '../../../console/frame.js';
import { columnLabel } from '../../../console/words.js';

/** @import { RepairRow } from '../api.ts' */

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
