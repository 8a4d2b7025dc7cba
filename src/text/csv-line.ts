/** Delimiters of any spreadsheet, quotes, line breaks, blanks at an edge, a disarmed formula. */
const NEEDS_QUOTES = /[",;\t|\r\n]|^[\s']|\s$/;

/**
 * One line of CSV (RFC 4180) with its line end.
 * Lines end in LF, not CRLF: every spreadsheet reads it, and `cut`, `awk` and `diff` do not find a CR at the last cell.
 * A line that would be blank becomes `""`, because readers skip blank lines.
 */
export function csvLine(cells: readonly string[], delimiter: string) {
  let line = '';
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) line += delimiter;
    line += csvCell(cells[index] ?? '', delimiter);
  }
  return line === '' ? '""\n' : `${line}\n`;
}

function csvCell(cell: string, delimiter: string) {
  return NEEDS_QUOTES.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A value as a cell: a text as it is, nothing as an empty one, all else as JSON writes it. */
export function cellOf(value: unknown) {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
