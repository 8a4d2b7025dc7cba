import type { DatabaseSync } from 'node:sqlite';
import { GROUP_MISSING } from '../../chat/service/codes.ts';
import { inTransaction, type Statements } from '../../platform/sqlite.ts';
import type {
  Answered,
  Batch,
  BatchRecording,
  BatchResult,
  BatchRow,
  BatchState,
  CallRecord,
  ReclaimedBatch,
  RowOutcome,
  Sent,
  Standing,
  StoppedRegion,
} from './batch-result.ts';
import { outcomeId, regionId, scopeId } from './enum-ids.ts';
import type { CreationRecorder, Creations } from './record-creation.ts';

/** The outcome of a successful row, by its scope. */
const SUCCESS = { ban: scopeId('ban'), banned: outcomeId('banned'), added: outcomeId('added') };

/** The effects of recorded results on batches in flight. */
export interface Consequences {
  /** Groups that were refused now: their dispatched batches should be withdrawn. */
  readonly refusedGroups: readonly number[];
  readonly stoppedRegions: readonly StoppedRegion[];
  /** Batches that are pending again: parts of what was refused together, UIDs to send again, batches of a stopped region. */
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
  const counters = openCounters(sql);
  const recorder = new BatchRecorder(sql, counters.count, creations);
  inTransaction(database, () => {
    for (const result of results) {
      const batch = sql<Batch>('batch').get(result.batch);
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
      recordCalls(sql, counters.count, batch, result.calls);
      reopened += recorder.record(batch, result);
    }
    counters.write();
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
  if (sent.kind !== 'answered' && sent.kind !== 'made') return true;
  const named = [...sent.others.map(({ row }) => row), ...sent.missing];
  if (named.length === 0) return true;
  if (batch.state === 'done' || batch.state === 'replaced') return true;
  const rows = new Set(
    sql('rows_of_batch')
      .all({ batch: batch.id })
      .map((row) => row['row_id']),
  );
  return named.every((row) => rows.has(row));
}

/** Sets batches that left the queue without a result back to pending, with the calls that were made for them. */
export function recordReclaimed(database: DatabaseSync, sql: Statements, batches: readonly ReclaimedBatch[]): void {
  const counters = openCounters(sql);
  inTransaction(database, () => {
    for (const { batch: id, uncertainty, calls } of batches) {
      const batch = sql<Batch>('batch').get(id);
      if (batch?.state !== 'dispatched') continue;
      recordCalls(sql, counters.count, batch, calls);
      sql('reclaim').run({ batch: id, uncertainty, calls: calls.length });
    }
    counters.write();
  });
}

/** Ends the pending rest of a refused group with that refusal, unsent. */
export function recordRefusedGroup(database: DatabaseSync, sql: Statements, group: number): void {
  inTransaction(database, () => settleRefusedGroup(sql, group));
}

/** The same within a transaction. */
export function settleRefusedGroup(sql: Statements, group: number): void {
  const counters = openCounters(sql);
  settleGroup(sql, counters.count, group, Date.now());
  counters.write();
}

/** Adds to a running total of a region. */
type Count = BatchRecording['count'];

/** Running totals of the regions: added up here, and written once at the end of a transaction. */
function openCounters(sql: Statements): { readonly count: Count; readonly write: () => void } {
  const counters = new Map<string, { region: number; name: string; n: number }>();
  return {
    count: (region, name, n) => {
      if (n === 0) return;
      const key = `${region} ${name}`;
      const known = counters.get(key);
      if (known === undefined) counters.set(key, { region, name, n });
      else known.n += n;
    },
    write: () => {
      for (const counter of counters.values()) sql('add_to_counter').run({ ...counter });
    },
  };
}

function recordCalls(sql: Statements, count: Count, batch: Batch, calls: readonly CallRecord[]): void {
  for (const { at, ms, httpStatus, code, kind, message = null, requestId = null } of calls) {
    sql('add_call').run(batch.id, batch.region_id, at, ms, httpStatus, code, kind, message, requestId);
    count(batch.region_id, 'calls', 1);
    if (kind === 'again') count(batch.region_id, 'retries', 1);
    if (kind === 'slow-down') count(batch.region_id, 'rateLimited', 1);
  }
}

/** Gives the pending rows of a refused group its refusal. */
function settleGroup(sql: Statements, count: Count, group: number, at: number): void {
  const refused = sql('group').get({ group });
  const code = String(refused?.['refused_code']);
  const message = `because the service refused the whole group: ${refused?.['refused_message']}`;
  for (const outcome of ['failed', 'unconfirmed'] as const) {
    const unsent = outcome === 'failed' ? 1 : 0;
    // Calls to a group that does not exist cannot have been carried out.
    const ends = code === GROUP_MISSING ? 'failed' : outcome;
    const { changes } = sql('settle_group_rows').run({ group, unsent, outcome: outcomeId(ends), code, message });
    count(Number(refused?.['region_id']), ends, Number(changes));
  }
  sql('close_group_batches').run({ group, at });
}

/** Whether every row was added, or banned if that was asked for: true for almost every batch. */
function isPlainSuccess(sent: Sent): boolean {
  if (sent.kind !== 'answered') return false;
  return sent.others.length === 0 && sent.missing.length === 0;
}

function rowsOf(sql: Statements, batch: Batch): BatchRow[] {
  return sql<BatchRow>('rows_of_batch').all({ batch: batch.id });
}

/** Ends a batch: its rows have outcomes, or are in other batches. */
function closeBatch(sql: Statements, count: Count, batch: Batch, result: BatchResult, state: BatchState): void {
  const { members, messages }: Partial<Answered> = 'others' in result.sent ? result.sent : {};
  sql('finish_batch').run(
    state,
    result.calls.length,
    result.calls.at(-1)?.httpStatus ?? null,
    members ?? null,
    messages === undefined ? null : JSON.stringify(messages),
    result.at,
    result.uncertainty,
    batch.id,
  );
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
}

interface NewBatch {
  readonly calls: number;
  readonly uncertainty: string | null;
  readonly standing?: Standing | undefined;
}

/** Adds a smaller batch with some of the rows of `batch`; returns its id. */
function cutOff(
  sql: Statements,
  batch: Batch,
  rows: readonly BatchRow[],
  { calls, uncertainty, standing }: NewBatch,
): number {
  const to = sql('add_batch').run({
    parent: batch.id,
    size: rows.length,
    bans: rows.filter((row) => row.scope_id === SUCCESS.ban).length,
    standing: standing === undefined ? null : JSON.stringify(standing),
    uncertainty: uncertainty ?? batch.uncertainty,
    calls,
  }).lastInsertRowid;
  for (const { row_id } of rows) sql('move_row').run({ from: batch.id, to, row: row_id });
  return Number(to);
}

/** Records the results of batches, within a transaction. */
class BatchRecorder {
  readonly #sql: Statements;
  readonly #count: Count;
  readonly #creating: CreationRecorder | undefined;

  constructor(sql: Statements, count: Count, creations: Creations | undefined) {
    this.#sql = sql;
    this.#count = count;
    this.#creating = creations?.({
      rowsOf: (batch) => rowsOf(sql, batch),
      cutOff: (batch, rows, { calls, uncertainty }) => cutOff(sql, batch, rows, { calls: calls.length, uncertainty }),
      answered: (batch, result, sent) => this.#answered(batch, result, sent),
      count,
      close: (batch, result, replaced) => this.#close(batch, result, replaced ? 'replaced' : 'done'),
    });
  }

  /** Whether a result matches the kind of its batch: a creation, or a call for rows. */
  fits({ id, state }: Batch, { sent }: BatchResult): boolean {
    return sent.kind !== 'made' || state === 'done' || state === 'replaced' || this.#creating?.creates(id) === true;
  }

  /** Records one result; returns how many batches are pending because of it. */
  record(batch: Batch, result: BatchResult): number {
    const { sent } = result;
    if (sent.kind !== 'answered' && sent.kind !== 'stop-region' && this.#creating?.creates(batch.id)) {
      return this.#creating.record(batch, result);
    }
    const sql = this.#sql;
    switch (sent.kind) {
      case 'made':
        throw new Error(`batch ${batch.id} creates nothing`);
      case 'answered':
        return this.#answered(batch, result, sent);
      case 'halve':
        return this.#split(batch, result, sent.standing);
      case 'stop-region': {
        const { uncertainty, calls, region, at } = result;
        sql('reclaim').run({ batch: batch.id, uncertainty, calls: calls.length });
        sql('stop_region').run({ region: regionId(region), code: sent.code, message: sent.message, at });
        return 1;
      }
      case 'group':
        this.#settleBatch(batch, result, { ...sent, outcome: 'failed' });
        sql('refuse_group').run({ group: batch.group_id, code: sent.code, message: sent.message });
        settleGroup(sql, this.#count, batch.group_id, result.at);
        return 0;
      case 'refused': {
        const [only, ...rest] = batch.size === 1 && batch.on_behalf_of === '' ? rowsOf(sql, batch) : [];
        // For a call with one user, it means the same as a refused entry of a reply.
        if (this.#creating !== undefined && only !== undefined && rest.length === 0) {
          const { outcome, code, message } = sent;
          this.#answered(batch, result, { others: [{ row: only.row_id, outcome, code, message }], missing: [] });
        } else {
          this.#settleBatch(batch, result, sent);
        }
        return 0;
      }
      case 'unanswered': {
        const mayHaveWorked = sent.maybeCarriedOut || batch.uncertainty !== null;
        this.#settleBatch(batch, result, { ...sent, outcome: mayHaveWorked ? 'unconfirmed' : 'failed' });
        return 0;
      }
    }
  }

  #answered(batch: Batch, result: BatchResult, sent: Answered): number {
    const others = this.#creating?.park(batch, result, sent.others) ?? sent.others;
    for (const other of others) this.#settleRow(batch, other);
    const isSentAgain = sent.missing.length > 0;
    if (isSentAgain) {
      const missing = new Set(sent.missing);
      const rows = rowsOf(this.#sql, batch).filter((row) => missing.has(row.row_id));
      const { why = 'the reply to an earlier call did not mention this UID', standing } = sent.again ?? {};
      cutOff(this.#sql, batch, rows, { calls: result.calls.length, uncertainty: why, standing });
    }
    this.#sql('succeed_batch').run(SUCCESS.ban, SUCCESS.banned, SUCCESS.added, batch.id);
    this.#close(batch, result, 'done');
    return isSentAgain ? 1 : 0;
  }

  /**
   * Cuts rows that were sent together into smaller batches: one for each list, because the acting user may add to one
   * and not to another; two halves of a single list. Returns the number of batches.
   */
  #split(batch: Batch, result: BatchResult, standing: Standing | undefined): number {
    const rows = rowsOf(this.#sql, batch);
    const lists = [...Map.groupBy(rows, ({ scope_id }) => scope_id).values()];
    const middle = Math.ceil(rows.length / 2);
    const parts = lists.length > 1 ? lists : [rows.slice(0, middle), rows.slice(middle)];
    const like = { calls: result.calls.length, uncertainty: result.uncertainty, standing };
    for (const part of parts) cutOff(this.#sql, batch, part, like);
    this.#close(batch, result, 'replaced');
    return parts.length;
  }

  #settleRow(batch: Batch, { row, outcome, code, message }: RowOutcome): void {
    this.#sql('settle_row').run({ batch: batch.id, row, outcome: outcomeId(outcome), code, message });
  }

  /** Gives all rows of a batch the same outcome, and ends it. */
  #settleBatch(batch: Batch, result: BatchResult, { outcome, code, message }: Omit<RowOutcome, 'row'>): void {
    this.#sql('settle_batch').run({ batch: batch.id, outcome: outcomeId(outcome), code, message });
    this.#close(batch, result, 'done');
  }

  #close(batch: Batch, result: BatchResult, state: BatchState): void {
    closeBatch(this.#sql, this.#count, batch, result, state);
  }
}
