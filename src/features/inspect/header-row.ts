import type { InputRow } from '../../imports/read/intake.ts';
import { DATE, EMAIL } from './column-facts.ts';

/** Rows that may be above a table: a title, a date, an address. */
const MAX_ABOVE = 30;
/** Share of the columns that a header names. */
const MIN_SHARE = 0.8;

/**
 * The number of the row that looks like the header of a table which does not begin in the first row: the first row that is
 * about as wide as the widest, with texts that are not values. Undefined where the first row may well be the header.
 * @param names columns as the first row names them  @param rows those below it, of cells
 */
export function headerRowOf(names: readonly string[], rows: readonly InputRow[]): number | undefined {
  const named = names.filter((name) => name.trim() !== '' && !/^_extra_\d+$/.test(name)).length;
  const tables = rows.slice(0, MAX_ABOVE).map(({ line, original }) => ({ line, cells: filledCells(original) }));
  const widest = Math.max(0, ...tables.map(({ cells }) => cells.length));
  if (widest < 2 || named > widest / 2) return undefined;
  const header = tables.find(({ cells }) => cells.length >= widest * MIN_SHARE && isHeader(cells));
  return header === undefined || header === tables.at(-1) ? undefined : header.line;
}

/**
 * The same for a text whose first line has no delimiter, so that all of it would be one column.
 * @param lines of the text, from the first one on
 */
export function headerLineOf(lines: readonly string[]): number | undefined {
  const found = [';', '\t', '|', ','].flatMap((delimiter) => {
    const widths = lines.slice(0, MAX_ABOVE).map((line) => line.split(delimiter).length);
    const at = widths.findIndex((width, index) => width > 1 && width === widths[index + 1]);
    if (at < 1 || !isHeader(lines[at]?.split(delimiter) ?? [])) return [];
    return [{ row: at + 1, alike: widths.filter((width) => width === widths[at]).length }];
  });
  return found.sort((a, b) => b.alike - a.alike)[0]?.row;
}

function isHeader(cells: readonly string[]): boolean {
  return (
    new Set(cells).size === cells.length &&
    cells.every((cell) => !EMAIL.test(cell) && !DATE.test(cell) && !/^\d+$/.test(cell))
  );
}

function filledCells(original: string): string[] {
  const cells: unknown = original === '' ? [] : JSON.parse(original);
  return Array.isArray(cells) ? cells.map((cell) => String(cell).trim()).filter((cell) => cell !== '') : [];
}
