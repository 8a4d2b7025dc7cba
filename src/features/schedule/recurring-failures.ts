import { setImmediate } from 'node:timers/promises';
import { openImportReader } from '../../imports/report/import-reader.ts';
import type { Outcome } from '../../membership/outcome.ts';
import { inTransaction, type openForWriting, type Statements } from '../../platform/sqlite.ts';
import { counted, grouped, utcTime } from '../../text/wording.ts';

/** A row that the last run could not put in place, and since when that is so. */
export interface ScheduleFailure {
  readonly region: string;
  readonly guid: string;
  readonly uid: string;
  readonly code: string;
  readonly since: number;
}

export interface FailureCount {
  readonly rows: number;
  /** The number of those rows that failed in the same way in an earlier run. */
  readonly earlier: number;
  /** Since when the oldest of them fails; null where none does. */
  readonly since: number | null;
}

/** Rows that are noted in one transaction: some ten milliseconds. */
const AT_ONCE = 1_000;

type FailedRow = Omit<ScheduleFailure, 'since'>;

/** Puts the rows that failed in a run in place of those of the run before. @param sql statements of schedule-catalog.sql */
export async function noteFailures(
  database: ReturnType<typeof openForWriting>,
  sql: Statements,
  { id, schedule, at }: { readonly id: number; readonly schedule: string; readonly at: number },
  rows: Iterable<FailedRow>,
): Promise<FailureCount> {
  const note = (piece: readonly FailedRow[]) =>
    inTransaction(database, () => {
      for (const { region, guid, uid, code } of piece) {
        sql('note_failure').run({ schedule, region, guid, uid, code, at, run: id });
      }
    });
  // Others wait for this thread and for the catalog.
  for (const piece of inPieces(rows, AT_ONCE)) {
    note(piece);
    await setImmediate();
  }
  const page = { schedule, run: id, limit: AT_ONCE };
  while (Number(sql('forget_failures').run(page).changes) === AT_ONCE) await setImmediate();
  return sql<FailureCount>('count_failures').get({ schedule, at }) as FailureCount;
}

function* inPieces<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let piece: Item[] = [];
  for (const item of items) {
    if (piece.push(item) < size) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** Rows that a schedule cannot put in place: tried again every night, and reported with the date of the first failure. */

const NOT_IN_PLACE: ReadonlySet<Outcome> = new Set(['failed', 'unconfirmed']);

/** Those of a finished import. */
export function* failedRows(ledger: string): Generator<Omit<ScheduleFailure, 'since'>> {
  const reader = openImportReader(ledger);
  try {
    for (const { region, guid, uid, status, code } of reader.rows({ statuses: NOT_IN_PLACE })) {
      yield { region, guid, uid, code: code === '' ? status : code };
    }
  } finally {
    reader.close();
  }
}

/** "3 rows fail: 1 for the first time, 2 as before, the oldest since 2026-11-01 01:30:00 UTC"; '' where none does. */
export function failingSince({ rows, earlier, since }: FailureCount): string {
  if (rows === 0 || since === null) return '';
  const fresh = rows - earlier;
  const parts = [
    ...(fresh > 0 ? [`${grouped(fresh)} for the first time`] : []),
    ...(earlier > 0 ? [`${grouped(earlier)} as before, the oldest since ${utcTime(since)}`] : []),
  ];
  return `${counted(rows, 'row')} ${rows === 1 ? 'fails' : 'fail'}: ${parts.join(', ')}`;
}
