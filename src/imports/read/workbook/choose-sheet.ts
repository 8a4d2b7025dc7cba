import { option, words } from '../../../errors/named-options.ts';
import { IntakeError, listed, shown, shownPath } from '../intake-error.ts';
import { Warnings } from './warnings.ts';
import type { Workbook } from './workbook.ts';

/** Where a table begins in a sheet, and by which name a single column is one. */
export interface TableSigns {
  /** Rows to skip, counted as a spreadsheet counts. */
  readonly skip: number;
  readonly isHeader: (text: string) => boolean;
}

export interface ChosenSheet {
  readonly number: number;
  /** Whether it was looked for, and not named. */
  readonly isFound: boolean;
  /** Visible sheets before it that have something in them, but no table. */
  readonly passed: readonly string[];
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
  if (wanted !== undefined) return { number: namedSheet(workbook, name, wanted), isFound: false, passed: [] };
  const withText: number[] = [];
  for (const [number, { isVisible }] of workbook.sheets.entries()) {
    if (!isVisible) continue;
    const content = await contentOf(workbook, number, signs);
    if (content === 'text') withText.push(number);
    if (content !== 'table') continue;
    return { number, isFound: true, passed: withText.map((passed) => workbook.sheets[passed]?.name ?? '') };
  }
  const [first] = withText;
  if (first !== undefined) return { number: first, isFound: true, passed: [] };
  const hidden = workbook.sheets.filter(({ isVisible }) => !isVisible);
  const remedy =
    hidden.length === 0
      ? 'Write rows into it, or name another file'
      : words`Name one of its hidden sheets with ${option('sheet')}: ${listed(hidden.map((sheet) => sheet.name))}`;
  throw new IntakeError({ code: 'EMPTY', what: `${shownPath(name)} has no sheet with rows`, remedy });
}

function namedSheet({ sheets }: Workbook, name: string, wanted: string): number {
  const exact = sheets.findIndex((sheet) => sheet.name === wanted);
  if (exact !== -1) return exact;
  const plain = (text: string) => text.trim().toLowerCase();
  const same = sheets.flatMap((sheet, number) => (plain(sheet.name) === plain(wanted) ? [number] : []));
  if (same[0] !== undefined && same.length === 1) return same[0];
  const number = /^\d{1,6}$/.test(wanted) ? Number(wanted) - 1 : -1;
  if (sheets[number] !== undefined) return number;
  throw new IntakeError({
    code: 'UNKNOWN_SHEET',
    what: `${shownPath(name)} has no sheet ${shown(wanted)}; it has ${listed(sheets.map((sheet) => sheet.name))}`,
    remedy: words`Name one of them with ${option('sheet')}, or its number from 1 to ${String(sheets.length)}`,
    facts: { file: name, sheet: wanted },
  });
}

async function contentOf(
  workbook: Workbook,
  number: number,
  { skip, isHeader }: TableSigns,
): Promise<'nothing' | 'text' | 'table'> {
  let isEmpty = true;
  let rows = 0;
  let hasTable = false;
  const look = (line: number, cells: readonly string[]) => {
    const [first, second] = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
    if (first === undefined) return;
    isEmpty = false;
    if (line <= skip) return;
    rows += 1;
    hasTable ||= second !== undefined || rows > LOOKED_AT || (rows === 1 && isHeader(first));
  };
  for await (const _ of workbook.read(number, new Warnings(), look)) if (hasTable) return 'table';
  return isEmpty ? 'nothing' : 'text';
}
