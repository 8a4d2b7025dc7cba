import { option, words } from '../../../errors/named-options.ts';
import type { Zip } from '../archive/zip.ts';
import {
  type Bounds,
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
import { type SheetText, type TableSigns, Warnings, type Workbook } from './workbook.ts';
import { openXlsx } from './xlsx.ts';

/** The part by which a document of Microsoft Office is known. */
const CONTENT_TYPES = '[Content_Types].xml';
/** Other documents of it, by a part that only they have. */
const OTHER_OFFICE: Readonly<Record<string, string>> = {
  'xl/workbook.bin': 'a binary workbook (.xlsb)',
  'word/document.xml': 'a Word document',
  'ppt/presentation.xml': 'a presentation',
};

/**
 * Whether an archive is a workbook, and of which format. Throws ENCRYPTED, OTHER_FORMAT for documents of
 * the same makers that are not.
 */
export async function workbookKind(zip: Zip, name: string): Promise<Workbook['kind'] | undefined> {
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

/** Opens the sheet with the rows. Throws UNKNOWN_SHEET, EMPTY, WORKBOOK_BROKEN, and what reading the archive throws. */
export async function openSheet(
  zip: Zip,
  kind: Workbook['kind'],
  name: string,
  options: IntakeOptions,
  bounds: Bounds,
): Promise<SheetText> {
  const { signal, onSheets } = options;
  const table = signsOfTable(options);
  const workbook = await (kind === 'xlsx' ? openXlsx : openOds)(zip, signal);
  try {
    onSheets?.(workbook.sheets);
    const chosen = await chooseSheet(workbook, name, options.sheet, table);
    const { number } = chosen;
    const sheet = workbook.sheets[number]?.name ?? '';
    const others = workbook.sheets.flatMap((other, at) => (at === number ? [] : [other.name]));
    const warnings = new Warnings();
    return {
      kind,
      sheet,
      others,
      above: chosen.header === undefined ? table.skip : chosen.header - 1,
      blocks: async function* () {
        const writer = csvWriter(sheet, zip.size, bounds);
        for await (const _ of workbook.read(number, writer.add, warnings)) {
          yield* writer.take();
        }
        if (!writer.isEmpty()) return;
        throw intakeError(
          'EMPTY',
          `the sheet ${shown(sheet)} of ${shownPath(name)} is empty`,
          others.length === 0 ? WRITE_ROWS : words`Name another one with ${option('sheet')}: ${listed(others)}`,
        );
      },
      notes: (isId) => [
        ...chosenNotes(chosen, sheet, others),
        ...warnings.notesOfSheet(),
        ...warnings.notes(isId).map(({ code, text }) => ({ code, text: `Sheet ${shown(sheet)}: ${text}` })),
      ],
      close: () => workbook.close(),
    };
  } catch (error) {
    workbook.close();
    throw error;
  }
}

function chosenNotes({ isFound, passed, header }: ChosenSheet, sheet: string, others: readonly string[]) {
  const notes: IntakeNote[] = [];
  if (isFound && others.length > 0) {
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

const NEEDS_QUOTES = /[",\r\n]/;
/** Bytes that a row takes at least where it is stored, however short it is. */
const ROW_BYTES = 64;
/** Blank lines that are written at once: a gap may be a million rows. */
const MAX_BLANK = 32 * 1024;

/**
 * The rows of a sheet as CSV, so that everything that is read from CSV is read from workbooks in the same way. A row
 * keeps its number: where a sheet has no row, the text has a blank line.
 * @param packed bytes of the workbook, as it is packed
 */
function csvWriter(sheet: string, packed: number, bounds: Bounds) {
  let lines = 0;
  let unpacked = 0;
  let pieces: string[] = [];
  return {
    /** No row has been added yet. */
    isEmpty: () => lines === 0,
    /** @param line number of the row in the sheet, higher than the one before */
    add: (line: number, cells: readonly string[]): void => {
      for (let blank = line - lines - 1; blank > 0; blank -= MAX_BLANK) {
        pieces.push('\n'.repeat(Math.min(blank, MAX_BLANK)));
      }
      lines = line;
      let text = '';
      for (const [index, cell] of cells.entries()) {
        text += (index === 0 ? '' : ',') + (NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
        // Characters are at most as many as bytes; reading the text counts those.
        if (text.length <= bounds.row) continue;
        throw tooLong('row', bounds, 'Shorten its cells', { place: `row ${line}`, row: line });
      }
      // Cells name shared texts, and rows are repeated by a number: both grow behind the bounds of the archive.
      unpacked += text.length + ROW_BYTES;
      checkExpansion(`the sheet ${shown(sheet)}`, { unpacked, packed, place: `row ${line}` }, bounds);
      pieces.push(`${text}\n`);
    },
    /** Returns the blocks that were written since the last call. */
    take: (): Buffer[] => {
      const blocks: Buffer[] = [];
      let text = '';
      for (const piece of pieces) {
        text += piece;
        if (text.length < MAX_BLANK) continue;
        blocks.push(Buffer.from(text));
        text = '';
      }
      if (text !== '') blocks.push(Buffer.from(text));
      pieces = [];
      return blocks;
    },
  };
}

interface ChosenSheet {
  readonly number: number;
  /** It was looked for, and not named. */
  readonly isFound: boolean;
  /** Visible sheets before it that have something in them, but no table. */
  readonly passed: readonly string[];
  /** The row of its header, where that is not its first and was not given. */
  readonly header: number | undefined;
}

/** A row with its filled cells. */
interface FilledRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows of a sheet that are looked at: a single column that is longer is a list. */
const LOOKED_AT = 30;

/**
 * The sheet that is named, or the first visible one with a table: a row with two filled cells, a column that is called as one
 * that is read, or a long list. Without any, the first one with something in it. Throws UNKNOWN_SHEET, EMPTY.
 */
async function chooseSheet(workbook: Workbook, name: string, wanted: string | undefined, signs: TableSigns) {
  if (wanted !== undefined) {
    const number = namedSheet(workbook, name, wanted);
    const { header } = await contentOf(workbook, number, signs);
    return { number, isFound: false, passed: [], header };
  }
  const withText: number[] = [];
  for (const [number, { isVisible }] of workbook.sheets.entries()) {
    if (!isVisible) continue;
    const { content, header } = await contentOf(workbook, number, signs);
    if (content === 'text') withText.push(number);
    if (content !== 'table') continue;
    const passed = withText.map((sheet) => workbook.sheets[sheet]?.name ?? '');
    return { number, isFound: true, passed, header };
  }
  const [first] = withText;
  if (first !== undefined) return { number: first, isFound: true, passed: [], header: undefined };
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
  const rows: FilledRow[] = [];
  const look = (line: number, all: readonly string[]) => {
    const cells = all.map((cell) => cell.trim()).filter((cell) => cell !== '');
    if (cells.length === 0) return;
    isEmpty = false;
    if (line > signs.skip) rows.push({ line, cells });
  };
  const isTable = () =>
    rows.length > LOOKED_AT || rows.some(({ cells }) => cells.length > 1) || rows[0]?.cells.some(signs.isColumn);
  const isTopKnown = () => signs.isTopGiven || rows.length > LOOKED_AT || rows[0]?.cells.some(signs.isColumn);
  for await (const _ of workbook.read(number, look)) if (isTable() && isTopKnown()) break;
  const header = signs.isTopGiven ? undefined : headerBelow(rows.slice(0, LOOKED_AT), signs);
  return { content: isTable() ? 'table' : isEmpty ? 'nothing' : 'text', header };
}

/**
 * The row of a header that is certainly not the first row: it alone is called as the columns that are needed, no row below
 * has one of its names as a value, and the rows above are narrower, or end with an empty row.
 */
function headerBelow(rows: readonly FilledRow[], { isColumn, areAll }: TableSigns) {
  const at = rows.findIndex(({ cells }) => cells.some(isColumn));
  const [header, above, below] = [rows[at], rows.slice(0, at), rows.slice(at + 1)];
  if (header === undefined || at === 0 || below.length === 0) return undefined;
  const { line, cells } = header;
  const isApart = above.at(-1)?.line !== line - 1 || above.every((row) => row.cells.length < cells.length);
  const isRepeated = below.some((row) => row.cells.some((cell) => cells.includes(cell)));
  return isApart && areAll(cells) && !isRepeated ? line : undefined;
}
