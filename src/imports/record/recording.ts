import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, type Statements } from '../../platform/sqlite.ts';
import type {
  Answered,
  BatchResult,
  CallRecord,
  ReclaimedBatch,
  RowOutcome,
  Sent,
  StoppedRegion,
} from './batch-result.ts';
import { outcomeId, regionId, scopeId } from './enum-ids.ts';
import type { Batch, BatchRecording, BatchRow, BatchState, Creations } from './recorded-batch.ts';

/** The outcome of a successful row, by its scope. */
const SUCCESS = { ban: scopeId('ban'), banned: outcomeId('banned'), added: outcomeId('added') };

/** What the recorded results mean for batches in flight. */
export interface Consequences {
  /** Groups that were refused now: their dispatched batches should be withdrawn. */
  readonly refusedGroups: readonly number[];
  readonly stoppedRegions: readonly StoppedRegion[];
  /** Batches that are pending again: halves, UIDs to send again, batches of a stopped region. */
  readonly reopened: number;
  /** Batches of results that do not fit what was dispatched; nothing of them was recorded. Absent if there are none. */
  readonly unasked?: readonly number[];
}

/**
 * Records results of batches in one transaction. A result of a batch that has outcomes already changes nothing. One that
 * does not fit what was dispatched (no such batch, never dispatched, another region, rows of other batches) is refused:
 * another program that can write into the queue could have forged it.
 */
export function recordResults(
  database: DatabaseSync,
  sql: Statements,
  results: readonly BatchResult[],
  creations?: Creations,
): Consequences {
  const refusedGroups = new Set<number>();
  const stoppedRegions = new Map<StoppedRegion['region'], StoppedRegion>();
  const unasked: number[] = [];
  let reopened = 0;
  const recorder = recorderOf(sql, creations);
  inTransaction(database, () => {
    for (const result of results) {
      const batch = sql<Batch>('batch').get({ batch: result.batch });
      if (batch === undefined || !wasAskedFor(sql, batch, result) || !recorder.fits(batch, result)) {
        unasked.push(result.batch);
        continue;
      }
      if (batch.state === 'done' || batch.state === 'replaced') continue;
      const { region, sent } = result;
      if (sent.kind === 'group') refusedGroups.add(batch.group_id);
      if (sent.kind === 'stop-region') {
        stoppedRegions.set(region, { region, code: sent.code, message: sent.message });
        // It is pending already: this is the same refusal again.
        if (batch.state === 'pending') continue;
      }
      recorder.calls(batch, result.calls);
      reopened += recorder.sent(batch, result).reopened;
    }
    recorder.flushCounters();
  });
  return {
    refusedGroups: [...refusedGroups],
    stoppedRegions: [...stoppedRegions.values()],
    reopened,
    ...(unasked.length > 0 && { unasked }),
  };
}

/** Whether a result fits what was dispatched. The rows of a finished batch may have moved on. */
function wasAskedFor(sql: Statements, batch: Batch, { region, sent }: BatchResult): boolean {
  if (batch.dispatched_at === null || batch.region_id !== regionId(region)) return false;
  if ((sent.kind !== 'answered' && sent.kind !== 'made') || sent.others.length + sent.missing.length === 0) return true;
  if (batch.state === 'done' || batch.state === 'replaced') return true;
  const rows = new Set(
    sql('rows_of_batch')
      .all({ batch: batch.id })
      .map((row) => row['row_id']),
  );
  return sent.others.every(({ row }) => rows.has(row)) && sent.missing.every((row) => rows.has(row));
}

/** Sets batches that left the queue without a result back to pending, with the calls that were made for them. */
export function recordReclaimed(database: DatabaseSync, sql: Statements, batches: readonly ReclaimedBatch[]): void {
  const recorder = recorderOf(sql);
  inTransaction(database, () => {
    for (const { batch: id, uncertainty, calls } of batches) {
      const batch = sql<Batch>('batch').get({ batch: id });
      if (batch?.state !== 'dispatched') continue;
      recorder.calls(batch, calls);
      sql('reclaim').run({ batch: id, uncertainty, calls: calls.length });
    }
    recorder.flushCounters();
  });
}

/** Ends the pending rest of a refused group with that refusal, unsent. */
export function recordRefusedGroup(database: DatabaseSync, sql: Statements, group: number): void {
  inTransaction(database, () => settleRefusedGroup(sql, group));
}

/** The same within a transaction. */
export function settleRefusedGroup(sql: Statements, group: number): void {
  const recorder = recorderOf(sql);
  recorder.settleGroup(group, Date.now());
  recorder.flushCounters();
}

/** Whether every row was added, or banned if that was asked for: true for almost every batch. */
function isPlainSuccess(sent: Sent): boolean {
  return sent.kind === 'answered' && sent.others.length === 0 && sent.missing.length === 0;
}

function recorderOf(sql: Statements, creations?: Creations) {
  const counters = new Map<string, { region: number; name: string; n: number }>();

  const count = (region: number, name: string, n: number): void => {
    if (n === 0) return;
    const key = `${region} ${name}`;
    const known = counters.get(key);
    if (known === undefined) counters.set(key, { region, name, n });
    else known.n += n;
  };

  const settleRow = (batch: number, { row, outcome, code, message }: RowOutcome): void => {
    sql('settle_row').run({ batch, row, outcome: outcomeId(outcome), code, message });
  };

  const settleBatch = (
    batch: number,
    outcome: RowOutcome['outcome'],
    { code, message }: { code: string; message: string },
  ) => {
    sql('settle_batch').run({ batch, outcome: outcomeId(outcome), code, message });
  };

  const close = (batch: Batch, result: BatchResult, state: BatchState): void => {
    const { calls, at } = result;
    const { members, messages }: Partial<Answered> = 'others' in result.sent ? result.sent : {};
    sql('finish_batch').run({
      batch: batch.id,
      state,
      calls: calls.length,
      http_status: calls.at(-1)?.httpStatus ?? null,
      members: members ?? null,
      messages: messages === undefined ? null : JSON.stringify(messages),
      at,
    });
    if (state !== 'done') return;
    if (isPlainSuccess(result.sent)) {
      // No row of a batch in flight has an outcome yet, so there is nothing to read.
      count(batch.region_id, 'added', batch.size - batch.bans);
      count(batch.region_id, 'banned', batch.bans);
      return;
    }
    for (const { name, n } of sql('outcomes_of_batch').all({ batch: batch.id })) {
      count(batch.region_id, String(name), Number(n));
    }
  };

  /** Adds a smaller batch with some of the rows of `batch`; returns its id. */
  const cutOff = (
    batch: Batch,
    rows: readonly BatchRow[],
    calls: number,
    again: number,
    uncertainty: string | null,
  ): number => {
    const bans = rows.filter((row) => row.scope_id === SUCCESS.ban).length;
    const to = sql('add_batch').run({
      parent: batch.id,
      size: rows.length,
      bans,
      asked_again: again,
      uncertainty: uncertainty ?? batch.uncertainty,
      calls,
    }).lastInsertRowid;
    for (const { row_id } of rows) sql('move_row').run({ from: batch.id, to, row: row_id });
    return Number(to);
  };

  const rowsOf = (batch: Batch) => sql<BatchRow>('rows_of_batch').all({ batch: batch.id });

  const answered: BatchRecording['answered'] = (batch, result, sent) => {
    const others = creating?.park(batch, result, sent.others) ?? sent.others;
    for (const other of others) settleRow(batch.id, other);
    let reopened = 0;
    if (sent.missing.length > 0 && batch.asked_again === 0) {
      const missing = new Set(sent.missing);
      const rows = rowsOf(batch).filter((row) => missing.has(row.row_id));
      cutOff(batch, rows, result.calls.length, 1, 'the reply to an earlier call did not mention this UID');
      reopened = 1;
    } else {
      for (const row of sent.missing) {
        const message = 'sent twice, and neither reply mentions this UID';
        settleRow(batch.id, { row, outcome: 'unconfirmed', code: 'NOT_IN_REPLY', message });
      }
    }
    sql('succeed_batch').run({ batch: batch.id, ...SUCCESS });
    close(batch, result, 'done');
    return reopened;
  };

  const creating = creations?.({
    rowsOf,
    cutOff: (batch, rows, { calls, uncertainty }) => cutOff(batch, rows, calls.length, batch.asked_again, uncertainty),
    answered,
    count,
    close: (batch, result, replaced) => close(batch, result, replaced ? 'replaced' : 'done'),
  });

  return {
    /** Whether a result matches the kind of its batch: a creation, or a call for rows. */
    fits: (batch: Batch, { sent }: BatchResult): boolean =>
      sent.kind !== 'made' ||
      batch.state === 'done' ||
      batch.state === 'replaced' ||
      creating?.creates(batch.id) === true,

    calls: (batch: Batch, calls: readonly CallRecord[]): void => {
      for (const { at, ms, httpStatus, code, kind, message = null, requestId = null } of calls) {
        const said = { code, kind, message, request_id: requestId };
        sql('add_call').run({ batch: batch.id, region: batch.region_id, at, ms, http_status: httpStatus, ...said });
        count(batch.region_id, 'calls', 1);
        if (kind === 'again') count(batch.region_id, 'retries', 1);
        if (kind === 'slow-down') count(batch.region_id, 'rateLimited', 1);
      }
    },

    /** Applies one result; returns how many batches are pending because of it. */
    sent: (batch: Batch, result: BatchResult): { reopened: number } => {
      const { sent } = result;
      if (sent.kind !== 'answered' && sent.kind !== 'stop-region' && creating?.creates(batch.id)) {
        return { reopened: creating.record(batch, result) };
      }
      switch (sent.kind) {
        case 'made':
          throw new Error(`batch ${batch.id} creates nothing`);
        case 'answered':
          return { reopened: answered(batch, result, sent) };
        case 'halve': {
          const rows = rowsOf(batch);
          const middle = Math.ceil(rows.length / 2);
          cutOff(batch, rows.slice(0, middle), result.calls.length, batch.asked_again, result.uncertainty);
          cutOff(batch, rows.slice(middle), result.calls.length, batch.asked_again, result.uncertainty);
          close(batch, result, 'replaced');
          return { reopened: 2 };
        }
        case 'stop-region':
          sql('reclaim').run({ batch: batch.id, uncertainty: result.uncertainty, calls: result.calls.length });
          sql('stop_region').run({
            region: regionId(result.region),
            code: sent.code,
            message: sent.message,
            at: result.at,
          });
          return { reopened: 1 };
        case 'group':
          settleBatch(batch.id, 'failed', sent);
          close(batch, result, 'done');
          sql('refuse_group').run({ group: batch.group_id, code: sent.code, message: sent.message });
          settleGroup(batch.group_id, result.at);
          return { reopened: 0 };
        case 'refused': {
          const [only, ...rest] = batch.size === 1 && batch.on_behalf_of === '' ? rowsOf(batch) : [];
          // For a call with one user, it means the same as a refused entry of a reply.
          if (creating !== undefined && only !== undefined && rest.length === 0) {
            const { outcome, code, message } = sent;
            answered(batch, result, { others: [{ row: only.row_id, outcome, code, message }], missing: [] });
            return { reopened: 0 };
          }
          settleBatch(batch.id, sent.outcome, sent);
          close(batch, result, 'done');
          return { reopened: 0 };
        }
        case 'unanswered':
          settleBatch(batch.id, sent.maybeCarriedOut || batch.uncertainty !== null ? 'unconfirmed' : 'failed', sent);
          close(batch, result, 'done');
          return { reopened: 0 };
      }
    },

    settleGroup,

    flushCounters: (): void => {
      for (const { region, name, n } of counters.values()) sql('add_to_counter').run({ region, name, n });
    },
  };

  function settleGroup(group: number, at: number): void {
    const refused = sql('group').get({ group });
    const code = String(refused?.['refused_code']);
    const message = `because the service refused the whole group: ${refused?.['refused_message']}`;
    for (const outcome of ['failed', 'unconfirmed'] as const) {
      const unsent = outcome === 'failed' ? 1 : 0;
      const { changes } = sql('settle_group_rows').run({ group, unsent, outcome: outcomeId(outcome), code, message });
      count(Number(refused?.['region_id']), outcome, Number(changes));
    }
    sql('close_group_batches').run({ group, at });
  }
}
