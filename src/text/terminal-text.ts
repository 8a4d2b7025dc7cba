import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** Letters of Latin scripts and the usual punctuation, each of which takes one column. */
const ONE_COLUMN_EACH = /^[\x20-\x7e\u00a0-\u02ff\u2010-\u2027]*$/;

/** Columns that the text takes on a terminal: two for a letter of East Asia or an emoji, none for a combining accent. */
export function widthOf(text: string) {
  if (ONE_COLUMN_EACH.test(text)) return text.length;
  // Loaded when a text needs it: it takes 25 ms of processor time, and most texts never do.
  const { default: stringWidth } = load('string-width') as typeof import('string-width');
  return stringWidth(text);
}

/** The text with blanks behind it, up to `width` columns. */
function padEnd(text: string, width: number) {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** The text, or as much of its beginning as fits into `width` columns, with an ellipsis. */
export function cut(text: string, width: number) {
  if (ONE_COLUMN_EACH.test(text)) return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
  let used = 0;
  let fitting = '';
  let whole = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width) return `${fitting}…`;
    whole += segment;
    if (used < width) fitting = whole;
  }
  return text;
}

/** The text in lines of at most `width` columns, broken at spaces but not at no-break spaces, which become ordinary ones;
 * the lines after the first begin with `indent`. */
export function wrap(text: string, width: number, indent = '') {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((full) => full.replaceAll('\u00a0', ' '));
}

/** A table: columns in line; numbers, and dots in their place, to the right; the last column is cut where the terminal ends. */
export function drawTable(head: readonly string[], rows: readonly (readonly string[])[], width: number, gap = '  ') {
  const widths = head.map((name, column) => Math.max(...[name, ...rows.map((row) => row[column] ?? '')].map(widthOf)));
  const isNumber = head.map((_, column) => rows.length > 0 && rows.every((row) => /^[\d,·]+$/.test(row[column] ?? '')));
  const line = (cells: readonly string[]) =>
    cut(
      cells
        .map((cell, column) =>
          isNumber[column] ? cell.padStart(widths[column] ?? 0) : padEnd(cell, widths[column] ?? 0),
        )
        .join(gap)
        .trimEnd(),
      width,
    );
  return [head, ...rows].map(line).join('\n');
}

/** A value as a POSIX shell reads it back unchanged. */
export function shellWord(value: string) {
  return /^[\p{L}\p{N}_.,:=/@%+-]+$/u.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
