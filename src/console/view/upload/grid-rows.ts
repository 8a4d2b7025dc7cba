/** The first rows of a file, each once, with what is wrong with its cells and what it is read as. Pure. */
import type { Preview, PreviewRow } from '../../answers.ts';

export interface GridRow {
  line: number;
  original: Readonly<Record<string, unknown>>;
  /** A row may give several memberships. */
  readAs: readonly PreviewRow[];
  /** Column → what is wrong with its cell, or leaves the row out. */
  reasons: ReadonlyMap<string, readonly string[]>;
  /** Problems without a cell. */
  others: readonly string[];
}

interface GridRowsOptions {
  /** Rows. */
  most: number;
  /** Their values are looked up: they need not be ids. */
  keyColumns: readonly string[];
}

export function gridRows({ rows, columns, missing }: Preview, { most, keyColumns }: GridRowsOptions): GridRow[] {
  const byLine = Map.groupBy(rows, ({ line }) => line);
  // Before anything is chosen, all that would be said is that.
  const isChosen = !(missing.includes('uid') && missing.includes('guid'));
  return [...byLine].slice(0, most).map(([line, all]) => {
    const readAs = all.map((row) => ({ ...row, problems: row.problems.filter(isSaid) }));
    const problems = readAs.flatMap((row) => row.problems);
    const byColumn = Map.groupBy(problems, ({ column }) => (columns.includes(column) ? column : undefined));
    const reasons = new Map(
      [...byColumn].flatMap(([column, some]) => (column === undefined ? [] : [[column, once(some)]])),
    );
    return { line, original: all[0]?.original ?? {}, readAs, reasons, others: once(byColumn.get(undefined) ?? []) };
  });

  /** A column that is not chosen yet is missed once, and not in each row. */
  function isSaid({ column }: PreviewRow['problems'][number]) {
    return isChosen && !missing.includes(column) && !keyColumns.includes(column);
  }
}

function once(problems: readonly { reason: string }[]) {
  return [...new Set(problems.map(({ reason }) => reason))];
}
