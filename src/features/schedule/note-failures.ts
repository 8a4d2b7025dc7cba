import { setImmediate } from 'node:timers/promises';
import { inTransaction, type openForWriting, type Statements } from '../../platform/sqlite.ts';

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
