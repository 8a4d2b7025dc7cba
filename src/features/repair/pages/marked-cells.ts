/** Cells that are marked together: from the one where Shift was first held down to the one that has the keyboard. */
import { signal } from '@preact/signals';
import { announce } from '../../../console/frame.tsx';
import { columnLabel } from '../../../console/import-words.ts';
import { counted } from '../../../text/wording.ts';
import type { RepairRow } from '../api.ts';

export type Column = { name: string; place: number };
/** A cell: number of its row, place of its column. */
type At = { row: number; place: number };
export type Cells = { rows: readonly RepairRow[]; columns: readonly Column[] };

export class MarkedCells {
  /** Corners; undefined while one cell alone is meant. */
  #corners = signal<{ from: At; to: At } | undefined>(undefined);
  #anchor: At | undefined;
  #isMarking = false;

  /** The keyboard goes to another cell in this, and the cells up to it are marked. */
  mark(focus: () => void) {
    this.#isMarking = this.#anchor !== undefined;
    focus();
    this.#isMarking = false;
  }

  /** The cell has the keyboard now. */
  arrive(at: At) {
    if (!this.#isMarking) this.#anchor = at;
    const from = this.#anchor ?? at;
    this.#corners.value = from.row === at.row && from.place === at.place ? undefined : { from, to: at };
  }

  clear() {
    this.#anchor = undefined;
    this.#corners.value = undefined;
  }

  has({ row, place }: At) {
    const corners = this.#corners.value;
    if (corners === undefined) return false;
    const { from, to } = corners;
    return isBetween(row, from.row, to.row) && isBetween(place, from.place, to.place);
  }

  /** Returns the marked part of these cells; undefined while one cell alone is meant. */
  of({ rows, columns }: Cells): Cells | undefined {
    const corners = this.#corners.peek();
    if (corners === undefined) return undefined;
    const { from, to } = corners;
    return {
      rows: rows.filter(({ row }) => isBetween(row, from.row, to.row)),
      columns: columns.filter(({ place }) => isBetween(place, from.place, to.place)),
    };
  }

  /** Says what is marked to those who do not see it. */
  say(shown: Cells) {
    const { rows, columns } = this.of(shown) ?? {};
    const [first, last] = [columns?.[0], columns?.at(-1)];
    if (rows === undefined || first === undefined || last === undefined) return;
    announce(
      `${counted(rows.length * (columns?.length ?? 0), 'cell')} marked: ${columnLabel(first.name)}, row ${rows[0]?.line} to ${columnLabel(last.name)}, row ${rows.at(-1)?.line}`,
    );
  }
}

function isBetween(value: number, one: number, other: number) {
  return value >= Math.min(one, other) && value <= Math.max(one, other);
}
