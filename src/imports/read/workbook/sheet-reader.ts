import { tooMany } from '../intake-error.ts';
import { columnOf, type NumberKind, numberText, PLAIN, unescaped } from './cell-text.ts';
import { address, MAX_COLUMNS, MAX_ROWS, type SheetRows } from './workbook.ts';
import { type Attributes, broken, checkLength, type XmlHandlers } from './xml.ts';

/** The sheet of an Excel workbook, and the parts of the workbook that it needs. */
interface SheetOptions {
  readonly rows: SheetRows;
  /** Shared text by number. */
  readonly textOf: (index: number) => string | undefined;
  /** The number formats of the cell styles. */
  readonly formats: readonly NumberKind[];
  readonly from1904: boolean;
  readonly merged: ReadonlyMap<number, readonly MergedArea[]>;
}

/** Reads the XML of one sheet. Formulas are not computed, and nothing they refer to is opened: their stored values are used. */
export class SheetReader implements XmlHandlers {
  readonly #options: SheetOptions;
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

  constructor(options: SheetOptions) {
    this.#options = options;
  }

  text(text: string): void {
    if (!this.#reading) return;
    this.#text += text;
    checkLength(this.#text, address(this.#line, this.#column));
  }

  open(name: string, attributes: Attributes): void {
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

  close(name: string): void {
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

  #openRow({ r, hidden }: Attributes) {
    const { line: last, place } = this.#options.rows;
    const line = r === undefined ? last + 1 : Number(r);
    if (!(line > last && line <= MAX_ROWS)) {
      const what = `row ${JSON.stringify(r ?? String(line))} comes after row ${last}; rows go up to ${MAX_ROWS}`;
      throw broken(place, what);
    }
    this.#line = line;
    this.#isHidden = hidden === '1' || hidden === 'true';
    this.#column = -1;
    this.#cells = [];
  }

  #openCell({ r, t = 'n', s }: Attributes) {
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (column <= this.#column || column >= MAX_COLUMNS) {
      const what = `cell ${JSON.stringify(r ?? '')} is in the wrong place; columns go up to XFD, from left to right`;
      throw broken(`${this.#options.rows.place}, row ${this.#line}`, what);
    }
    this.#column = column;
    this.#type = t;
    this.#format = s === undefined ? PLAIN : (this.#options.formats[Number(s)] ?? PLAIN);
    this.#hasFormula = false;
    this.#text = '';
  }

  #closeCell() {
    const text = this.#cellText();
    const { warnings } = this.#options.rows;
    const isEmpty = this.#hasFormula && this.#text === '' && this.#type !== 'str';
    if (isEmpty) warnings.emptyFormulas.add(() => address(this.#line, this.#column));
    if (text === '') return;
    while (this.#cells.length < this.#column) this.#cells.push('');
    this.#cells.push(text);
  }

  #cellText() {
    const { rows, textOf } = this.#options;
    const { warnings, place } = rows;
    const written = this.#text;
    const [line, column] = [this.#line, this.#column];
    switch (this.#type) {
      case 's': {
        const text = written === '' ? '' : textOf(Number(written));
        if (text === undefined) {
          const what = `there is no shared text number ${JSON.stringify(written)}`;
          throw broken(`${place}, ${address(line, column)}`, what);
        }
        warnings.text(text, line, column);
        return text;
      }
      case 'inlineStr':
      case 'str': {
        const text = unescaped(written);
        warnings.text(text, line, column);
        return text;
      }
      case 'b':
        warnings.boolean(line, column);
        return written.trim() === '1' || written.trim() === 'true' ? 'TRUE' : 'FALSE';
      case 'e':
        return written;
      case 'd':
        warnings.date(line, column);
        return written;
      default:
        return this.#number(written);
    }
  }

  #number(written: string) {
    if (written === '') return '';
    const { rows, from1904 } = this.#options;
    const text = numberText(written, this.#format, from1904);
    const { kind } = this.#format;
    if (kind === 'date' || kind === 'time') rows.warnings.date(this.#line, this.#column);
    else if (kind === 'plain') rows.warnings.number(text, this.#line, this.#column);
    return text;
  }

  #closeRow() {
    const { rows, merged } = this.#options;
    rows.add(this.#line, this.#cells, this.#isHidden);
    for (const { column, bottom } of merged.get(this.#line) ?? []) {
      rows.merge(column, bottom, this.#cells[column] ?? '');
    }
  }
}

/** A merged area over several rows: its value is in the first of them. */
interface MergedArea {
  readonly column: number;
  readonly top: number;
  readonly bottom: number;
}

const MAX_AREAS = 200_000;
/** Characters of a tag that two blocks may share. */
const MAX_TAG_LENGTH = 500;
const AREA = /<(?:\w+:)?mergeCell\s[^<>]*?ref=["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']/g;

/**
 * Areas of a sheet that span several rows, by their first row. They come after the rows in the file, so the file is read
 * once just for them, which takes a tenth of the time.
 */
export async function mergedAreas(sheet: AsyncIterable<Buffer>): Promise<ReadonlyMap<number, readonly MergedArea[]>> {
  const areas = new Map<number, MergedArea[]>();
  let count = 0;
  let behindRows = false;
  let rest = '';
  for await (const block of sheet) {
    if (!behindRows && !block.includes('heetData') && !rest.includes('sheetD')) {
      rest = block.toString('latin1', Math.max(0, block.length - 20));
      continue;
    }
    const text = rest + block.toString('latin1');
    behindRows ||= /<\/(?:\w+:)?sheetData\s*>|<(?:\w+:)?sheetData\s*\/>/.test(text);
    if (!behindRows) {
      rest = text.slice(-20);
      continue;
    }
    let read = 0;
    for (const match of text.matchAll(AREA)) {
      read = match.index + match[0].length;
      const [, from = '', top, , bottom] = match;
      const area = { column: columnOf(`${from}1`), top: Number(top), bottom: Number(bottom) };
      if (area.bottom <= area.top) continue;
      count += 1;
      if (count > MAX_AREAS)
        throw tooMany('the sheet', MAX_AREAS, 'merged areas', 'Save the sheet as CSV, or take the merged cells apart');
      const sameTop = areas.get(area.top);
      if (sameTop === undefined) areas.set(area.top, [area]);
      else sameTop.push(area);
    }
    if (/<\/(?:\w+:)?mergeCells\s*>/.test(text.slice(Math.max(0, read - 20)))) break;
    rest = text.slice(Math.max(read, text.length - MAX_TAG_LENGTH));
  }
  return areas;
}
