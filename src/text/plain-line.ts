/**
 * Most lines of a report hold nothing that needs a quote or an apostrophe. One expression tests the whole line,
 * which takes a tenth of looking at each cell; a line that does not pass is written cell by cell (`csvLine`, `harmless`).
 */

/** Delimiters that cannot be part of a number, a time or a word of ours. */
const DELIMITERS: ReadonlySet<string> = new Set([',', ';', '\t', '|']);
/** A very wide line is not worth an expression of its own. */
const MOST_CELLS = 200;

/** Neither blank nor quote nor what opens a formula; `_`, digits and letters of the usual scripts. */
const FIRST = '[A-Za-z0-9_\\u00c0-\\u02af\\u0370-\\u058f\\u3041-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7a3]';
/** No delimiter of any spreadsheet, no quote, no control character; and no backslash, so that JSON text can be looked at. */
const FORBIDDEN = '",;|\\\\\\x00-\\x1f\\x7f-\\x9f';
/** Empty, or a text without a blank at its end. */
const CELL = `(?:${FIRST}(?:[^${FORBIDDEN}]*[^${FORBIDDEN}\\s])?)?`;
const PLAIN_CELL = new RegExp(`^${CELL}$`);

/** Whether the cell stays as it is in every report, whatever the delimiter of a usual spreadsheet. */
export function isPlain(cell: string): boolean {
  return PLAIN_CELL.test(cell);
}

/**
 * A test for a line of this many cells, joined by the delimiter: true when each of them is plain, so that the line is
 * CSV as it is. Undefined where the whole line cannot be tested at once.
 */
export function plainLineTest(delimiter: string, cells: number): RegExp | undefined {
  if (!DELIMITERS.has(delimiter) || cells < 1 || cells > MOST_CELLS) return undefined;
  const separator = delimiter === '|' ? '\\|' : delimiter;
  return new RegExp(`^${CELL}(?:${separator}${CELL}){${cells - 1}}$`);
}

const BETWEEN_CELLS = /","/g;

/**
 * The cells of a JSON array of `count` texts joined by the delimiter, without parsing it. Only right if the result passes
 * `plainLineTest`: then no quote and no backslash is in it, so that each `","` has ended one text and begun the next, and
 * no cell holds a delimiter. Undefined where it is not such an array.
 */
export function joinedCells(json: string, delimiter: string, count: number): string | undefined {
  if (json.length < 4 || !json.startsWith('["') || !json.endsWith('"]')) return undefined;
  const cells = json.slice(2, -2).replace(BETWEEN_CELLS, delimiter);
  // Three characters have become one, once for each cell after the first.
  return json.length - cells.length === 2 * (count + 1) ? cells : undefined;
}
