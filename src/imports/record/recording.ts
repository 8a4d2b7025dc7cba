import type { DatabaseSync } from 'node:sqlite';
import { GROUP_MISSING } from '../../chat/service/codes.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import { inTransaction, type Statements } from '../../platform/sqlite.ts';
import type {
  Answered,
  Batch,
  BatchResult,
  ReclaimedBatch,
  RowOutcome,
  Standing,
  StoppedRegion,
} from './batch-result.ts';
import { type BatchWriter, batchWriter } from './batch-writer.ts';
import { outcomeId, regionId, scopeId } from './enum-ids.ts';
import { creationRecorder } from './record-creation.ts';

const SUCCESS = { ban: scopeId('ban'), banned: outcomeId('banned'), added: outcomeId('added') };

/** The effects of recorded results on batches in flight. */
export interface Consequences {
  /** Groups that were refused now: their dispatched batches should be withdrawn. */
  readonly refusedGroups: readonly number[];
  readonly stoppedRegions: readonly StoppedRegion[];
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
  create?: CreateOptions,
): Consequences {
  const refusedGroups = new Set<number>();
  const stoppedRegions = new Map<StoppedRegion['region'], StoppedRegion>();
  const unasked: number[] = [];
  const batches = batchWriter(sql);
  const recorder = resultRecorder(sql, batches, create);
  inTransaction(database, () => {
    for (const result of results) {
      const batch = sql<Batch>('batch').get(result.batch);
      if (batch === undefined || !recorder.fits(batch, result)) {
        unasked.push(result.batch);
        continue;
      }
      if (isOver(batch)) continue;
      const { region, sent } = result;
      if (sent.kind === 'group') refusedGroups.add(batch.group_id);
      if (sent.kind === 'stop-region') {
        stoppedRegions.set(region, { region, code: sent.code, message: sent.message });
        // It is pending already: this is the same refusal again.
        if (batch.state === 'pending') continue;
      }
      batches.addCalls(batch, result.calls);
      recorder.record(batch, result);
    }
    batches.writeTotals();
  });
  return {
    refusedGroups: [...refusedGroups],
    stoppedRegions: [...stoppedRegions.values()],
    ...(unasked.length > 0 && { unasked }),
  };
}

function isOver({ state }: Batch): boolean {
  return state === 'done' || state === 'replaced';
}

/** Sets batches that left the queue without a result back to pending, with the calls that were made for them. */
export function recordReclaimed(database: DatabaseSync, sql: Statements, reclaimed: readonly ReclaimedBatch[]): void {
  const batches = batchWriter(sql);
  inTransaction(database, () => {
    for (const { batch: id, uncertainty, calls } of reclaimed) {
      const batch = sql<Batch>('batch').get(id);
      if (batch?.state !== 'dispatched') continue;
      batches.addCalls(batch, calls);
      sql('reclaim').run({ batch: id, uncertainty, calls: calls.length });
    }
    batches.writeTotals();
  });
}

/** Gives the pending rest of a refused group its refusal, unsent. Within a transaction. */
export function settleGroup(sql: Statements, batches: BatchWriter, group: number, at: number): void {
  const refused = sql('group').get({ group });
  const code = String(refused?.['refused_code']);
  const message = `because the service refused the whole group: ${refused?.['refused_message']}`;
  for (const outcome of ['failed', 'unconfirmed'] as const) {
    const unsent = outcome === 'failed' ? 1 : 0;
    // Calls to a group that does not exist cannot have been carried out.
    const ends = code === GROUP_MISSING ? 'failed' : outcome;
    const { changes } = sql('settle_group_rows').run({ group, unsent, outcome: outcomeId(ends), code, message });
    batches.count(Number(refused?.['region_id']), ends, Number(changes));
  }
  sql('close_group_batches').run({ group, at });
}

function resultRecorder(sql: Statements, batches: BatchWriter, create: CreateOptions | undefined) {
  const creations = create && creationRecorder(sql, create, batches);

  const answered = (batch: Batch, result: BatchResult, sent: Answered): void => {
    const others = creations?.park(batch, result, sent.others) ?? sent.others;
    for (const { row, outcome, code, message } of others)
      sql('settle_row').run({ batch: batch.id, row, outcome: outcomeId(outcome), code, message });
    if (sent.missing.length > 0) {
      const missing = new Set(sent.missing);
      const rows = batches.rowsOf(batch).filter((row) => missing.has(row.row_id));
      const { why = 'the reply to an earlier call did not mention this UID', standing } = sent.again ?? {};
      batches.cutOff(batch, rows, { ...result, uncertainty: why }, standing);
    }
    sql('succeed_batch').run(SUCCESS.ban, SUCCESS.banned, SUCCESS.added, batch.id);
    batches.close(batch, result, 'done');
  };

  /**
   * Cuts rows that were sent together into smaller batches: one for each list, because the acting user may add to one
   * and not to another; two halves of a single list.
   */
  const split = (batch: Batch, result: BatchResult, standing: Standing | undefined): void => {
    const rows = batches.rowsOf(batch);
    const lists = [...Map.groupBy(rows, ({ scope_id }) => scope_id).values()];
    const middle = Math.ceil(rows.length / 2);
    const parts = lists.length > 1 ? lists : [rows.slice(0, middle), rows.slice(middle)];
    for (const part of parts) batches.cutOff(batch, part, result, standing);
    batches.close(batch, result, 'replaced');
  };

  /** Gives all rows of a batch the same outcome, and ends it. */
  const settle = (batch: Batch, result: BatchResult, { outcome, code, message }: Omit<RowOutcome, 'row'>): void => {
    sql('settle_batch').run({ batch: batch.id, outcome: outcomeId(outcome), code, message });
    batches.close(batch, result, 'done');
  };

  return {
    /** Whether a result fits what was dispatched. The rows of a finished batch may have moved on. */
    fits: (batch: Batch, { region, sent }: BatchResult): boolean => {
      if (batch.dispatched_at === null || batch.region_id !== regionId(region)) return false;
      if (isOver(batch) || (sent.kind !== 'answered' && sent.kind !== 'made')) return true;
      if (sent.kind === 'made' && creations?.creates(batch.id) !== true) return false;
      const named = [...sent.others.map(({ row }) => row), ...sent.missing];
      if (named.length === 0) return true;
      const rows = new Set(batches.rowsOf(batch).map((row) => row.row_id));
      return named.every((row) => rows.has(row));
    },
    record: (batch: Batch, result: BatchResult): void => {
      const { sent } = result;
      if (sent.kind !== 'answered' && sent.kind !== 'stop-region' && creations?.creates(batch.id)) {
        const members = creations.record(batch, result, sent);
        if (members !== undefined) answered(batch, result, members);
        return;
      }
      switch (sent.kind) {
        case 'made':
          throw new Error(`batch ${batch.id} creates nothing`);
        case 'answered':
          answered(batch, result, sent);
          break;
        case 'halve':
          split(batch, result, sent.standing);
          break;
        case 'stop-region': {
          const { uncertainty, calls, region, at } = result;
          sql('reclaim').run({ batch: batch.id, uncertainty, calls: calls.length });
          sql('stop_region').run({ region: regionId(region), code: sent.code, message: sent.message, at });
          break;
        }
        case 'group':
          settle(batch, result, { ...sent, outcome: 'failed' });
          sql('refuse_group').run({ group: batch.group_id, code: sent.code, message: sent.message });
          settleGroup(sql, batches, batch.group_id, result.at);
          break;
        case 'refused': {
          const [only, ...rest] = batch.size === 1 && batch.on_behalf_of === '' ? batches.rowsOf(batch) : [];
          const { outcome, code, message } = sent;
          // For a call with one user, it means the same as a refused entry of a reply.
          if (creations !== undefined && only !== undefined && rest.length === 0)
            answered(batch, result, { others: [{ row: only.row_id, outcome, code, message }], missing: [] });
          else settle(batch, result, sent);
          break;
        }
        case 'unanswered': {
          const mayHaveWorked = sent.maybeCarriedOut || batch.uncertainty !== null;
          settle(batch, result, { ...sent, outcome: mayHaveWorked ? 'unconfirmed' : 'failed' });
        }
      }
    },
  };
}
