import { messageOf } from '../../errors/message-of.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import { RegionWithoutApp } from '../../imports/import-errors.ts';
import { readOptions } from '../../imports/import-options.ts';
import { type CreatedThing, openCreated, readMade } from '../../imports/record/created.ts';
import { CATALOG_SCHEMA } from '../../imports/schemas.ts';
import { type Aimed, checkTarget } from '../../imports/target.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { openForWriting, statementsOf } from '../../platform/sqlite.ts';
import { type Deleting, deleteCreated } from './delete-created.ts';

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
  const database = openForWriting(catalog, CATALOG_SCHEMA);
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

/** Deletes what imports created, one run per import. For the owner of the data directory. */
export class Deletions {
  readonly #options: DeletionsOptions;
  readonly #running = new Map<string, Running>();
  readonly #reasons = new Map<string, string>();

  constructor(options: DeletionsOptions) {
    this.#options = options;
  }

  /** Begins, or continues what an earlier run left; does nothing while one is running. @throws WrongTarget, RegionWithoutApp */
  start(id: string): void {
    if (this.#running.has(id)) return;
    this.#check(id);
    const { underWay, onError } = this.#options;
    underWay.begin(id);
    this.#reasons.delete(id);
    const aborted = new AbortController();
    const entry: Running = {
      aborted,
      progress: { done: 0, of: 0 },
      // In a later turn: `#running` has the entry by then.
      ended: Promise.resolve()
        .then(() => this.#run(id, aborted.signal, (progress) => Object.assign(entry, { progress })))
        .catch((error: unknown) => {
          if (!aborted.signal.aborted) this.#failed(id, error);
        })
        .then(() => {
          if (!aborted.signal.aborted) underWay.end(id);
        })
        // The catalog cannot be written, as on a full disk: the next start does it again, and finds nothing to delete.
        .catch((error: unknown) => onError(id, error))
        .finally(() => this.#running.delete(id)),
    };
    this.#running.set(id, entry);
  }

  /** Continues what a stop or crash interrupted; what this process cannot continue waits, with a reason. */
  continueAll(): void {
    for (const id of this.#options.underWay.all()) {
      try {
        this.start(id);
      } catch (error) {
        this.#failed(id, error);
      }
    }
  }

  /** Undefined when nothing is being deleted. */
  progress(id: string): DeletionProgress | undefined {
    return this.#running.get(id)?.progress;
  }

  /** Returns the reason why the last run ended early, or does not continue; empty if neither. */
  reason(id: string): string {
    return this.#reasons.get(id) ?? '';
  }

  /** Stops the run of an import that was removed. */
  forget(id: string): void {
    this.#reasons.delete(id);
    this.#running.get(id)?.aborted.abort(new Error('its import was removed'));
  }

  /** Stops all runs; `continueAll` of the next process continues them. */
  async stop(): Promise<void> {
    const all = [...this.#running.values()];
    for (const { aborted } of all) aborted.abort(new Error('this process stops'));
    await Promise.all(all.map(({ ended }) => ended));
  }

  #failed(id: string, error: unknown): void {
    this.#reasons.set(id, messageOf(error));
    this.#options.onError(id, error);
  }

  /** @throws WrongTarget, RegionWithoutApp */
  #check(id: string): void {
    const { dir, find, regions, sendsTo } = this.#options;
    checkTarget(`import ${id}`, readOptions(find(id)), sendsTo);
    const used = new Set(readMade(dir.ledger(id), Number.MAX_SAFE_INTEGER).things.map(({ region }) => region));
    const without = [...used.difference(regions)];
    if (without.length > 0) throw new RegionWithoutApp(id, without);
  }

  async #run(id: string, signal: AbortSignal, onProgress: (progress: DeletionProgress) => void): Promise<void> {
    const { dir, pages, usedByOthers } = this.#options;
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
  }
}
