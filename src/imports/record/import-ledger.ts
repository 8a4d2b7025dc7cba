import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Action, Region, Scope } from '../../membership/membership.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import { fileId, isSameFile } from '../../platform/files.ts';
import {
  durably,
  inTransaction,
  openForWriting,
  type Statement,
  type Statements,
  statementsOf,
} from '../../platform/sqlite.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';
import { type Bans, bansOf } from './bans.ts';
import type { BatchResult, ReclaimedBatch, Standing, StoppedRegion } from './batch-result.ts';
import { type Counters, checkCounters, readCounters, type SumCheck } from './counters.ts';
import { Creating, type CreationToSend } from './creating.ts';
import { actionId, actionOf, EVERY_GROUP, outcomeId, regionId, regionOf, scopeId, scopeOf } from './enum-ids.ts';
import { CreationRecorder, type Creations } from './record-creation.ts';
import { type Consequences, recordReclaimed, recordRefusedGroup, recordResults } from './recording.ts';

/** A batch on its way to the service. */
export interface BatchToSend {
  readonly id: number;
  readonly region: Region;
  readonly guid: string;
  readonly onBehalfOf: string;
  /** The action for all of its rows. Only additions share a batch. */
  readonly action: Action;
  /** The reason why an earlier call for these rows may have been carried out; null when none can have been. */
  readonly uncertainty: string | null;
  /** Absent for a batch that is sent for the first time. */
  readonly standing?: Standing | undefined;
  readonly rows: readonly RowToSend[];
  /** Set where it looks for a group, or creates or reactivates something. */
  readonly creation?: CreationToSend | undefined;
}

interface RowToSend {
  readonly row: number;
  readonly uid: string;
  readonly scope: Scope;
  /** The group of the row, where those of a batch are of several. */
  readonly guid?: string;
  /** In seconds since 1970. Null: the row does not say. */
  readonly joinedAt?: number | null;
}

/** A batch as the statements give it. */
type FoundBatch = [
  id: number,
  uncertainty: string | null,
  guid: string,
  onBehalfOf: string,
  action: number,
  standing: string | null,
];

type FoundPending = [...found: FoundBatch, turn: number, group: number];

/** A batch that waits to be sent. */
export interface PendingBatch {
  readonly id: number;
  readonly turn: number;
  readonly group: number;
  /** Undefined where its call changes no group: it creates something. */
  readonly guid: string | undefined;
  readonly found: FoundBatch;
}

/** `turn` of batches that create something (creating.sql). */
const CREATING_TURN = -2;

/** The ledger of one import, open for the coordinator, its only writer. */
export class ImportLedger {
  readonly bans: Bans;
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  #creating: Creating | undefined;
  #creations: Creations | undefined;
  // Rows as arrays: every batch and every row of the input pass here, and objects take half as long again.
  readonly #rowsToSend: Statement<[batch: number, row: number, uid: string, scope: number]>;
  readonly #rowsToImport: Statement<
    [batch: number, row: number, uid: string, scope: number, guid: string, at: number | null]
  >;
  readonly #pendingBatches: Statement<FoundPending>;
  readonly #pendingOfGroup: Statement<FoundPending>;
  readonly #dispatchedBatches: Statement<FoundBatch>;

  constructor(path: string, create?: CreateOptions) {
    const database = openForWriting(path, IMPORT_SCHEMA, 'soon');
    const sql = statementsOf(database, new URL('import.sql', import.meta.url));
    this.#database = database;
    this.#sql = sql;
    this.setCreate(create);
    this.bans = bansOf(database, statementsOf(database, new URL('bans.sql', import.meta.url)), sql);
    this.#rowsToSend = asArrays(sql<[batch: number, row: number, uid: string, scope: number]>('rows_to_send'));
    this.#rowsToImport = asArrays(sql('rows_to_import'));
    this.#pendingBatches = asArrays(sql<FoundPending>('pending_batches'));
    this.#pendingOfGroup = asArrays(sql<FoundPending>('pending_of_group'));
    this.#dispatchedBatches = asArrays(sql<FoundBatch>('dispatched_batches'));
  }

  /** Undefined when the import creates nothing. */
  get creating(): Creating | undefined {
    return this.#creating;
  }

  /** Sets what it creates from now on: it can change whenever the import is resumed. */
  setCreate(options: CreateOptions | undefined): void {
    this.#creating = undefined;
    this.#creations = undefined;
    if (options === undefined) return;
    const sql = this.#sql;
    const createSql = statementsOf(this.#database, new URL('creating.sql', import.meta.url));
    createSql('open_members').run();
    this.#creating = new Creating(this.#database, createSql, sql, options);
    this.#creations = (recording) => new CreationRecorder(createSql, options.users || options.reactivate, recording);
  }

  /** Batches to send next, after this one. @param except groups that are left out */
  pendingBatches(
    region: Region,
    limit: number,
    { turn, id }: Pick<PendingBatch, 'turn' | 'id'> = BEFORE_ALL,
    except: readonly number[] = [],
  ): PendingBatch[] {
    const values = { region: regionId(region), turn, id, except: JSON.stringify(except), limit };
    return this.#pendingBatches.all(values).map(asPending);
  }

  pendingOfGroup(region: Region, group: number, limit: number): PendingBatch[] {
    return this.#pendingOfGroup.all({ region: regionId(region), group, limit }).map(asPending);
  }

  /** Reads what these batches send. */
  toSend(region: Region, batches: readonly PendingBatch[]): BatchToSend[] {
    return this.#toSend(
      region,
      batches.map(({ found }) => found),
    );
  }

  /** Batches that were queued before `before` (ms since 1970) and have no result, oldest first. */
  dispatchedBatches(region: Region, before: number, limit: number): BatchToSend[] {
    return this.#toSend(region, this.#dispatchedBatches.all({ region: regionId(region), before, limit }));
  }

  /**
   * Records that batches are in the queue, or were put there again. It is on the disk before any call of them: their results
   * are there some time later, and a batch without one may have been carried out.
   */
  markDispatched(batches: readonly number[]): void {
    const values = { batches: JSON.stringify(batches), at: Date.now() };
    durably(this.#database, () => this.#sql('mark_dispatched').run(values));
  }

  /** Sets batches that left the queue without a result back to pending. */
  reclaim(batches: readonly ReclaimedBatch[]): void {
    recordReclaimed(this.#database, this.#sql, batches);
  }

  /** After a crash: sets all dispatched batches back to pending; they may have been sent. Returns how many. */
  reclaimAll(uncertainty: string): number {
    return Number(this.#sql('reclaim_all').run({ uncertainty }).changes);
  }

  /**
   * Before it sends: a ledger that was restored or copied does not know what the original has sent since, so that all that has
   * no result counts as uncertain. @param path of this ledger
   */
  doubtCopy(path: string, uncertainty: string): void {
    const before = this.#sql<{ file: string | null }>('sent_from').get()?.file;
    if (typeof before === 'string' && isSameFile(before, path)) return;
    durably(this.#database, () =>
      inTransaction(this.#database, () => {
        if (before !== null) this.#sql('doubt_rest').run({ uncertainty });
        this.#sql('send_from').run(fileId(path));
      }),
    );
  }

  /** The process that sends it next takes it for a copy. */
  leaveFile(): void {
    this.#sql('send_from').run('');
  }

  record(results: readonly BatchResult[]): Consequences {
    return recordResults(this.#database, this.#sql, results, this.#creations);
  }

  /** Gives the pending rest of a refused group its refusal. */
  settleRefusedGroup(group: number): void {
    recordRefusedGroup(this.#database, this.#sql, group);
  }

  dispatchedOfGroup(group: number): number[] {
    return this.#sql('dispatched_of_group')
      .all({ group })
      .map((row) => Number(row['id']));
  }

  /** Leaves only additions pending that may have been carried out, to ask their groups a last time. Returns whether there are any. */
  askRest(standing: Standing): boolean {
    this.#sql('ask_rest').run({ add: actionId('add'), standing: JSON.stringify(standing) });
    return this.openBatches().size > 0;
  }

  /** Ends what is left: rows that were certainly not sent become `unprocessed`, uncertain ones `unconfirmed`. */
  leaveRest(message: string): void {
    const sql = this.#sql;
    inTransaction(this.#database, () => {
      for (const { region, rows } of this.creating?.giveUp() ?? [])
        sql('add_to_counter').run({ region, name: 'failed', n: rows });
      for (const rest of sql('count_rest').all()) {
        const name = rest['unsent'] === 1 ? 'unprocessed' : 'unconfirmed';
        sql('add_to_counter').run({ region: Number(rest['region_id']), name, n: Number(rest['n']) });
      }
      const outcomes = { unprocessed: outcomeId('unprocessed'), unconfirmed: outcomeId('unconfirmed') };
      sql('leave_rest').run({ ...outcomes, message });
      sql('close_rest').run({ at: Date.now() });
    });
  }

  /** Records that a region refuses every call, as another import found. */
  stopRegion({ region, code, message }: StoppedRegion): void {
    this.#sql('stop_region').run({ region: regionId(region), code, message, at: Date.now() });
  }

  startRegions(): void {
    this.#sql('start_regions').run();
  }

  stoppedRegions(): StoppedRegion[] {
    return this.#sql<StoppedRegion>('stopped_regions').all();
  }

  /** Batches that wait until the rows to try first are sent. */
  laterBatches(): number {
    return Number(this.#sql('later_batches').get()?.['n']);
  }

  /** Makes them pending. */
  releaseLater(): void {
    this.#sql('release_later').run();
  }

  /** Number of removals and bans. */
  removals(): number {
    const ids = { remove: actionId('remove'), add: actionId('add'), ban: scopeId('ban') };
    return Number(this.#sql('count_removals').get(ids)?.['n']);
  }

  /** Number of batches without a result, by region. */
  openBatches(): Map<Region, { pending: number; dispatched: number }> {
    const open = new Map<Region, { pending: number; dispatched: number }>();
    for (const row of this.#sql('open_batches').all()) {
      const region = row['region'] as Region;
      const counts = open.get(region) ?? { pending: 0, dispatched: 0 };
      if (row['state'] === 'pending') counts.pending = Number(row['n']);
      else counts.dispatched = Number(row['n']);
      open.set(region, counts);
    }
    return open;
  }

  regionsUsed(): Region[] {
    return this.#sql('regions_used')
      .all()
      .map((row) => regionOf(Number(row['id'])));
  }

  counters(): Counters {
    return readCounters(this.#sql);
  }

  /** Counts outcomes from the rows themselves and compares them with the counters. */
  check(): SumCheck {
    return checkCounters(this.#sql);
  }

  /** Makes rows quick to find by UID; without it all rows are scanned. It would slow down staging: call it at the end. */
  indexUids(): void {
    this.#sql('index_uids').run();
  }

  /** Leaves one file, without the files of the write-ahead log. */
  close(): void {
    if (!this.#database.isOpen) return;
    this.#database.exec('pragma wal_checkpoint(truncate)');
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #toSend(region: Region, batches: FoundBatch[]): BatchToSend[] {
    const rowsOf = new Map(batches.map(([id]): [number, RowToSend[]] => [id, []]));
    const ids = JSON.stringify([...rowsOf.keys()]);
    if (batches[0]?.[2] === EVERY_GROUP) {
      for (const [batch, row, uid, scope, guid, joinedAt] of this.#rowsToImport.all(ids))
        rowsOf.get(batch)?.push({ row, uid, scope: scopeOf(scope), guid, joinedAt });
    } else {
      for (const [batch, row, uid, scope] of this.#rowsToSend.all(ids))
        rowsOf.get(batch)?.push({ row, uid, scope: scopeOf(scope) });
    }
    return batches.map(([id, uncertainty, guid, onBehalfOf, action, standing]) => ({
      id,
      region,
      guid,
      onBehalfOf,
      action: actionOf(action),
      uncertainty,
      ...(standing !== null && { standing: JSON.parse(standing) as Standing }),
      rows: rowsOf.get(id) ?? [],
      creation: this.creating?.toSend(id),
    }));
  }
}

const BEFORE_ALL = { turn: Number.MIN_SAFE_INTEGER, id: 0 };

function asPending([id, uncertainty, guid, onBehalfOf, action, standing, turn, group]: FoundPending): PendingBatch {
  const found: FoundBatch = [id, uncertainty, guid, onBehalfOf, action, standing];
  return { id, turn, group, guid: turn === CREATING_TURN || guid === EVERY_GROUP ? undefined : guid, found };
}

/** Opens the ledger of an import at `path`. @param create what it may create, absent: nothing */
export const openImportLedger = (path: string, create?: CreateOptions): ImportLedger => new ImportLedger(path, create);

function asArrays<Found extends Pick<StatementSync, 'setReturnArrays'>>(statement: Found): Found {
  statement.setReturnArrays(true);
  return statement;
}
