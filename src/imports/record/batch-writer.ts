import type { Statements } from '../../platform/sqlite.ts';
import type { Answered, Batch, BatchResult, BatchRow, BatchState, CallRecord, Sent, Standing } from './batch-result.ts';
import { scopeId } from './enum-ids.ts';

const BAN = scopeId('ban');

export type BatchWriter = ReturnType<typeof batchWriter>;

/** Writes calls, parts and ends of batches in one transaction, and at its end the running totals, once. */
export function batchWriter(sql: Statements) {
  const totals = new Map<string, { readonly region: number; readonly name: string; n: number }>();

  /** Adds to a running total of a region. */
  const count = (region: number, name: string, n: number): void => {
    if (n === 0) return;
    const key = `${region} ${name}`;
    const total = totals.get(key) ?? { region, name, n: 0 };
    totals.set(key, total);
    total.n += n;
  };

  return {
    count,
    writeTotals: (): void => {
      for (const total of totals.values()) sql('add_to_counter').run(total);
    },
    addCalls: (batch: Batch, calls: readonly CallRecord[]): void => {
      for (const { at, ms, httpStatus, code, kind, message = null, requestId = null } of calls) {
        sql('add_call').run(batch.id, batch.region_id, at, ms, httpStatus, code, kind, message, requestId);
        count(batch.region_id, 'calls', 1);
        if (kind === 'again') count(batch.region_id, 'retries', 1);
        if (kind === 'slow-down') count(batch.region_id, 'rateLimited', 1);
      }
    },
    rowsOf: ({ id }: Batch): BatchRow[] => sql<BatchRow>('rows_of_batch').all({ batch: id }),
    /** Moves some rows of a batch into a new pending batch; returns its id. */
    cutOff: (
      batch: Batch,
      rows: readonly BatchRow[],
      { calls, uncertainty }: Pick<BatchResult, 'calls' | 'uncertainty'>,
      standing?: Standing,
    ): number => {
      const to = sql('add_batch').run({
        parent: batch.id,
        size: rows.length,
        bans: rows.filter((row) => row.scope_id === BAN).length,
        standing: standing === undefined ? null : JSON.stringify(standing),
        uncertainty: uncertainty ?? batch.uncertainty,
        calls: calls.length,
      }).lastInsertRowid;
      for (const { row_id } of rows) sql('move_row').run({ from: batch.id, to, row: row_id });
      return Number(to);
    },
    /** Ends a batch: its rows have outcomes, or are in other batches. */
    close: (batch: Batch, { sent, calls, at, uncertainty }: BatchResult, state: BatchState): void => {
      const { members, messages }: Partial<Answered> = 'others' in sent ? sent : {};
      const named = messages === undefined ? null : JSON.stringify(messages);
      const status = calls.at(-1)?.httpStatus ?? null;
      sql('finish_batch').run(state, calls.length, status, members ?? null, named, at, uncertainty, batch.id);
      if (state !== 'done') return;
      if (isPlainSuccess(sent)) {
        // No row of a batch in flight has an outcome yet, so there is nothing to read.
        count(batch.region_id, 'added', batch.size - batch.bans);
        count(batch.region_id, 'banned', batch.bans);
        return;
      }
      for (const { name, n } of sql<{ name: string; n: number }>('outcomes_of_batch').all({ batch: batch.id }))
        count(batch.region_id, name, n);
    },
  };
}

/** Whether every row was added, or banned if that was asked for: true for almost every batch. */
function isPlainSuccess(sent: Sent): boolean {
  return sent.kind === 'answered' && sent.others.length === 0 && sent.missing.length === 0;
}
