import { option, words } from '../../../errors/named-options.ts';
import type { Zip } from '../archive/zip.ts';
import type { FileState } from '../byte-source.ts';
import {
  boundsWith,
  checkExpansion,
  intakeError,
  listed,
  shown,
  shownPath,
  tooLong,
  WRITE_ROWS,
} from '../intake-error.ts';
import type { IntakeOptions } from '../intake-options.ts';
import type { IntakeNote } from '../notes.ts';
import { signsOfTable } from '../shape/shaping.ts';
import { openOds } from './ods.ts';
import { type SheetInput, type SheetRow, type TableSigns, Warnings, type Workbook } from './workbook.ts';
import { openXlsx } from './xlsx.ts';

/** The part by which a document of Microsoft Office is known. */
const CONTENT_TYPES = '[Content_Types].xml';
/** Other documents of it, by a part that only they have. */
const OTHER_OFFICE: Readonly<Record<string, string>> = {
  'xl/workbook.bin': 'a binary workbook (.xlsb)',
  'word/document.xml': 'a Word document',
  'ppt/presentation.xml': 'a presentation',
};

/** The format of a workbook; undefined for another archive. Throws OTHER_FORMAT for other documents of the same makers. */
export async function workbookKind(zip: Zip, name: string): Promise<SheetInput['kind'] | undefined> {
  if (zip.has('mimetype') && zip.sizeOf('mimetype') < 200) {
    let type = '';
    for await (const block of zip.read('mimetype')) type += block.toString('latin1');
    if (type.startsWith('application/vnd.oasis.opendocument.spreadsheet')) return 'ods';
    if (type.startsWith('application/vnd.oasis')) throw otherDocument(name, 'a document of LibreOffice');
  }
  if (zip.has(CONTENT_TYPES)) {
    const other = Object.keys(OTHER_OFFICE).find((part) => zip.has(part));
    if (other !== undefined) throw otherDocument(name, OTHER_OFFICE[other] ?? '');
    return 'xlsx';
  }
  if (zip.has('Index/Document.iwa') || zip.names[0]?.startsWith('Index/'))
    throw otherDocument(name, 'a Numbers document');
  return undefined;
}

/** Bytes that a row takes at least where it is stored, however short it is. */
const ROW_BYTES = 64;

/** Opens the sheet with the rows. Throws UNKNOWN_SHEET, EMPTY, WORKBOOK_BROKEN, and what reading the archive throws. */
export async function openSheet(
  zip: Zip,
  kind: SheetInput['kind'],
  name: string,
  state: FileState,
  options: IntakeOptions,
): Promise<SheetInput> {
  const workbook = await (kind === 'xlsx' ? openXlsx : openOds)(zip, options.signal);
  options.onSheets?.(workbook.sheets);
  const table = signsOfTable(options);
  const chosen = await chooseSheet(workbook, name, options.sheet, table);
  const { number } = chosen;
  const sheet = workbook.sheets[number]?.name ?? '';
  const others = workbook.sheets.flatMap((other, at) => (at === number ? [] : [other.name]));
  const warnings = new Warnings();
  const bounds = boundsWith(options.bounds);
  let count = 0;
  let length = 0;
  /**
   * Rows within their bounds: cells name shared texts, and rows are repeated by a number, so that both grow behind the bounds
   * of the archive. Throws ROW_TOO_LONG, TOO_LARGE.
   */
  function* bounded(rows: Iterable<SheetRow>) {
    for (const row of rows) {
      const place = `row ${row.line}`;
      const before = length;
      for (const cell of row.cells) {
        length += cell.length + 1;
        if (length - before > bounds.row) throw tooLong('row', bounds, 'Shorten its cells', { place, row: row.line });
      }
      count += 1;
      const unpacked = length + count * ROW_BYTES;
      checkExpansion(`the sheet ${shown(sheet)}`, { unpacked, packed: zip.size, place }, bounds);
      yield row;
    }
  }

  return {
    name,
    kind,
    sheet,
    others,
    above: chosen.header === undefined ? table.skip : chosen.header - 1,
    bytesRead: zip.bytesRead,
    length: () => length,
    rows: async function* () {
      for await (const rows of workbook.read(number, warnings)) yield bounded(rows);
      await state.checkUnchanged(0);
    },
    notes: (isId) => [
      ...chosenNotes(chosen, sheet, others),
      ...warnings.notes(isId).map(({ code, text }) => ({ code, text: `Sheet ${shown(sheet)}: ${text}` })),
    ],
    close: zip.close,
  };
}

function chosenNotes({ passed, header }: ChosenSheet, sheet: string, others: readonly string[]) {
  const notes: IntakeNote[] = [];
  if (passed !== undefined && others.length > 0) {
    const before = passed.length === 0 ? '' : ` (before it, only text was found in ${listed(passed)})`;
    const text = `The rows are from the sheet ${shown(sheet)}, the first one with a table${before}. Other sheets of the workbook: ${listed(others)}`;
    notes.push({ code: 'SHEET_CHOSEN', text });
  }
  if (header !== undefined) {
    const text = `Row ${header} of the sheet ${shown(sheet)} is the header: it is the first row that names columns which are read. The rows above it were passed over`;
    notes.push({ code: 'HEADER_FOUND', text });
  }
  return notes;
}

function otherDocument(name: string, what: string) {
  return intakeError(
    'OTHER_FORMAT',
    `${shownPath(name)} is ${what}`,
    'Open it in the program that it comes from, and save the table as .xlsx or as CSV',
    { file: name },
  );
}

interface ChosenSheet {
  readonly number: number;
  /** Visible sheets before it that have something in them, but no table; absent where it was named, and not looked for. */
  readonly passed?: readonly string[];
  /** The row of its header, where that is not its first and was not given. */
  readonly header?: number | undefined;
}

/** Rows of a sheet that are looked at: a single column that is longer is a list. */
const LOOKED_AT = 30;

/**
 * The sheet that is named, or the first visible one with a table: a row with two filled cells, a column that is called as one
 * that is read, or a long list. Without any, the first one with something in it. Throws UNKNOWN_SHEET, EMPTY.
 */
async function chooseSheet(
  workbook: Workbook,
  name: string,
  wanted: string | undefined,
  signs: TableSigns,
): Promise<ChosenSheet> {
  if (wanted !== undefined) {
    const number = namedSheet(workbook, name, wanted);
    const { header } = await contentOf(workbook, number, signs);
    return { number, header };
  }
  const passed: string[] = [];
  let first: number | undefined;
  for (const [number, sheet] of workbook.sheets.entries()) {
    if (!sheet.isVisible) continue;
    const { content, header } = await contentOf(workbook, number, signs);
    if (content === 'table') return { number, header, passed };
    if (content === 'nothing') continue;
    passed.push(sheet.name);
    first ??= number;
  }
  if (first !== undefined) return { number: first, passed: [] };
  const hidden = workbook.sheets.filter(({ isVisible }) => !isVisible);
  const remedy =
    hidden.length === 0
      ? WRITE_ROWS
      : words`Name one of its hidden sheets with ${option('sheet')}: ${listed(hidden.map((sheet) => sheet.name))}`;
  throw intakeError('EMPTY', `${shownPath(name)} has no sheet with rows`, remedy);
}

function namedSheet({ sheets }: Workbook, name: string, wanted: string) {
  const exact = sheets.findIndex((sheet) => sheet.name === wanted);
  if (exact !== -1) return exact;
  const plain = (text: string) => text.trim().toLowerCase();
  const same = sheets.flatMap((sheet, number) => (plain(sheet.name) === plain(wanted) ? [number] : []));
  if (same[0] !== undefined && same.length === 1) return same[0];
  const number = /^\d{1,6}$/.test(wanted) ? Number(wanted) - 1 : -1;
  if (sheets[number] !== undefined) return number;
  throw intakeError(
    'UNKNOWN_SHEET',
    `${shownPath(name)} has no sheet ${shown(wanted)}; it has ${listed(sheets.map((sheet) => sheet.name))}`,
    words`Name one of them with ${option('sheet')}, or its number from 1 to ${String(sheets.length)}`,
    { file: name, sheet: wanted },
  );
}

async function contentOf(workbook: Workbook, number: number, signs: TableSigns) {
  let isEmpty = true;
  /** With their filled cells. */
  const rows: SheetRow[] = [];
  const isNamed = () => rows[0]?.cells.some(signs.isColumn);
  const isTable = () => rows.length > LOOKED_AT || rows.some(({ cells }) => cells.length > 1) || isNamed();
  const isTopKnown = () => signs.isTopGiven || rows.length > LOOKED_AT || isNamed();
  for await (const some of workbook.read(number)) {
    for (const { line, cells: all } of some) {
      const cells = all.map((cell) => cell.trim()).filter((cell) => cell !== '');
      isEmpty = false;
      if (line > signs.skip) rows.push({ line, cells });
    }
    if (isTable() && isTopKnown()) break;
  }
  const header = signs.isTopGiven ? undefined : headerBelow(rows.slice(0, LOOKED_AT), signs);
  return { content: isTable() ? 'table' : isEmpty ? 'nothing' : 'text', header };
}

/**
 * The row of a header that is certainly not the first row: it alone is called as the columns that are needed, no row below
 * has one of its names as a value, and the rows above are narrower, or end with an empty row.
 */
function headerBelow(rows: readonly SheetRow[], { isColumn, areAll }: TableSigns) {
  const at = rows.findIndex(({ cells }) => cells.some(isColumn));
  const [header, above, below] = [rows[at], rows.slice(0, at), rows.slice(at + 1)];
  if (header === undefined || at === 0 || below.length === 0) return undefined;
  const { line, cells } = header;
  const isApart = above.at(-1)?.line !== line - 1 || above.every((row) => row.cells.length < cells.length);
  const isRepeated = below.some((row) => row.cells.some((cell) => cells.includes(cell)));
  return isApart && areAll(cells) && !isRepeated ? line : undefined;
}
