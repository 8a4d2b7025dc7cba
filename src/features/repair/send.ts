import { open } from 'node:fs/promises';
import { type ImportOptions, retryOptions } from '../../imports/import-options.ts';
import { membershipFile } from '../../imports/report/report-table.ts';
import { inTransaction } from '../../platform/sqlite.ts';
import { EDITED, editedText, FROM_ROW, notesOn, readingOptions } from './edited-rows.ts';
import { judge } from './judge.ts';
import { cannotRepair, editedIn, type OpenRepair, type OpenRow, rowsOf } from './repair-ledger.ts';

/** Rows that are written at a time: a bound on memory. */
const AT_ONCE = 5_000;

/**
 * Looks after imports of repaired rows whose beginning may have been interrupted, or that ended before their rows were read.
 * @param isThere of those that the catalog has; false: ended before
 */
export function settle({ database, sql }: OpenRepair, isThere: Readonly<Record<string, boolean>>): void {
  const ids = (there: boolean) => JSON.stringify(Object.keys(isThere).filter((id) => isThere[id] === there));
  inTransaction(database, () => {
    sql('note_sends').run({ there: ids(true) });
    sql('release').run({ gone: ids(false) });
  });
}

/**
 * Assigns all ready rows to one import, and writes its file: the rows with their edits. From here on no one else can send or edit them.
 * @param seen the revision that was looked at @returns how to read the file; undefined where no row is ready
 * @throws CannotRepair if a cell was edited since
 */
export async function claim(repair: OpenRepair, importId: string, path: string, seen?: number) {
  const { sql, input, options } = repair;
  if (seen !== undefined && seen !== editedIn(repair).revision) {
    throw cannotRepair('rows were edited after you looked at them', 'look at them again, then send them');
  }
  sql('claim').run({ import: importId });
  const rows = sql<{ row: number }>('rows_of_send')
    .all({ import: importId })
    .map(({ row }) => row);
  if (rows.length === 0) return undefined;
  const isShaped = input.shaped === true;
  const textOf = async (some: readonly OpenRow[]) =>
    [...(isShaped ? await shapedText(repair, some) : editedText(input, some))].join('');
  await using file = await open(path, 'w', 0o600);
  const header = await textOf([]);
  await file.appendFile(header);
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const text = await textOf([...rowsOf(repair, rows.slice(at, at + AT_ONCE)).values()]);
    await file.appendFile(text.slice(header.length));
  }
  const plain: ImportOptions = isShaped
    ? retryOptions(options, { format: 'csv', isShaped })
    : { ...readingOptions(repair), shape: undefined };
  return { ...plain, repaired: true };
}

async function shapedText(repair: OpenRepair, rows: readonly OpenRow[]) {
  const notes = new Map(rows.map((row) => [row.line, notesOn(row, () => '').map(([, value]) => value)]));
  const memberships = (await judge(repair, rows)).flatMap((one) => one.memberships);
  const { shape, silent, until = repair.input.recognised['until'] } = repair.options;
  const has = { action: shape?.actions, joined_at: silent, until };
  const more = (['action', 'joined_at', 'until'] as const).filter((column) => has[column]);
  return membershipFile(memberships, more, { columns: [FROM_ROW, EDITED], of: (line) => notes.get(line) ?? [] });
}

/** Counts rows that were sent repaired, their memberships that a retry would send, and edited rows that were not sent. */
export function sent(repair: OpenRepair) {
  const { rows, retryable, ready, wrong } = editedIn(repair);
  return { rows, retryable, edited: ready + wrong };
}
