import { messageOf } from '../../errors/message-of.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import { RegionWithoutApp } from '../../imports/import-errors.ts';
import { readOptions } from '../../imports/import-options.ts';
import { type CreatedThing, openCreated, readMade } from '../../imports/record/created.ts';
import { CATALOG_MIGRATIONS } from '../../imports/schemas.ts';
import { type Aimed, checkTarget } from '../../imports/target.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { openForWriting, statementsOf } from '../../platform/sqlite.ts';
import { type Deleting, deleteCreated } from './delete-created.ts';

/** Deletes what imports created, one run per import. For the owner of the data directory. */
export interface Deletions {
  /** Begins, or continues what an earlier run left; does nothing while one is running. @throws WrongTarget, RegionWithoutApp */
  start(id: string): void;
  /** Continues what a stop or crash interrupted; what this process cannot continue waits, with a reason. */
  continueAll(): void;
  /** Undefined when nothing is being deleted. */
  progress(id: string): DeletionProgress | undefined;
  /** Returns the reason why the last run ended early, or does not continue; empty if neither. */
  reason(id: string): string;
  /** Stops the run of an import that was removed. */
  forget(id: string): void;
  /** Stops all runs; `continueAll` of the next process continues them. */
  stop(): Promise<void>;
}

interface DeletionProgress {
  readonly done: number;
  readonly of: number;
}

/** The imports whose deletion was begun and has not ended, as the catalog keeps them. */
export interface UnderWay {
  begin(id: string): void;
  end(id: string): void;
  all(): string[];
  close(): void;
}

/** @param catalog path of the catalog, which the coordinator also has open */
export function openUnderWay(catalog: string): UnderWay {
  const database = openForWriting(catalog, CATALOG_MIGRATIONS);
  const sql = statementsOf(database, new URL('deletions.sql', import.meta.url));
  return {
    begin: (id) => void sql('begin').run({ id }),
    end: (id) => void sql('end').run({ id }),
    all: () =>
      sql<{ readonly id: string }>('all')
        .all()
        .map(({ id }) => id),
    close: () => database.close(),
  };
}

interface DeletionsOptions extends Pick<Deleting, 'pages'> {
  readonly usedByOthers: (id: string, things: readonly CreatedThing[]) => Promise<ReadonlyMap<number, string>>;
  readonly dir: DataDir;
  /** @throws UnknownImport */
  readonly find: (id: string) => Pick<ImportRecord, 'options'>;
  readonly underWay: Omit<UnderWay, 'close'>;
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly sendsTo: Aimed;
  readonly onError: (id: string, error: unknown) => void;
}

interface Running {
  readonly aborted: AbortController;
  readonly ended: Promise<void>;
  progress: DeletionProgress;
}

export function createDeletions({
  dir,
  find,
  underWay,
  regions,
  sendsTo,
  pages,
  usedByOthers,
  onError,
}: DeletionsOptions): Deletions {
  const running = new Map<string, Running>();
  const reasons = new Map<string, string>();

  const run = async (
    id: string,
    signal: AbortSignal,
    onProgress: (progress: DeletionProgress) => void,
  ): Promise<void> => {
    const ledger = openCreated(dir.ledger(id));
    try {
      const wanted = ledger.things().map((thing) => ({ thing, why: '' }));
      let done = 0;
      onProgress({ done, of: wanted.length });
      const deleting = { ledger, pages, signal, usedByOthers: (things) => usedByOthers(id, things) } satisfies Deleting;
      await deleteCreated(deleting, wanted, () => {
        done += 1;
        onProgress({ done, of: wanted.length });
      });
    } finally {
      ledger.close();
    }
  };

  /** @throws WrongTarget, RegionWithoutApp */
  const check = (id: string): void => {
    checkTarget(`import ${id}`, readOptions(find(id)), sendsTo);
    const used = new Set(readMade(dir.ledger(id), Number.MAX_SAFE_INTEGER).things.map(({ region }) => region));
    const without = [...used.difference(regions)];
    if (without.length > 0) throw new RegionWithoutApp(id, without);
  };

  const deletions: Deletions = {
    start: (id) => {
      if (running.has(id)) return;
      check(id);
      underWay.begin(id);
      reasons.delete(id);
      const aborted = new AbortController();
      const entry: Running = {
        aborted,
        progress: { done: 0, of: 0 },
        // In a later turn: `running` has the entry by then.
        ended: Promise.resolve()
          .then(() => run(id, aborted.signal, (progress) => Object.assign(entry, { progress })))
          .catch((error: unknown) => {
            if (aborted.signal.aborted) return;
            reasons.set(id, messageOf(error));
            onError(id, error);
          })
          .then(() => {
            if (!aborted.signal.aborted) underWay.end(id);
          })
          // The catalog cannot be written, as on a full disk: the next start does it again, and finds nothing to delete.
          .catch((error: unknown) => onError(id, error))
          .finally(() => running.delete(id)),
      };
      running.set(id, entry);
    },
    continueAll: () => {
      for (const id of underWay.all()) {
        try {
          deletions.start(id);
        } catch (error) {
          reasons.set(id, messageOf(error));
          onError(id, error);
        }
      }
    },
    progress: (id) => running.get(id)?.progress,
    reason: (id) => reasons.get(id) ?? '',
    forget: (id) => {
      reasons.delete(id);
      running.get(id)?.aborted.abort(new Error('its import was removed'));
    },
    stop: async () => {
      const all = [...running.values()];
      for (const { aborted } of all) aborted.abort(new Error('this process stops'));
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
  return deletions;
}
