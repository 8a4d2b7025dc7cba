import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Action, Region, Scope } from '../../membership/membership.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import { fileId, isSameFile } from '../../platform/files.ts';
import { durably, inTransaction, openForWriting, type Statements } from '../../platform/sqlite.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';
import { bansOf } from './bans.ts';
import type { BatchResult, ReclaimedBatch, Standing, StoppedRegion } from './batch-result.ts';
import { batchWriter } from './batch-writer.ts';
import { type Counters, checkCounters, readCounters, type SumCheck } from './counters.ts';
import { Creating, type CreationToSend } from './creating.ts';
import { actionId, actionOf, EVERY_GROUP, outcomeId, regionId, regionOf, scopeId, scopeOf } from './enum-ids.ts';
import { ledgerStatements } from './ledger-statements.ts';
import { type Consequences, recordReclaimed, recordResults, settleGroup } from './recording.ts';

/** A batch on its way to the service. */
export interface BatchToSend {
  readonly id: number;
  readonly region: Region;
  readonly guid: string;
  readonly onBehalfOf: string;
  /** Only additions share a batch. */
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

type FoundBatch = [
  id: number,
  uncertainty: string | null,
  guid: string,
  onBehalfOf: string,
  action: number,
  standing: string | null,
  turn: number,
  group: number,
];
type FoundRow = [batch: number, row: number, uid: string, scope: number];
type RowToImport = [...row: FoundRow, guid: string, joinedAt: number | null];

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
const BEFORE_ALL = { turn: Number.MIN_SAFE_INTEGER, id: 0 };

export type ImportLedger = ReturnType<typeof openImportLedger>;

/** Opens the ledger of an import at `path` for the coordinator, its only writer. @param create what it may create, absent: nothing */
export function openImportLedger(path: string, create?: CreateOptions) {
  const database = openForWriting(path, IMPORT_SCHEMA, 'soon');
  const sql = ledgerStatements(database);
  let creating: Creating | undefined;
  const setCreate = (options: CreateOptions | undefined): void => {
    creating = options && new Creating(database, sql, options);
  };
  setCreate(create);
  const close = (): void => {
    if (!database.isOpen) return;
    database.exec('pragma wal_checkpoint(truncate)');
    database.close();
  };
  return {
    bans: bansOf(database, sql),
    ...batchesIn(sql, (batch) => creating?.toSend(batch)),
    ...sentIn(database, sql),
    ...regionsIn(sql),

    get creating(): Creating | undefined {
      return creating;
    },

    /** Sets what it creates from now on: it can change whenever the import is resumed. */
    setCreate,

    record: (results: readonly BatchResult[]): Consequences => recordResults(database, sql, results, creating?.options),

    /** Gives the pending rest of a refused group its refusal. */
    settleRefusedGroup: (group: number): void => {
      const batches = batchWriter(sql);
      inTransaction(database, () => {
        settleGroup(sql, batches, group, Date.now());
        batches.writeTotals();
      });
    },

    /** Ends what is left: rows that were certainly not sent become `unprocessed`, uncertain ones `unconfirmed`. */
    leaveRest: (message: string): void =>
      inTransaction(database, () => {
        creating?.giveUp();
        for (const { region, unsent, n } of sql<{ region: number; unsent: number; n: number }>('count_rest').all())
          sql('add_to_counter').run({ region, name: unsent === 1 ? 'unprocessed' : 'unconfirmed', n });
        const outcomes = { unprocessed: outcomeId('unprocessed'), unconfirmed: outcomeId('unconfirmed') };
        sql('leave_rest').run({ ...outcomes, message });
        sql('close_rest').run({ at: Date.now() });
      }),

    /** Counts removals and bans. */
    removals: (): number => {
      const ids = { remove: actionId('remove'), add: actionId('add'), ban: scopeId('ban') };
      return Number(sql('count_removals').get(ids)?.['n']);
    },

    counters: (): Counters => readCounters(sql),

    check: (): SumCheck => checkCounters(sql),

    /** Makes rows quick to find by UID; without it all rows are scanned. It would slow down staging: call it at the end. */
    indexUids: (): void => {
      sql('index_uids').run();
    },

    /** Leaves one file, without the files of the write-ahead log. */
    close,
    [Symbol.dispose]: close,
  };
}

function batchesIn(sql: Statements, creationOf: (batch: number) => CreationToSend | undefined) {
  // Rows as arrays: every batch and every row of the input pass here, and objects take half as long again.
  const rowsToSend = asArrays(sql<FoundRow>('rows_to_send'));
  const rowsToImport = asArrays(sql<RowToImport>('rows_to_import'));
  const pendingBatches = asArrays(sql<FoundBatch>('pending_batches'));
  const pendingOfGroup = asArrays(sql<FoundBatch>('pending_of_group'));
  const dispatchedBatches = asArrays(sql<FoundBatch>('dispatched_batches'));

  const toSend = (region: Region, batches: readonly FoundBatch[]): BatchToSend[] => {
    const rowsOf = new Map(batches.map(([id]): [number, RowToSend[]] => [id, []]));
    const ids = JSON.stringify([...rowsOf.keys()]);
    if (batches[0]?.[2] === EVERY_GROUP) {
      for (const [batch, row, uid, scope, guid, joinedAt] of rowsToImport.all(ids))
        rowsOf.get(batch)?.push({ row, uid, scope: scopeOf(scope), guid, joinedAt });
    } else {
      for (const [batch, row, uid, scope] of rowsToSend.all(ids))
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
      creation: creationOf(id),
    }));
  };

  return {
    /** Batches to send next, after this one. @param except groups that are left out */
    pendingBatches: (
      region: Region,
      limit: number,
      { turn, id }: Pick<PendingBatch, 'turn' | 'id'> = BEFORE_ALL,
      except: readonly number[] = [],
    ): PendingBatch[] =>
      pendingBatches.all({ region: regionId(region), turn, id, except: JSON.stringify(except), limit }).map(asPending),

    pendingOfGroup: (region: Region, group: number, limit: number): PendingBatch[] =>
      pendingOfGroup.all({ region: regionId(region), group, limit }).map(asPending),

    toSend: (region: Region, batches: readonly PendingBatch[]): BatchToSend[] =>
      toSend(
        region,
        batches.map(({ found }) => found),
      ),

    /** Batches that were queued before `before` (ms since 1970) and have no result, oldest first. */
    dispatchedBatches: (region: Region, before: number, limit: number): BatchToSend[] =>
      toSend(region, dispatchedBatches.all({ region: regionId(region), before, limit })),

    dispatchedOfGroup: (group: number): number[] =>
      sql<{ id: number }>('dispatched_of_group')
        .all({ group })
        .map(({ id }) => id),

    /** Leaves only additions pending that may have been carried out, to ask their groups a last time. Returns whether there are any. */
    askRest: (standing: Standing): boolean => {
      sql('ask_rest').run({ add: actionId('add'), standing: JSON.stringify(standing) });
      return sql('open_regions').get() !== undefined;
    },

    /** Batches that wait until the rows to try first are sent. */
    laterBatches: (): number => Number(sql('later_batches').get()?.['n']),

    releaseLater: (): void => {
      sql('release_later').run();
    },
  };
}

function sentIn(database: DatabaseSync, sql: Statements) {
  return {
    /**
     * Records that batches are in the queue, or were put there again. It is on the disk before any call of them: their results
     * are there some time later, and a batch without one may have been carried out.
     */
    markDispatched: (batches: readonly number[]): void => {
      const values = { batches: JSON.stringify(batches), at: Date.now() };
      durably(database, () => sql('mark_dispatched').run(values));
    },

    reclaim: (batches: readonly ReclaimedBatch[]): void => recordReclaimed(database, sql, batches),

    /** After a crash: sets all dispatched batches back to pending; they may have been sent. Returns how many. */
    reclaimAll: (uncertainty: string): number => Number(sql('reclaim_all').run({ uncertainty }).changes),

    /**
     * Before it sends: a ledger that was restored or copied does not know what the original has sent since, so that all that has
     * no result counts as uncertain. @param path of this ledger
     */
    doubtCopy: (path: string, uncertainty: string): void => {
      const before = sql<{ file: string | null }>('sent_from').get()?.file;
      if (typeof before === 'string' && isSameFile(before, path)) return;
      durably(database, () =>
        inTransaction(database, () => {
          if (before !== null) sql('doubt_rest').run({ uncertainty });
          sql('send_from').run(fileId(path));
        }),
      );
    },

    /** The process that sends it next takes it for a copy. */
    leaveFile: (): void => {
      sql('send_from').run('');
    },
  };
}

function regionsIn(sql: Statements) {
  const regionsOf = (name: string): Region[] =>
    sql<{ id: number }>(name)
      .all()
      .map(({ id }) => regionOf(id));
  return {
    /** Regions of batches without a result. */
    openRegions: (): Set<Region> => new Set(regionsOf('open_regions')),

    /** Records that a region refuses every call, as another import found. */
    stopRegion: ({ region, code, message }: StoppedRegion): void => {
      sql('stop_region').run({ region: regionId(region), code, message, at: Date.now() });
    },

    startRegions: (): void => {
      sql('start_regions').run();
    },

    stoppedRegions: (): StoppedRegion[] => sql<StoppedRegion>('stopped_regions').all(),

    regionsUsed: (): Region[] => regionsOf('regions_used'),
  };
}

function asPending(found: FoundBatch): PendingBatch {
  const [id, , guid, , , , turn, group] = found;
  return { id, turn, group, guid: turn === CREATING_TURN || guid === EVERY_GROUP ? undefined : guid, found };
}

function asArrays<Found extends Pick<StatementSync, 'setReturnArrays'>>(statement: Found): Found {
  statement.setReturnArrays(true);
  return statement;
}
