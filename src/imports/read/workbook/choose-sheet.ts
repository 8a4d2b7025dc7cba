import { option, words } from '../../../errors/named-options.ts';
import { IntakeError, listed, shown, shownPath, WRITE_ROWS } from '../intake-error.ts';
import type { Workbook } from './workbook.ts';

/** By which signs a table is known in a sheet. */
export interface TableSigns {
  /** Rows to skip, counted as a spreadsheet counts. */
  readonly skip: number;
  /** It is said where the table begins, so that its header is not looked for. */
  readonly isTopGiven: boolean;
  /** A cell is called as a column that is read. */
  readonly isColumn: (text: string) => boolean;
  /** Cells are called as all the columns that are needed. */
  readonly areAll: (cells: readonly string[]) => boolean;
}

export interface ChosenSheet {
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
export async function chooseSheet(
  workbook: Workbook,
  name: string,
  wanted: string | undefined,
  signs: TableSigns,
): Promise<ChosenSheet> {
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
  throw new IntakeError('EMPTY', `${shownPath(name)} has no sheet with rows`, remedy);
}

function namedSheet({ sheets }: Workbook, name: string, wanted: string) {
  const exact = sheets.findIndex((sheet) => sheet.name === wanted);
  if (exact !== -1) return exact;
  const plain = (text: string) => text.trim().toLowerCase();
  const same = sheets.flatMap((sheet, number) => (plain(sheet.name) === plain(wanted) ? [number] : []));
  if (same[0] !== undefined && same.length === 1) return same[0];
  const number = /^\d{1,6}$/.test(wanted) ? Number(wanted) - 1 : -1;
  if (sheets[number] !== undefined) return number;
  throw new IntakeError(
    'UNKNOWN_SHEET',
    `${shownPath(name)} has no sheet ${shown(wanted)}; it has ${listed(sheets.map((sheet) => sheet.name))}`,
    words`Name one of them with ${option('sheet')}, or its number from 1 to ${String(sheets.length)}`,
    { facts: { file: name, sheet: wanted } },
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
function headerBelow(rows: readonly FilledRow[], { isColumn, areAll }: TableSigns): number | undefined {
  const at = rows.findIndex(({ cells }) => cells.some(isColumn));
  const [header, above, below] = [rows[at], rows.slice(0, at), rows.slice(at + 1)];
  if (header === undefined || at === 0 || below.length === 0) return undefined;
  const { line, cells } = header;
  const isApart = above.at(-1)?.line !== line - 1 || above.every((row) => row.cells.length < cells.length);
  const isRepeated = below.some((row) => row.cells.some((cell) => cells.includes(cell)));
  return isApart && areAll(cells) && !isRepeated ? line : undefined;
}
