import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BatchResult, Sent } from '../../src/ledger/batch-result.ts';
import { type BatchToSend, type ImportLedger, openImportLedger } from '../../src/ledger/import-ledger.ts';
import { type ImportReader, openImportReader } from '../../src/ledger/reading.ts';
import type { StagedProblem, StagedRow } from '../../src/ledger/staged-row.ts';
import { startStaging } from '../../src/ledger/staging.ts';
import type { Region } from '../../src/membership/membership.ts';
import { tempDir } from '../temp-dir.ts';

export type RowToStage = Partial<StagedRow>;

export const PROBLEM: StagedProblem = {
  column: 'uid',
  value: 'a b',
  code: 'BAD_CHARACTER',
  reason: '"a b" has a space; allowed are letters',
};

/** `count` rows of one group: u1, u2 and so on. */
export function members(count: number, row: RowToStage = {}): RowToStage[] {
  return Array.from({ length: count }, (_, index) => ({ uid: `u${index + 1}`, ...row }));
}

/** Stages rows as an import does, in chunks, and returns the path of the ledger. */
export async function stage(rows: readonly RowToStage[], path: string, chunk = 1_000): Promise<void> {
  const whole = rows.map(
    (row, index): StagedRow => ({
      region: 'us',
      guid: 'g',
      uid: 'u',
      scope: 'participant',
      onBehalfOf: '',
      line: index + 2,
      original: JSON.stringify([row.guid, row.uid]),
      problems: [],
      ...row,
    }),
  );
  const staging = startStaging(path);
  for (let from = 0; from < whole.length; from += chunk) await staging.add(whole.slice(from, from + chunk));
  await staging.finish({
    format: 'csv',
    delimiter: ';',
    columns: ['guid', 'uid'],
    recognised: { guid: 'guid', uid: 'uid' },
  });
}

export interface StagedLedger {
  readonly path: string;
  readonly ledger: ImportLedger;
  readonly reader: ImportReader;
  /** Takes batches as the dispatcher does. */
  dispatch(limit?: number, region?: Region): BatchToSend[];
  /** Records what sending a batch came to, after one call. */
  record(batch: BatchToSend, sent: Sent, more?: Partial<BatchResult>): ReturnType<ImportLedger['record']>;
  /** Number of rows by outcome, from the report. */
  outcomes(): Record<string, number>;
}

/** A ledger with these rows, open for writing and for reading; closed when the test is over. */
export async function openStaged(rows: readonly RowToStage[]): Promise<StagedLedger> {
  const path = join(tempDir(), 'ledger.sqlite');
  await stage(rows, path);
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
    dispatch: (limit = 1_000, region = 'us') => {
      const batches = ledger.pendingBatches(region, limit);
      ledger.markDispatched(batches.map(({ id }) => id));
      return batches;
    },
    record: (batch, sent, more = {}) => ledger.record([resultOf(batch, sent, more)]),
    outcomes: () => {
      const counts: Record<string, number> = {};
      for (const { status } of reader.rows()) counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    },
  };
}

export function resultOf(batch: BatchToSend, sent: Sent, more: Partial<BatchResult> = {}): BatchResult {
  const { id, region, doubt } = batch;
  const kind = sent.kind === 'refused' ? 'final' : sent.kind === 'unanswered' ? 'again' : sent.kind;
  const code = 'code' in sent ? sent.code : '';
  const call = { at: 1_000, ms: 20, httpStatus: sent.kind === 'answered' ? 200 : 400, code, kind } as const;
  return { batch: id, region, doubt, calls: [call], at: 1_020, sent, ...more };
}

export const ALL_ADDED: Sent = { kind: 'answered', others: [], missing: [] };

/** The one batch that there is. */
export function only<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new Error(`${items.length} instead of one`);
  return item;
}
