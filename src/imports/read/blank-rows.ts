import { counted } from '../../text/wording.ts';
import type { IntakeNote } from './intake-note.ts';

/** Rows of delimiters alone that a note names. */
const MAX_NAMED = 3;

/** Rows of a CSV file that have cells, all of them empty: they ask for nothing, and no report has them. */
export class BlankRows {
  readonly #first: number[] = [];
  #count = 0;

  /** @param row its number, as a spreadsheet counts */
  add(row: number): void {
    this.#count += 1;
    if (this.#count <= MAX_NAMED) this.#first.push(row);
  }

  notes(): IntakeNote[] {
    if (this.#count === 0) return [];
    const named = this.#first.join(', ');
    const [places, verdict] =
      this.#count === 1
        ? [`row ${named}`, 'counts as a blank line: it has no outcome']
        : [
            `rows ${named}${this.#count > MAX_NAMED ? ' and others' : ''}`,
            'count as blank lines: they have no outcome',
          ];
    const text = `${counted(this.#count, 'row')} of empty cells alone (${places}) ${verdict}`;
    return [{ code: 'BLANK_ROWS', text }];
  }
}
