import { IntakeError } from '../intake-error.ts';
import { columnOf, type NumberKind, numberText, PLAIN, unescaped } from './cell-text.ts';
import type { MergedArea } from './merged-areas.ts';
import { address, type Warnings } from './warnings.ts';
import { type Attributes, broken, checkLength, XmlReader } from './xml.ts';

const MAX_COLUMNS = 16_384;
export const MAX_ROWS = 1_048_576;

/** The parts of a workbook that one of its sheets needs. */
interface SheetSurroundings {
  /** Shared text by number. */
  readonly textOf: (index: number) => string | undefined;
  /** The number formats of the cell styles. */
  readonly formats: readonly NumberKind[];
  readonly from1904: boolean;
}

/** Counts of a sheet's contents beside its cells. */
export interface SheetCounts {
  /** Rows that are hidden, by a filter or by hand. */
  hiddenRows: number;
  /** Formulas without a value; the first cell. */
  emptyFormulas: number;
  firstEmptyFormula: string;
  /** Cells that got the value of the merged area that they are in. */
  filled: number;
}

export function noCounts(): SheetCounts {
  return { hiddenRows: 0, emptyFormulas: 0, firstEmptyFormula: '', filled: 0 };
}

interface SheetOptions extends SheetSurroundings {
  readonly name: string;
  readonly merged: ReadonlyMap<number, readonly MergedArea[]>;
  readonly warnings: Warnings;
  readonly counts: SheetCounts;
  /** Called for every row with a filled cell, in order: its number, and the cells up to the last one that is filled. */
  readonly onRow: (line: number, cells: readonly string[]) => void;
}

/** Reads the XML of one sheet. Formulas are not computed, and nothing they refer to is opened: their stored values are used. */
export class SheetReader {
  readonly #options: SheetOptions;
  readonly #xml: XmlReader;
  #inRows = false;
  #line = 0;
  #isHidden = false;
  #column = -1;
  #type = '';
  #format: NumberKind = PLAIN;
  #hasFormula = false;
  /** Whether the text that comes next belongs to the cell: of `v`, and of `t` in a text that is not a reading aid. */
  #reading = false;
  #inReadingAid = false;
  #text = '';
  #cells: string[] = [];
  #lastFilled = -1;
  /** Merged areas that continue below the previous row, with their values. */
  #open: (MergedArea & { readonly value: string })[] = [];

  constructor(options: SheetOptions) {
    this.#options = options;
    this.#xml = new XmlReader(`sheet ${JSON.stringify(options.name)}`, {
      open: (name, attributes) => this.#opened(name, attributes),
      close: (name) => this.#closed(name),
      text: (text) => {
        if (!this.#reading) return;
        this.#text += text;
        checkLength(this.#text, address(this.#line, this.#column));
      },
    });
  }

  write(block: Buffer): void {
    this.#xml.write(block);
  }

  end(): void {
    this.#xml.end();
  }

  #opened(name: string, attributes: Attributes): void {
    if (name === 'sheetData') this.#inRows = true;
    if (!this.#inRows) return;
    switch (name) {
      case 'row':
        this.#openRow(attributes);
        break;
      case 'c':
        this.#openCell(attributes);
        break;
      case 'f':
        this.#hasFormula = true;
        break;
      case 'rPh':
        this.#inReadingAid = true;
        break;
      case 'v':
        this.#reading = this.#type !== 'inlineStr';
        break;
      case 't':
        this.#reading = this.#type === 'inlineStr' && !this.#inReadingAid;
        break;
      default:
    }
  }

  #closed(name: string): void {
    if (!this.#inRows) return;
    switch (name) {
      case 'v':
      case 't':
        this.#reading = false;
        break;
      case 'rPh':
        this.#inReadingAid = false;
        break;
      case 'c':
        this.#closeCell();
        break;
      case 'row':
        this.#closeRow();
        break;
      case 'sheetData':
        this.#inRows = false;
        break;
      default:
    }
  }

  #openRow(attributes: Attributes): void {
    const { r } = attributes;
    const line = r === undefined ? this.#line + 1 : Number(r);
    if (!(line > this.#line && line <= MAX_ROWS)) {
      const what = `row ${JSON.stringify(r ?? String(line))} comes after row ${this.#line}; rows go up to ${MAX_ROWS}`;
      throw broken(`sheet ${JSON.stringify(this.#options.name)}`, what);
    }
    this.#line = line;
    this.#isHidden = attributes['hidden'] === '1' || attributes['hidden'] === 'true';
    this.#column = -1;
    this.#cells = [];
    this.#lastFilled = -1;
  }

  #openCell({ r, t = 'n', s }: Attributes): void {
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (column <= this.#column || column >= MAX_COLUMNS) {
      const what = `cell ${JSON.stringify(r ?? '')} is in the wrong place; columns go up to XFD, from left to right`;
      throw broken(`sheet ${JSON.stringify(this.#options.name)}, row ${this.#line}`, what);
    }
    this.#column = column;
    this.#type = t;
    this.#format = s === undefined ? PLAIN : (this.#options.formats[Number(s)] ?? PLAIN);
    this.#hasFormula = false;
    this.#text = '';
  }

  #closeCell(): void {
    const text = this.#cellText();
    if (this.#hasFormula && this.#text === '' && this.#type !== 'str') {
      this.#options.counts.emptyFormulas += 1;
      if (this.#options.counts.emptyFormulas === 1)
        this.#options.counts.firstEmptyFormula = address(this.#line, this.#column);
    }
    if (text === '') return;
    while (this.#cells.length < this.#column) this.#cells.push('');
    this.#cells.push(text);
    if (text.trim() !== '') this.#lastFilled = this.#column;
  }

  #cellText(): string {
    const { warnings, textOf, from1904 } = this.#options;
    const written = this.#text;
    switch (this.#type) {
      case 's': {
        const text = written === '' ? '' : textOf(Number(written));
        if (text === undefined) {
          const place = `sheet ${JSON.stringify(this.#options.name)}, ${address(this.#line, this.#column)}`;
          throw broken(place, `there is no shared text number ${JSON.stringify(written)}`);
        }
        warnings.text(text, this.#line, this.#column);
        return text;
      }
      case 'inlineStr':
      case 'str': {
        const text = unescaped(written);
        warnings.text(text, this.#line, this.#column);
        return text;
      }
      case 'b':
        warnings.boolean(this.#line, this.#column);
        return written.trim() === '1' || written.trim() === 'true' ? 'TRUE' : 'FALSE';
      case 'e':
        return written;
      case 'd':
        warnings.date(this.#line, this.#column);
        return written;
      default:
        return this.#number(written, from1904);
    }
  }

  #number(written: string, from1904: boolean): string {
    if (written === '') return '';
    const text = numberText(written, this.#format, from1904);
    const { kind } = this.#format;
    if (kind === 'date' || kind === 'time') this.#options.warnings.date(this.#line, this.#column);
    else if (kind === 'plain') this.#options.warnings.number(text, this.#line, this.#column);
    return text;
  }

  #closeRow(): void {
    const line = this.#line;
    const isFilled = this.#lastFilled !== -1;
    if (isFilled) {
      if (this.#isHidden) this.#options.counts.hiddenRows += 1;
      if (this.#cells.length > this.#lastFilled + 1) this.#cells.length = this.#lastFilled + 1;
    }
    this.#fillMerged(isFilled);
    if (isFilled) this.#options.onRow(line, this.#cells);
  }

  /** The value of a merged area holds for each of its rows, in its first column; a row with nothing else stays empty. */
  #fillMerged(isFilled: boolean): void {
    const line = this.#line;
    if (this.#open.length > 0) {
      this.#open = this.#open.filter(({ bottom }) => bottom >= line);
      for (const { column, value } of isFilled ? this.#open : []) {
        if ((this.#cells[column] ?? '') !== '') continue;
        while (this.#cells.length <= column) this.#cells.push('');
        this.#cells[column] = value;
        this.#options.counts.filled += 1;
      }
    }
    for (const area of this.#options.merged.get(line) ?? []) {
      const value = this.#cells[area.column] ?? '';
      if (value !== '') this.#open.push({ ...area, value });
    }
  }
}

/** Refuses more cells in a row than a sheet can have; for formats that repeat a cell by a number. */
export function checkColumns(count: number, place: string): void {
  if (count <= MAX_COLUMNS) return;
  throw new IntakeError({
    code: 'TOO_MANY_COLUMNS',
    place,
    what: `there are ${count} columns; a sheet has up to ${MAX_COLUMNS}`,
    remedy: 'Delete the columns that are not needed',
    facts: { count, most: MAX_COLUMNS },
  });
}
