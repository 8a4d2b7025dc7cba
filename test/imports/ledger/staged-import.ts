import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { InputRow, RowProblem } from '../../../src/imports/read/input-row.ts';
import type { InputDescription } from '../../../src/imports/read/notes.ts';
import type { BatchResult, CallRecord, Sent } from '../../../src/imports/record/batch-result.ts';
import { type BatchToSend, type ImportLedger, openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { type ImportReader, openImportReader } from '../../../src/imports/report/import-reader.ts';
import { startStaging } from '../../../src/imports/stage/row-writer.ts';
import { type Membership, REGIONS, type Region } from '../../../src/membership/membership.ts';
import { tempDir } from '../../temp-dir.ts';

export const CSV: InputDescription = {
  format: 'csv',
  delimiter: ',',
  columns: ['guid', 'uid', 'scope'],
  recognised: { guid: 'guid', uid: 'uid', scope: 'scope' },
};

export const EMPTY_UID: RowProblem = {
  column: 'uid',
  value: '',
  code: 'EMPTY',
  reason: 'the uid is empty; a row needs one',
};

export const BAD_UID: RowProblem = {
  column: 'uid',
  value: 'a b',
  code: 'BAD_CHARACTER',
  reason: '"a b" has a space; allowed are letters',
};

export type WantedRow = Partial<Membership> & Partial<Pick<InputRow, 'problems' | 'shaped' | 'line'>>;

/** A row that asks for what `wanted` says: else a participant of group `g` in region `us`. Row 1 is in line 2. */
export function rowAt(index: number, wanted: WantedRow): InputRow {
  return {
    region: 'us',
    guid: 'g',
    uid: `u${index + 1}`,
    scope: 'participant',
    onBehalfOf: '',
    problems: [],
    ...wanted,
    line: wanted.line ?? index + 2,
    original: JSON.stringify(['row', index]),
  };
}

/** Writes an import's file with these rows, in chunks of `chunk`. */
export function stage(path: string, wantedRows: readonly WantedRow[], chunk = 7): void {
  const staging = startStaging(path);
  const rows = wantedRows.map((wanted, index) => rowAt(index, wanted));
  for (let at = 0; at < rows.length; at += chunk) staging.add(rows.slice(at, at + chunk));
  staging.finish(CSV);
}

export interface StagedImport {
  readonly path: string;
  readonly ledger: ImportLedger;
  readonly reader: ImportReader;
  /** Takes a region's batches as the dispatcher does. */
  dispatch(region?: Region): BatchToSend[];
  /** Records what sending a batch came to, after one call. */
  record(batch: BatchToSend, sent: Sent, more?: Partial<Pick<BatchResult, 'calls' | 'uncertainty'>>): void;
}

/** A staged import in a directory of its own; both connections are closed when the test is over. */
export async function stagedImport(wantedRows: readonly WantedRow[]): Promise<StagedImport> {
  const path = join(tempDir(), 'import.db');
  await stage(path, wantedRows);
  const ledger = openImportLedger(path);
  const reader = openImportReader(path);
  onTestFinished(() => {
    reader.close();
    ledger.close();
  });
  return {
    path,
    ledger,
    reader,
    dispatch: (region = 'us') => {
      const batches = ledger.toSend(region, ledger.pendingBatches(region, 1_000_000));
      ledger.markDispatched(batches.map(({ id }) => id));
      return batches;
    },
    record: (batch, sent, more) => void ledger.record([resultOf(batch, sent, more)]),
  };
}

/** `count` rows of one group, each with its own UID. */
export function members(count: number, wanted: WantedRow = {}): WantedRow[] {
  return Array.from({ length: count }, () => wanted);
}

export function pending(ledger: ImportLedger): BatchToSend[] {
  return REGIONS.flatMap((region) => ledger.toSend(region, ledger.pendingBatches(region, 1_000_000)));
}

/** Puts all that is pending, or the first `limit` batches of it, into the queue, so to speak. */
export function dispatch(ledger: ImportLedger, limit = Number.POSITIVE_INFINITY): BatchToSend[] {
  const batches = pending(ledger).slice(0, limit);
  ledger.markDispatched(batches.map(({ id }) => id));
  return batches;
}

/** The one batch that is pending, dispatched. */
export function dispatchOnly(ledger: ImportLedger): BatchToSend {
  const [batch, ...others] = dispatch(ledger);
  if (batch === undefined || others.length > 0) throw new Error(`one batch expected, and ${others.length} more`);
  return batch;
}

const ANSWERED: CallRecord = { at: 1_000, ms: 20, httpStatus: 200, code: '', kind: 'answered' };

export function call(change: Partial<CallRecord>): CallRecord {
  return { ...ANSWERED, ...change };
}

/** Returns a worker's result after one call. */
export function resultOf(
  { id, region, uncertainty }: BatchToSend,
  sent: Sent,
  more: Partial<Pick<BatchResult, 'calls' | 'uncertainty'>> = {},
): BatchResult {
  return { batch: id, region, calls: [ANSWERED], uncertainty, sent, at: 1_020, ...more };
}

export const ALL_DONE: Sent = { kind: 'answered', others: [], missing: [] };
