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
export function sheetReader(options: SheetOptions): XmlHandlers {
  const { rows, formats, merged } = options;
  const { warnings, place } = rows;
  let inRows = false;
  let line = 0;
  let isHidden = false;
  let column = -1;
  let cell: Cell = { type: '', format: PLAIN };
  let hasFormula = false;
  /** Whether the text that comes next belongs to the cell: of `v`, and of `t` in a text that is not a reading aid. */
  let reading = false;
  let inReadingAid = false;
  let content = '';
  let cells: string[] = [];

  function text(piece: string) {
    if (!reading) return;
    content += piece;
    checkLength(content, address(line, column));
  }

  function open(name: string, attributes: Attributes) {
    if (name === 'sheetData') inRows = true;
    if (!inRows) return;
    if (name === 'row') openRow(attributes);
    else if (name === 'c') openCell(attributes);
    else if (name === 'f') hasFormula = true;
    else if (name === 'rPh') inReadingAid = true;
    else if (name === 'v') reading = cell.type !== 'inlineStr';
    else if (name === 't') reading = cell.type === 'inlineStr' && !inReadingAid;
  }

  function close(name: string) {
    if (!inRows) return;
    if (name === 'v' || name === 't') reading = false;
    else if (name === 'rPh') inReadingAid = false;
    else if (name === 'c') closeCell();
    else if (name === 'row') closeRow();
    else if (name === 'sheetData') inRows = false;
  }

  function openRow({ r, hidden }: Attributes) {
    const last = rows.line;
    const next = r === undefined ? last + 1 : Number(r);
    if (!(next > last && next <= MAX_ROWS)) {
      const what = `row ${JSON.stringify(r ?? String(next))} comes after row ${last}; rows go up to ${MAX_ROWS}`;
      throw broken(place, what);
    }
    line = next;
    isHidden = hidden === '1' || hidden === 'true';
    column = -1;
    cells = [];
  }

  function openCell({ r, t = 'n', s }: Attributes) {
    const next = r === undefined ? column + 1 : columnOf(r);
    if (next <= column || next >= MAX_COLUMNS) {
      const what = `cell ${JSON.stringify(r ?? '')} is in the wrong place; columns go up to XFD, from left to right`;
      throw broken(`${place}, row ${line}`, what);
    }
    column = next;
    cell = { type: t, format: s === undefined ? PLAIN : (formats[Number(s)] ?? PLAIN) };
    hasFormula = false;
    content = '';
  }

  function closeCell() {
    const text = cellText(cell, content, options, line, column);
    const isEmpty = hasFormula && content === '' && cell.type !== 'str';
    if (isEmpty) warnings.emptyFormulas.add(() => address(line, column));
    if (text === '') return;
    while (cells.length < column) cells.push('');
    cells.push(text);
  }

  function closeRow() {
    rows.add(line, cells, isHidden);
    for (const area of merged.get(line) ?? []) rows.merge(area.column, area.bottom, cells[area.column] ?? '');
  }

  return { text, open, close };
}

/** A cell that is being read. */
interface Cell {
  readonly type: string;
  readonly format: NumberKind;
}

/** The value of a cell as text. @param content what is stored of it */
function cellText({ type, format }: Cell, content: string, options: SheetOptions, line: number, column: number) {
  const { textOf, from1904, rows } = options;
  const { warnings, place } = rows;
  if (type === 's' || type === 'inlineStr' || type === 'str') {
    const text = type !== 's' ? unescaped(content) : content === '' ? '' : textOf(Number(content));
    if (text === undefined) {
      const what = `there is no shared text number ${JSON.stringify(content)}`;
      throw broken(`${place}, ${address(line, column)}`, what);
    }
    warnings.text(text, line, column);
    return text;
  }
  if (type === 'b') {
    warnings.boolean(line, column);
    return content.trim() === '1' || content.trim() === 'true' ? 'TRUE' : 'FALSE';
  }
  if (type === 'd') warnings.date(line, column);
  if (type === 'd' || type === 'e' || content === '') return content;
  const text = numberText(content, format, from1904);
  if (format.kind === 'date' || format.kind === 'time') warnings.date(line, column);
  else if (format.kind === 'plain') warnings.number(text, line, column);
  return text;
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
