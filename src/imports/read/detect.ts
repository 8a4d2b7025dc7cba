import type { InputKind } from '../../options/input-kinds.ts';
import { type ColumnMapping, fieldByAlias, isFor } from './columns.ts';
import { looksLikeRow } from './element.ts';
import { convertedKind } from './element-formats.ts';

/** Characters of a JSON document that is a text, number or word alone: it cannot be read, but its message can say so. */
const MAX_SCALAR_LENGTH = 1_000;

/** Delimiters that are recognised, the likeliest first. */
const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * The format of a text that starts with `head`, by its content: `[` opens JSON; `{` opens NDJSON when the first
 * line is one complete object of its own and a row where nothing follows it, else JSON; a text or number alone is JSON;
 * kinds that are converted to JSON say themselves how they begin; everything else is CSV. File names are not asked, they lie.
 */
export function detectFormat(head: string, mapping: ColumnMapping): InputKind {
  const start = head.trimStart();
  const converted = convertedKind(start);
  if (converted !== undefined) return converted;
  if (start.startsWith('[')) return 'json';
  if (!start.startsWith('{')) return isScalar(start) ? 'json' : 'csv';
  const lineEnd = start.indexOf('\n');
  const firstLine = lineEnd === -1 ? start : start.slice(0, lineEnd);
  const first = parsed(firstLine);
  if (first === undefined || first === null) return 'json';
  const isOneDocument = start.slice(firstLine.length).trim() === '';
  if (!isOneDocument || looksLikeRow(first, (key) => isFor('uid', key, mapping))) return 'ndjson';
  const values = Object.values(first);
  return values.length === 0 || values.some(Array.isArray) ? 'json' : 'ndjson';
}

function isScalar(text: string): boolean {
  const value = text.length < MAX_SCALAR_LENGTH ? parsed(text) : undefined;
  return value === null || (value !== undefined && typeof value !== 'object');
}

function parsed(text: string): object | null | undefined {
  try {
    return JSON.parse(text) as object | null;
  } catch {
    return undefined;
  }
}

/** Whether the first line of an object may go on behind this much of the text, so that more is needed to tell. */
export function needsMore(head: string): boolean {
  const start = head.trimStart();
  return start.startsWith('{') && !start.includes('\n');
}

/** The delimiter that Excel's `sep=;` in the first line names; that line is not a row. */
export function separatorLine(head: string): string | undefined {
  return /^"?sep=([^"\r\n])"?[ \t]*(?:\r|\n)/i.exec(head)?.[1];
}

/** First lines that programs write above the header: Microsoft Entra, and Google Groups. */
const PREAMBLES = [/^version:v\d/i, /^members for group /i];

/** Whether a row is the first line of a known export, with the header below it. */
export function isPreamble(cells: readonly string[]): boolean {
  const [first = '', ...rest] = cells;
  return rest.every((cell) => cell.trim() === '') && PREAMBLES.some((preamble) => preamble.test(first.trim()));
}

/** A text from its header on: without rows that are skipped, and without the line of a known export. */
export function belowTop(head: string, skip: number): string {
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
export function delimiterFor(columns: number, text: string): string {
  const line = text.trimStart();
  const first = line.slice(0, lineLength(line));
  return DELIMITERS.find((delimiter) => cellsOf(first, delimiter).length === columns) ?? detectDelimiter(text, []);
}

/**
 * The delimiter of a CSV text that starts with `head`: the one with which the header names most fields, and among
 * equals most columns. The header alone decides, because names and texts in the rows may hold any character.
 */
export function detectDelimiter(head: string, columns: readonly string[]): string {
  const mapped = new Set(columns);
  const header = head.trimStart();
  const line = header.slice(0, lineLength(header));
  let best: string = DELIMITERS[0];
  let bestScore = -1;
  for (const delimiter of DELIMITERS) {
    const columns = cellsOf(line, delimiter);
    const fields = columns.filter((column) => mapped.has(column) || fieldByAlias(column) !== undefined);
    const score = fields.length * 10_000 + columns.length;
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

/**
 * Line ends of a CSV text that starts with `head`. Those of Windows and Unix may be mixed; the lone carriage return of
 * old Macintosh programs counts only where the first line ends with it, because looking for it costs a tenth of the time.
 */
export function detectLineEnds(head: string): string[] {
  const end = lineLength(head);
  return head[end] === '\r' && head[end + 1] !== '\n' ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'];
}

/** Characters of the first line; a line break inside quotes does not end it. */
function lineLength(text: string): number {
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '\n' || character === '\r')) return index;
  }
  return text.length;
}

function cellsOf(line: string, delimiter: string): string[] {
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
