import { tmpdir } from 'node:os';
import { option, words } from '../../../errors/named-options.ts';
import type { Zip } from '../archive/zip.ts';
import { type Bounds, checkExpansion, tooLong } from '../intake-bounds.ts';
import { IntakeError, listed, shown, shownPath, WRITE_ROWS } from '../intake-error.ts';
import type { IntakeOptions } from '../intake-options.ts';
import type { IntakeNote } from '../notes.ts';
import { signsOfTable } from '../shape/shaping.ts';
import { type ChosenSheet, chooseSheet } from './choose-sheet.ts';
import { openOds } from './ods.ts';
import { Warnings } from './warnings.ts';
import type { SheetText, Workbook } from './workbook.ts';
import { openXlsx } from './xlsx.ts';
import { broken } from './xml.ts';

/** The part by which a document of Microsoft Office is known; names of parts differ by their case. */
const CONTENT_TYPES = '[Content_Types].xml';
/** Other documents of it, by a part that only they have. */
const OTHER_OFFICE: Readonly<Record<string, string>> = {
  'xl/workbook.bin': 'a binary workbook (.xlsb)',
  'word/document.xml': 'a Word document',
  'ppt/presentation.xml': 'a presentation',
};

/**
 * Whether an archive is a workbook, and of which format. Throws WORKBOOK_BROKEN, and ENCRYPTED, OTHER_FORMAT for documents of
 * the same makers that are not.
 */
export async function workbookKind(zip: Zip, name: string): Promise<Workbook['kind'] | undefined> {
  if (zip.has('mimetype') && zip.sizeOf('mimetype') < 200) {
    let type = '';
    for await (const block of zip.read('mimetype')) type += block.toString('latin1');
    if (type.startsWith('application/vnd.oasis.opendocument.spreadsheet')) return 'ods';
    if (type.startsWith('application/vnd.oasis')) throw otherDocument(name, 'a document of LibreOffice');
  }
  const types = zip.names.find((part) => part.toLowerCase() === CONTENT_TYPES.toLowerCase());
  if (types === CONTENT_TYPES) {
    const other = Object.keys(OTHER_OFFICE).find((part) => zip.has(part));
    if (other !== undefined) throw otherDocument(name, OTHER_OFFICE[other] ?? '');
    return 'xlsx';
  }
  if (types !== undefined) {
    throw broken(name, `it is a workbook, but its part ${shown(types)} must be called ${shown(CONTENT_TYPES)}`);
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
  const { signal, scratch = tmpdir(), onSheets } = options;
  const table = signsOfTable(options);
  const workbook = await (kind === 'xlsx' ? openXlsx : openOds)(zip, signal, scratch);
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
        throw new IntakeError(
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

function chosenNotes({ isFound, passed, header }: ChosenSheet, sheet: string, others: readonly string[]): IntakeNote[] {
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
  return new IntakeError(
    'OTHER_FORMAT',
    `${shownPath(name)} is ${what}`,
    'Open it in the program that it comes from, and save the table as .xlsx or as CSV',
    { facts: { file: name } },
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
        throw tooLong('row', bounds, { place: `row ${line}`, advice: 'Shorten its cells', facts: { row: line } });
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
