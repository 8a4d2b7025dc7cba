import { boundText } from '../../../options/bounds.ts';
import { type Bounds, orRaise } from '../bounds.ts';
import { IntakeError } from '../intake-error.ts';

const NEEDS_QUOTES = /[",\r\n]/;
/** Blank lines that are written at once: a gap may be a million rows. */
const MAX_BLANK = 32 * 1024;

/**
 * The rows of a sheet as CSV, so that everything that is read from CSV is read from workbooks in the same way. A row
 * keeps its number: where a sheet has no row, the text has a blank line.
 */
export class CsvWriter {
  readonly #bounds: Bounds;
  #lines = 0;
  #pieces: string[] = [];

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Whether no row has been added yet. */
  get isEmpty(): boolean {
    return this.#lines === 0;
  }

  /** @param line number of the row in the sheet, higher than the one before */
  add(line: number, cells: readonly string[]): void {
    for (let blank = line - this.#lines - 1; blank > 0; blank -= MAX_BLANK) {
      this.#pieces.push('\n'.repeat(Math.min(blank, MAX_BLANK)));
    }
    this.#lines = line;
    let text = '';
    for (let index = 0; index < cells.length; index += 1) {
      const cell = cells[index] ?? '';
      text += (index === 0 ? '' : ',') + (NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
      // Characters are at most as many as bytes; reading the text counts those.
      if (text.length > this.#bounds.row) throw tooLong(line, this.#bounds);
    }
    this.#pieces.push(`${text}\n`);
  }

  /** Returns the blocks that were written since the last call. */
  take(): Buffer[] {
    const blocks: Buffer[] = [];
    let text = '';
    for (const piece of this.#pieces) {
      text += piece;
      if (text.length < MAX_BLANK) continue;
      blocks.push(Buffer.from(text));
      text = '';
    }
    if (text !== '') blocks.push(Buffer.from(text));
    this.#pieces = [];
    return blocks;
  }
}

function tooLong(line: number, bounds: Bounds): IntakeError {
  return new IntakeError({
    code: 'ROW_TOO_LONG',
    place: `row ${line}`,
    what: `the row is larger than ${boundText('row', bounds.row)}`,
    remedy: orRaise('Shorten its cells', 'row', bounds),
    facts: { row: line, most: bounds.row },
  });
}
