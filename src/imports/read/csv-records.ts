import { option, words } from '../../errors/named-options.ts';
import type { Columns } from './columns.ts';
import { type Bounds, IntakeError, shown, tooLong } from './intake-error.ts';

const QUOTE = '"';
const LINE_FEED = '\n';

/** The form of a CSV text. */
export interface CsvForm {
  readonly delimiter: string;
  /** Whether a lone carriage return ends a line, as in old Macintosh programs. */
  readonly hasReturns: boolean;
  /** The longest row: how far an unclosed quote may run before the file is refused. */
  readonly bounds: Bounds;
  /** The columns as far as they are known, for errors. */
  readonly columns: Pick<Columns, 'names'>;
}

/**
 * The records of a CSV text, block by block. A quote inside of an unquoted cell is an ordinary character; a cell that begins
 * with one ends with one, and a delimiter or the end of the line follows at once.
 */
export function csvRecords(form: CsvForm) {
  /** Records, and lines of text, that were read. */
  const count = { records: 0, lines: 0 };
  const recordAt = recordReader(form, count);
  /** Text that was not read yet: it begins with a record. */
  let text = '';
  /** With this length it is tried again: a record that is longer than a block is not read anew for each. */
  let enough = 0;

  function read(isEnd: boolean) {
    const found: string[][] = [];
    let start = 0;
    let quote = text.indexOf(QUOTE);
    while (start < text.length) {
      if (quote !== -1 && quote < start) quote = text.indexOf(QUOTE, start);
      const record = recordAt(text, start, quote, isEnd);
      if (record === undefined) break;
      found.push(record.cells);
      count.records += 1;
      count.lines += record.lines;
      start = record.end;
    }
    text = text.slice(start);
    enough = Math.min(2 * text.length, form.bounds.row + 1);
    return found;
  }

  return {
    /** Records that end in this block. Throws UNCLOSED_QUOTE, MISPLACED_QUOTE, ROW_TOO_LONG. */
    of: (block: Buffer): string[][] => {
      text += block.toString();
      return text.length < enough ? [] : read(false);
    },
    /** The records that are left at the end of the text, and whether the last one has no line end. Throws the same. */
    rest: (): [string[][], boolean] => {
      const endsOpen = /[^\r\n]$/.test(text);
      return [read(true), endsOpen];
    },
  };
}

interface CsvRecord {
  readonly cells: string[];
  readonly lines: number;
  /** The place behind its line end. */
  readonly end: number;
}

/** Returns the function that reads a record; it gives undefined for one that goes on behind the text. */
function recordReader({ delimiter, hasReturns, bounds, columns }: CsvForm, count: { records: number; lines: number }) {
  const most = bounds.row;
  const newLine = hasReturns ? String.raw`\r\n?|\n` : String.raw`\r?\n`;
  const plain = new RegExp(`.*?(?=${newLine}|${RegExp.escape(delimiter)}|$)`, 'suy');
  const lineEnd = new RegExp(`${newLine}|\r?$`, 'y');

  /** @param quote place of the next quote, or -1 */
  return (text: string, start: number, quote: number, isEnd: boolean): CsvRecord | undefined => {
    if (hasReturns) return quoted(text, start, isEnd);
    const feed = text.indexOf(LINE_FEED, start);
    const end = feed === -1 ? text.length : feed;
    if (quote !== -1 && quote < end) return quoted(text, start, isEnd);
    if (end - start > most) throw tooLongAt(text, start);
    if (feed === -1 && !isEnd) return undefined;
    const isWindows = feed > start && text[feed - 1] === '\r';
    // A fraction of the time of one with quotes.
    return { cells: text.slice(start, isWindows ? end - 1 : end).split(delimiter), lines: 1, end: end + 1 };
  };

  function quoted(text: string, start: number, isEnd: boolean): CsvRecord | undefined {
    const cells: string[] = [];
    for (let at = start; ; at += delimiter.length) {
      const isQuoted = text[at] === QUOTE;
      const closing = isQuoted ? closingQuote(text, at) : 0;
      const end = closing === -1 ? text.length : isQuoted ? closing + 1 : ended(plain, text, at);
      const neverCloses = closing === -1 && isEnd;
      if (neverCloses || end - start > most) {
        // Only a quote lets a row run over several lines of text.
        const isOpen = neverCloses || linesIn(text.slice(start, end)) > 1;
        throw isOpen ? unclosed(placeOf(cells.length)) : tooLongAt(text, start);
      }
      if (end === text.length && !isEnd) return undefined;
      cells.push(isQuoted ? text.slice(at + 1, closing).replaceAll('""', QUOTE) : text.slice(at, end));
      at = end;
      if (text.startsWith(delimiter, end)) continue;
      const next = ended(lineEnd, text, end);
      if (next === text.length && text[next - 1] !== LINE_FEED && !isEnd) return undefined;
      if (next > 0) return { cells, lines: linesIn(text.slice(start, next)) - 1, end: next };
      throw misplaced(count.records + 1, count.lines + linesIn(text.slice(start, end)));
    }
  }

  function tooLongAt(text: string, start: number) {
    const cells = text.slice(start, start + most).split(delimiter);
    const advice = words`Shorten it, say with ${option('format')} what the file is if it is not CSV`;
    return tooLong('row', bounds, { place: placeOf(cells.length - 1), advice });
  }

  function placeOf(cell: number) {
    const name = columns.names[cell];
    return `line ${count.records + 1}, column ${name === undefined ? cell + 1 : shown(name)}`;
  }
}

/** The place behind a match of a sticky pattern; 0 where there is none. */
function ended(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

/** -1 where there is none. The last quote of a text may be the first of two. */
function closingQuote(text: string, open: number) {
  for (let at = text.indexOf(QUOTE, open + 1); at !== -1; at = text.indexOf(QUOTE, at + 2)) {
    if (text[at + 1] !== QUOTE) return at;
  }
  return -1;
}

const linesIn = (text: string) => text.split(/\r\n?|\n/).length;

function unclosed(place: string) {
  return new IntakeError(
    'UNCLOSED_QUOTE',
    'a quote opens here and never closes, so that everything after it would be one cell',
    'Close the quote, or write it twice if it belongs to the text; if the input was cut off, get all of it',
    { place },
  );
}

function misplaced(line: number, textLine: number) {
  return new IntakeError(
    'MISPLACED_QUOTE',
    `a quoted cell continues after its closing quote (on text line ${textLine}); a delimiter or the end of the line must follow at once, without a space, and a quote inside a quoted cell is written twice`,
    'Correct the quotes of this row; often the cell is quoted at one end only, or there is a space after it',
    { place: `line ${line}`, facts: { line, textLine } },
  );
}
