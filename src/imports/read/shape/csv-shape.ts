import type { Shape } from '../../../options/shape.ts';
import type { Columns } from '../columns.ts';
import type { InputRow, RowProblem } from '../input-row.ts';
import { compile, type Layout, recognisedBy, requireMatches, sourcedFields } from './compile.ts';
import type { FieldSources } from './field-sources.ts';
import type { Plan } from './plan.ts';
import type { Shaper } from './shaper.ts';
import { unknownColumn } from './unknown-column.ts';

/** The source of an input's memberships, and its number of rows. */
export interface Shaping {
  readonly shape: Shape;
  readonly sources: FieldSources;
  readonly columns: Columns;
  readonly shaper: Shaper;
  readonly hasDefaultGuid: boolean;
  readonly lenient: boolean;
  /** Notified of text that the report repeats. */
  readonly onRepeat: (characters: number) => void;
}

/** Rows of cells, as memberships. */
export class ShapedCells {
  readonly #shaping: Shaping;
  #plan: Plan | undefined;
  rowsRead = 0;

  constructor(shaping: Shaping) {
    this.#shaping = shaping;
  }

  /** To be called when the header is known. Throws the errors of Columns, and BAD_SHAPE. */
  begin(): void {
    const { shape, sources, columns, hasDefaultGuid, lenient } = this.#shaping;
    columns.requireMembership(hasDefaultGuid, sourcedFields(shape, sources));
    const layout: Layout = {
      columns,
      names: () => columns.names,
      has: (name) => columns.positionOf(name) !== -1,
      slotOf: (name, flag) => {
        const slot = columns.positionOf(name.trim());
        if (slot === -1) throw unknownColumn(name, flag, columns.names);
        return slot;
      },
    };
    this.#plan = compile(shape, sources, layout);
    if (!lenient) requireMatches(shape, this.#plan, columns.names);
  }

  /** Returns the number of cells that a row must have: up to the first column of the user, of one group and of the action. */
  needed(): number {
    const plan = this.#plan;
    if (plan === undefined) return 0;
    const group = plan.groups.kind === 'one' ? plan.groups.slots : [];
    const people = plan.people.map(({ source }) => source.slots);
    const least = [...people, group, plan.action?.slots ?? []].map((slots) => Math.min(...slots));
    return 1 + Math.max(-1, ...least.filter(Number.isFinite));
  }

  rows(line: number, cells: readonly string[], problems?: readonly RowProblem[]): InputRow[] {
    if (this.#plan === undefined) throw new Error('a row came before the header');
    const { shaper, onRepeat } = this.#shaping;
    this.rowsRead += 1;
    const original = JSON.stringify(cells);
    const rows = shaper.rows(this.#plan, line, original, () => [cells], problems);
    if (rows.length > 1) onRepeat(original.length * (rows.length - 1));
    return rows;
  }

  recognised() {
    return this.#plan === undefined ? {} : recognisedBy(this.#plan);
  }
}
