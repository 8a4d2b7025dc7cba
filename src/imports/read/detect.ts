import type { InputErrorCode } from '../../errors/errors.ts';
import { type InputKind, inputNames } from '../../options/input-kinds.ts';
import { jsonOrUndefined } from '../../text/json-or-undefined.ts';
import { sameName } from '../../text/same-text.ts';
import { type ColumnMapping, fieldByAlias, openColumns } from './columns.ts';
import { looksLikeRow } from './element.ts';
import { convertedKind } from './element-formats.ts';
import { intakeError } from './intake-error.ts';

/** Delimiters that are recognised, the likeliest first. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * The format of a text that starts with `head`, by its content: `[` opens JSON; `{` opens NDJSON when the first
 * line is one complete object of its own and a row where nothing follows it, else JSON;
 * kinds that are converted to JSON say themselves how they begin; everything else is CSV. File names are not asked, they lie.
 */
export function detectFormat(head: string, mapping: ColumnMapping): InputKind {
  const start = head.trimStart();
  const converted = convertedKind(start);
  if (converted !== undefined) return converted;
  if (start.startsWith('[')) return 'json';
  if (!start.startsWith('{')) return 'csv';
  const lineEnd = start.indexOf('\n');
  const firstLine = lineEnd === -1 ? start : start.slice(0, lineEnd);
  const first = jsonOrUndefined(firstLine);
  if (first === undefined || first === null) return 'json';
  const isOneDocument = start.slice(firstLine.length).trim() === '';
  if (!isOneDocument || looksLikeRow(first, openColumns(mapping).isUid)) return 'ndjson';
  const values = Object.values(first);
  return values.length === 0 || values.some(Array.isArray) ? 'json' : 'ndjson';
}

/** Whether the first line of an object may go on behind this much of the text, so that more is needed to tell. */
export function needsMore(head: string) {
  const start = head.trimStart();
  return start.startsWith('{') && !start.includes('\n');
}

/** The delimiter that Excel's `sep=;` in the first line names; that line is not a row. */
export function separatorLine(head: string): string | undefined {
  return /^"?sep=([^"\r\n])"?[ \t]*(?:\r|\n)/i.exec(head)?.[1];
}

/** First lines that programs write above the header: Microsoft Entra, Google Groups, and Export-Csv of Windows PowerShell. */
const PREAMBLES = [/^version:v\d/i, /^members for group /i, /^#type /i];

/** Whether a row is the first line of a known export, with the header below it. */
export function isPreamble(cells: readonly string[]) {
  const [first = '', ...rest] = cells;
  return rest.every((cell) => cell.trim() === '') && PREAMBLES.some((preamble) => preamble.test(first.trim()));
}

/** A text from its header on: without rows that are skipped, and without the line of a known export. */
export function belowTop(head: string, skip: number) {
  let text = head;
  for (let row = 0; row < skip; row += 1) {
    const rest = text.slice(lineLength(text)).replace(/^\r?\n|^\r/, '');
    // The header is further down than what was read: a line like it is better than none.
    if (rest.trim() === '') break;
    text = rest;
  }
  const first = text.trimStart();
  const length = lineLength(first);
  return isPreamble([first.slice(0, length).replace(/^["\s]+/, '')]) ? first.slice(length) : text;
}

/** The delimiter with which the first row has as many cells as there are columns; of a file without a header. */
export function delimiterFor(columns: number, text: string) {
  const line = text.trimStart();
  const first = line.slice(0, lineLength(line));
  return (
    DELIMITERS.find((delimiter) => cellsOf(first, delimiter).length === columns) ?? detectDelimiter(text, new Set())
  );
}

const COMPARED = 20;

/**
 * The delimiter of a CSV text that starts with `head`: of those with which the header names fields, or rows are as wide as it, the one
 * that names most fields, fits most rows and gives most columns, in this order.
 * @param named columns that the settings name, as `sameName` writes them
 */
export function detectDelimiter(head: string, named: ReadonlySet<string>) {
  const [header = '', ...rows] = firstLines(head.trimStart(), COMPARED + 1);
  const rated = DELIMITERS.map((delimiter) => {
    const names = cellsOf(header, delimiter);
    const fields = names.filter((column) => named.has(sameName(column)) || fieldByAlias(column) !== undefined).length;
    const alike = rows.filter((row) => cellsOf(row, delimiter).length === names.length).length;
    const fits = names.length > 1 && alike * 2 >= rows.length;
    return { delimiter, rank: [fits || fields > 1 ? 1 : 0, fields, names.length > 1 ? alike : 0, names.length] };
  });
  return rated.reduce((best, one) => (isAbove(one.rank, best.rank) ? one : best)).delimiter;
}

function isAbove(rank: readonly number[], other: readonly number[]) {
  const at = rank.findIndex((value, index) => value !== other[index]);
  return at !== -1 && (rank[at] as number) > (other[at] as number);
}

/** Lines that are not blank; one that may be cut off at the end is none, unless it is the only one. */
function firstLines(text: string, most: number) {
  const lines: string[] = [];
  for (let rest = text; rest !== '' && lines.length < most; ) {
    const length = lineLength(rest);
    if (length === rest.length && lines.length > 0) break;
    const line = rest.slice(0, length);
    if (line.trim() !== '') lines.push(line);
    rest = rest.slice(length).replace(/^\r?\n|^\r/, '');
  }
  return lines;
}

/**
 * Line ends of a CSV text that starts with `head`. Those of Windows and Unix may be mixed; the lone carriage return of
 * old Macintosh programs counts only where the first line ends with it, because looking for it costs a tenth of the time.
 */
export function detectLineEnds(head: string) {
  const end = lineLength(head);
  return head[end] === '\r' && head[end + 1] !== '\n' ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'];
}

/** Characters of the first line; a line break inside quotes does not end it. */
function lineLength(text: string) {
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '\n' || character === '\r')) return index;
  }
  return text.length;
}

/** The cells of a line; a delimiter inside quotes is none. */
export function cellsOf(line: string, delimiter: string) {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && character === delimiter) {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  cells.push(cell.trim());
  return cells;
}

const UNPACK = (command: string) => `Unpack it on the way: ${command} <file> | rollcall import -`;
const EXPORT = 'Open it in the program that it comes from, and save the table as CSV';

const READABLE = `${inputNames('and')}, plain, gzipped or compressed with zstd`;

/** Excel keeps an encrypted workbook inside a file of the old kind. */
const COMPOUND_FILE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

/** Files of other formats by their first bytes, written as characters; `at`: where these are, if not at the beginning. */
const SIGNATURES: readonly (readonly [start: string, what: string, remedy: string, at?: number])[] = [
  [
    'PK\x03\x04',
    'a workbook or a ZIP archive that comes through a pipe or inside of another file',
    'Unpack what is around it, and name the file itself; standard input can be given as -',
  ],
  [
    'PAR1',
    'a Parquet file',
    `Write it as CSV on the way: duckdb -c "copy '<file>' to '/dev/stdout' (format csv, header)" | rollcall import -`,
  ],
  [
    COMPOUND_FILE,
    'an old Excel workbook (.xls), an old Word document, or a document that a password protects',
    'Open it in the program that it comes from, and save it as .xlsx without a password, or the table as CSV',
  ],
  ['%PDF-', 'a PDF document', EXPORT],
  ['\xfd7zXZ\0', 'compressed with xz', UNPACK('xz -dc')],
  ['ustar', 'a tar archive', UNPACK('tar -xOf'), 257],
];

const TEXTS: readonly (readonly [start: RegExp, what: string, remedy: string])[] = [
  [/^<(?:!doctype html|html|table|head|body)\b/i, 'an HTML page', EXPORT],
  [/^<\?xml\b/i, 'XML', EXPORT],
  [/^\/[/*]/, 'JSON with comments', 'Remove the comments'],
];

/** Throws BINARY for input that is not text, by its first bytes; ENCRYPTED for a workbook with a password. */
export function refuseBinary(head: Buffer) {
  const bytes = head.toString('latin1');
  if (bytes.startsWith(COMPOUND_FILE) && head.includes(Buffer.from('EncryptedPackage', 'utf16le'))) {
    throw intakeError(
      'ENCRYPTED',
      'this is a workbook that a password protects',
      'Open it with its password, remove the password (File, Info, Protect Workbook), and save it again',
    );
  }
  refuse(
    'BINARY',
    SIGNATURES.find(([start, , , at]) => bytes.startsWith(start, at)),
  );
}

/** Throws OTHER_FORMAT for text that is recognised as neither CSV nor JSON. */
export function refuseOtherText(head: string) {
  const text = head.trimStart();
  refuse(
    'OTHER_FORMAT',
    TEXTS.find(([start]) => start.test(text)),
  );
}

function refuse(code: InputErrorCode, format: readonly [unknown, string, string, unknown?] | undefined) {
  if (format === undefined) return;
  const [, what, remedy] = format;
  throw intakeError(code, `this is ${what}; rollcall reads ${READABLE}`, remedy);
}
