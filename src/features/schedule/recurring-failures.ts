import { openImportReader } from '../../imports/report/import-reader.ts';
import type { Outcome } from '../../membership/outcome.ts';
import { counted, grouped, utcTime } from '../../text/wording.ts';
import type { FailureCount, ScheduleFailure } from './note-failures.ts';

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
