import { type EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { type TagChanges, tagsAfter } from '../../api/imports.ts';
import { isError } from '../../errors/rollcall-error.ts';
import { type ImportState, isFinal, isUnderWay } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { busyIn } from '../../platform/database-errors.ts';
import { type Catalog, tagsOf } from '../catalog.ts';
import { wrongState } from '../import-errors.ts';
import { readOptions } from '../import-options.ts';
import { ledgerIsThere } from '../lost-ledger.ts';
import { continuesAtStart } from '../reason-codes.ts';
import type { LedgerThreads } from '../report/ledger-threads.ts';
import { type Aimed, checkTarget, isSameTarget } from '../target.ts';
import type { ResumeChanges } from './creating-step.ts';
import type { Life, LifeEvents } from './life.ts';
import { importMaker, type RetryChanges, retryImport } from './new-import.ts';
import { removeImport, startRetention } from './removal.ts';

/** States in which an import waits for a person. */
const AT_REST: ReadonlySet<ImportState> = new Set(['staged', 'paused', 'blocked', 'failed']);

export type Asked = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

interface Parts {
  readonly dir: DataDir;
  readonly catalog: Catalog;
  readonly life: Life;
  readonly events: EventEmitter<LifeEvents>;
  readonly reading: LedgerThreads;
  readonly sendsTo: Aimed;
  /** Does what a person asks for. */
  readonly asked: Asked;
  /** Ids of folders that the catalog does not know. */
  readonly strays: readonly string[];
  readonly keepMs: number | undefined;
  readonly onError: (error: Error) => void;
  /** To be closed with it. */
  readonly resources: AsyncDisposableStack;
}

function importsOf({ dir, catalog, life, events, strays }: Parts) {
  const find = catalog.get;
  return {
    /** @throws UNKNOWN_IMPORT */
    find,
    /** The same for one that may have been deleted: undefined then. */
    lookUp: catalog.find,
    retries: catalog.retries,
    /**
     * Other imports to the same service that ended after this one was made, or are not over, oldest first: those that have a
     * ledger (a path) and were not undone. @throws UNKNOWN_IMPORT
     */
    others: (id: string) => {
      const record = find(id);
      const meant = readOptions(record);
      const undone = catalog.undone();
      return catalog
        .list(Number.MAX_SAFE_INTEGER)
        .filter((other) => other.id !== id && (other.finishedAt ?? Date.now()) >= record.createdAt)
        .filter((other) => !undone.has(other.id) && isSameTarget(readOptions(other), meant))
        .map((other) => ({ id: other.id, retryOf: other.retryOf, ledger: dir.ledger(other.id) }))
        .filter(({ ledger }) => ledgerIsThere(ledger))
        .reverse();
    },
    /** Ledgers of imports that are not over, of those that were begun by this time: paths, also where one is still to be made. */
    unfinished: (before = Number.MAX_SAFE_INTEGER) =>
      catalog.unfinished().flatMap(({ id, createdAt }) => (createdAt <= before ? [dir.ledger(id)] : [])),
    /** Ids of the folders with data that the catalog did not know at the start, as far as they are still there. */
    strays: () => strays.filter((id) => existsSync(dir.folder(id))),
    /** Resolves when nothing more happens without a person: finished, failed, paused, blocked, or staged by a dry run. */
    settled: async (id: string) => {
      for (;;) {
        // Checked after the move: `staged` is only passed on the way to `running`.
        await Promise.resolve();
        const record = find(id);
        if ((AT_REST.has(record.state) && !life.isClosing(id)) || isFinal(record.state)) return record;
        await once(events, 'state');
      }
    },
  };
}

function actsOf(parts: Parts) {
  const { dir, catalog, life, events, reading, sendsTo, asked } = parts;
  const { requests } = life;
  const create = importMaker(parts);
  const changed = (id: string) => {
    const record = catalog.get(id);
    events.emit('changed', record);
    return record;
  };
  /** @throws UNKNOWN_IMPORT, WRONG_TARGET */
  const ofThisTarget = (id: string) => {
    const record = catalog.get(id);
    checkTarget(`import ${id}`, readOptions(record), sendsTo);
    return record;
  };
  const requested = async (id: string, work: () => Promise<void>) => {
    await asked(work);
    return catalog.get(id);
  };
  return {
    create,
    /** Deletes an import with all its files: one that has finished or failed, or was not started. @throws WRONG_STATE */
    remove: async (id: string) => {
      const record = catalog.get(id);
      const isClosing = life.isClosing(id);
      const isAtRest = record.state === 'staged' || record.state === 'failed' || isFinal(record.state);
      if (isClosing || !isAtRest) {
        throw wrongState(record, 'cannot be deleted', isClosing ? [] : undefined);
      }
      await life.leave(id);
      const deleted = removeImport(dir, catalog, id);
      events.emit('removed', id);
      await deleted;
      await reading.forget(dir.ledger(id));
    },
    /** Reads the input of an import whose reading a crash interrupted, unless that is running already. Sends nothing. */
    stage: (id: string) => life.begin(id, false),
    pause: (id: string) => requested(id, () => requests.pause(id)),
    /** Continues an import that is staged, paused or blocked, or that a stop or crash interrupted. @throws WRONG_TARGET */
    resume: async (id: string, changes: ResumeChanges = {}) => {
      ofThisTarget(id);
      return requested(id, () => requests.resume(id, changes));
    },
    cancel: (id: string) => requested(id, () => requests.cancel(id)),
    /**
     * Continues every import that a stop or crash interrupted: while reading, sending, pausing or cancelling.
     * Resolves when each has begun, with those that this process cannot continue: they stay as they are.
     */
    continueAll: async () => {
      const left = catalog
        .unfinished()
        .filter(({ state, code }) => isUnderWay(state) || (state === 'blocked' && continuesAtStart(code)))
        .map((record) =>
          requests.takeUp(record.id).then(
            () => [],
            (why: unknown) => {
              if (isError(why, 'WRONG_TARGET', 'REGION_WITHOUT_APP')) return [{ record, why }];
              life.fault(record.id, 'SENDING_FAILED', why);
              return [];
            },
          ),
        );
      return (await Promise.all(left)).flat();
    },
    /**
     * Sends again, as a new import, what failed, was not confirmed or was not sent in an import that has finished. Returns
     * the new id. @throws WRONG_STATE, also when there is nothing to send again; WRONG_TARGET
     */
    retry: async (id: string, changes: RetryChanges = {}) => {
      const record = ofThisTarget(id);
      return retryImport({ create, lookUp: catalog.find }, { dir, reading }, record, changes);
    },
    /** The rows of an import that need attention are left as they are. @throws UNKNOWN_IMPORT; WRONG_STATE while it is not over */
    dismiss: (id: string) => {
      const record = catalog.get(id);
      if (!isFinal(record.state)) throw wrongState(record, 'cannot be dismissed');
      catalog.dismiss(id);
      return changed(id);
    },
    /** Adds and removes tags of an import, in any state. @throws UNKNOWN_IMPORT */
    tag: (id: string, changes: TagChanges) => {
      catalog.setTags(id, JSON.stringify(tagsAfter(tagsOf(catalog.get(id)), changes)));
      return changed(id);
    },
  };
}

/** The one process that owns a data directory: it stages files, dispatches batches, records outcomes, writes reports. */
export type Coordinator = ReturnType<typeof coordinatorOf>;

export function coordinatorOf(parts: Parts) {
  const { life, catalog, events, reading, sendsTo, keepMs, onError, resources } = parts;
  const { sending } = life;
  const acts = actsOf(parts);
  const { finishedBefore } = catalog;
  const retention = startRetention({ keepMs, finishedBefore, remove: acts.remove, onError });
  const close = async (deadlineMs: number) => {
    // First: imports that the stop interrupts did not kill this process.
    try {
      catalog.leaveAll();
    } catch (error) {
      // It counts as a death then, and one more is allowed.
      if (busyIn(error) === undefined) throw error;
    }
    await retention.stop();
    await life.stop(deadlineMs);
    await resources.disposeAsync();
  };
  let stopping: Promise<void> | undefined;

  return {
    ...importsOf(parts),
    ...acts,
    events,
    reading,
    /** The target of this process: stored with what it begins, and compared when that is continued. */
    sendsTo,
    /** The regions that imports have used so far. */
    regions: sending.regions,
    /** The results of workers in other processes. */
    results: sending.results,
    /** From now on imports that wait for something of this machine continue by themselves. */
    watchWaits: life.watchWaits,
    /** Lets other work wait, as imports do (waits.ts). */
    whenOver: life.whenOver,
    /** Reads groups of the service, within the budgets of their regions. */
    pages: (region: Region, patienceMs?: number) => sending.groups.pages(region, patienceMs ?? 'as-process'),
    /** Begins nothing new, lets calls in flight finish for at most `deadlineMs`, and closes. Imports can be resumed. */
    stop: (deadlineMs: number) => {
      stopping ??= close(deadlineMs);
      return stopping;
    },
  };
}
