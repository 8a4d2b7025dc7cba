import { posix } from 'node:path';
import { KIB, MIB } from '../../../options/bounds.ts';
import type { Zip } from '../archive/zip.ts';
import { interruptible } from '../byte-source.ts';
import { tooMany } from '../intake-error.ts';
import { builtInFormat, columnOf, formatKind, type NumberKind, numberText, PLAIN, unescaped } from './cell-text.ts';
import { address, MAX_COLUMNS, MAX_ROWS, type Sheet, SheetRows, type Workbook } from './workbook.ts';
import { type Attributes, broken, checkLength, readXml, type XmlHandlers, xmlReader } from './xml.ts';

const MAX_SHEETS = 20_000;
/** Cell styles that a workbook may have; Excel allows 65,490. */
const MAX_STYLES = 200_000;

/** Bytes of the texts that a workbook shares, each once: they are kept in memory. */
const MAX_TEXT_BYTES = 256 * MIB;
const SAVE_AS_CSV = 'Save the sheet with the rows as CSV';

/** Opens an Excel workbook (.xlsx, .xlsm). Macros, links and formulas in it are not looked at. */
export async function openXlsx(zip: Zip, signal: AbortSignal | undefined): Promise<Workbook> {
  const read = (entry: string) => interruptible(zip.read(entry), signal);
  const parse: Parse = (entry, handlers) => readXml(entry, read(entry), handlers);
  const relationsOf = async (part: string) => {
    const entry = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);
    const relations = new Map<string, { readonly type: string; readonly target: string }>();
    if (!zip.has(entry)) return relations;
    await parse(entry, {
      open: (name, { Id, Type = '', Target = '', TargetMode }) => {
        if (name !== 'Relationship' || Id === undefined || TargetMode === 'External') return;
        const target = Target.startsWith('/') ? Target.slice(1) : posix.join(posix.dirname(part), Target);
        if (relations.size < MAX_SHEETS * 2) relations.set(Id, { type: posix.basename(Type), target });
      },
    });
    return relations;
  };

  const top = await relationsOf('');
  const main = [...top.values()].find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml';
  if (!zip.has(main)) throw broken(main, 'this part is missing');
  const relations = await relationsOf(main);
  const partOf = (type: string) => {
    const found = [...relations.values()].find((relation) => relation.type === type)?.target;
    return found !== undefined && zip.has(found) ? found : undefined;
  };

  const sheets: (Sheet & { readonly entry: string })[] = [];
  let from1904 = false;
  await parse(main, {
    open: (name, attributes) => {
      if (name === 'workbookPr') from1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key === 'r:id' || /:id$/.test(key))?.[1] ?? '';
      const relation = relations.get(id);
      if (relation?.type !== 'worksheet' || !zip.has(relation.target)) return; // a chart, for instance
      if (sheets.length === MAX_SHEETS) throw tooMany('the workbook', MAX_SHEETS, 'sheets', SAVE_AS_CSV);
      const isVisible = (attributes['state'] ?? 'visible') === 'visible';
      sheets.push({ name: unescaped(attributes['name'] ?? ''), isVisible, entry: relation.target });
    },
  });

  const styles = partOf('styles');
  const formats = styles === undefined ? [] : await formatsOf(styles, parse);
  const shared = partOf('sharedStrings');
  const textOf = shared === undefined ? () => undefined : await sharedTexts(shared, parse);

  return {
    sheets,
    read: async function* (number, warnings) {
      const sheet = sheets[number];
      if (sheet === undefined) throw new TypeError(`there is no sheet ${number}`);
      const merged = warnings === undefined ? new Map() : await mergedAreas(read(sheet.entry));
      const rows = new SheetRows(sheet.name, warnings);
      const reader = xmlReader(rows.place, sheetReader({ rows, textOf, formats, from1904, merged }));
      for await (const block of read(sheet.entry)) {
        reader.write(block);
        yield rows.take();
      }
      reader.end();
      yield rows.take();
    },
  };
}

type Parse = (entry: string, handlers: XmlHandlers) => Promise<void>;

async function formatsOf(entry: string, parse: Parse) {
  const own = new Map<number, NumberKind>();
  const formats: NumberKind[] = [];
  let inCells = false;
  await parse(entry, {
    open: (name, attributes) => {
      if (name === 'cellXfs') inCells = true;
      else if (name === 'numFmt' && own.size < MAX_STYLES) {
        own.set(Number(attributes['numFmtId']), formatKind(attributes['formatCode'] ?? ''));
      } else if (name === 'xf' && inCells && formats.length < MAX_STYLES) {
        const id = Number(attributes['numFmtId'] ?? 0);
        formats.push(own.get(id) ?? builtInFormat(id) ?? PLAIN);
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return formats;
}

/**
 * Reads the texts that cells name by number: all are needed until the last row is read. They are kept as bytes one behind the
 * other: strings of their own would take five times the memory. Throws TOO_LARGE.
 */
async function sharedTexts(entry: string, parse: Parse): Promise<(index: number) => string | undefined> {
  let bytes = Buffer.alloc(64 * KIB);
  /** The place behind each text. */
  const ends: number[] = [];
  function add(text: string) {
    const start = ends[ends.length - 1] ?? 0;
    const end = start + Buffer.byteLength(text);
    if (end > MAX_TEXT_BYTES) throw tooMany('the workbook', MAX_TEXT_BYTES, 'bytes of different texts', SAVE_AS_CSV);
    if (end > bytes.length) bytes = Buffer.concat([bytes], Math.max(end, bytes.length * 2));
    bytes.write(text, start);
    ends.push(end);
  }

  let text = '';
  await parse(entry, {
    open: (name) => {
      if (name === 'si') text = '';
    },
    close: (name, piece) => {
      if (name === 't') {
        text += piece;
        checkLength(text, entry);
      } else if (name === 'si') add(unescaped(text));
    },
  });
  return (index) => {
    const end = ends[index];
    return end === undefined ? undefined : bytes.toString('utf8', ends[index - 1] ?? 0, end);
  };
}

interface SheetOptions {
  readonly rows: SheetRows;
  readonly textOf: (index: number) => string | undefined;
  readonly formats: readonly NumberKind[];
  readonly from1904: boolean;
  readonly merged: ReadonlyMap<number, readonly MergedArea[]>;
}

/** Reads the XML of one sheet. Formulas are not computed, and nothing they refer to is opened: their stored values are used. */
function sheetReader(options: SheetOptions): XmlHandlers {
  const { rows, formats, merged } = options;
  const { warnings, place } = rows;
  let inRows = false;
  let line = 0;
  let isHidden = false;
  let column = -1;
  let cell: Cell = { type: '', format: PLAIN };
  let hasFormula = false;
  let content = '';
  let cells: string[] = [];

  function open(name: string, attributes: Attributes) {
    if (name === 'sheetData') inRows = true;
    if (!inRows) return;
    if (name === 'row') openRow(attributes);
    else if (name === 'c') openCell(attributes);
    else if (name === 'f') hasFormula = true;
  }

  function close(name: string, text: string) {
    if (!inRows) return;
    if (name === (cell.type === 'inlineStr' ? 't' : 'v')) {
      content += text;
      checkLength(content, address(line, column));
    } else if (name === 'c') closeCell();
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

  return { open, close };
}

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
    warnings.add('booleans', line, column);
    return content.trim() === '1' || content.trim() === 'true' ? 'TRUE' : 'FALSE';
  }
  if (type === 'd') warnings.add('dates', line, column);
  if (type === 'd' || type === 'e' || content === '') return content;
  const text = numberText(content, format, from1904);
  if (format.kind === 'date' || format.kind === 'time') warnings.add('dates', line, column);
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
  const areas: MergedArea[] = [];
  let rest = '';
  for await (const block of sheet) {
    const text = rest + block.toString('latin1');
    let read = 0;
    for (const match of text.matchAll(AREA)) {
      read = match.index + match[0].length;
      const [, from = '', top, , bottom] = match;
      const area = { column: columnOf(`${from}1`), top: Number(top), bottom: Number(bottom) };
      if (area.bottom > area.top) areas.push(area);
      if (areas.length > MAX_AREAS)
        throw tooMany('the sheet', MAX_AREAS, 'merged areas', 'Save the sheet as CSV, or take the merged cells apart');
    }
    rest = text.slice(Math.max(read, text.length - MAX_TAG_LENGTH));
  }
  return Map.groupBy(areas, ({ top }) => top);
}
