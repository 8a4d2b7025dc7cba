import { type EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { type TagChanges, tagsAfter } from '../../api/imports.ts';
import { isError } from '../../errors/rollcall-error.ts';
import { type ImportState, isFinal, isUnderWay } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { busyIn } from '../../platform/database-errors.ts';
import type { Backend } from '../../queue/backend.ts';
import type { GroupPages } from '../ask/group-pages.ts';
import { type Catalog, type ImportRecord, tagsOf } from '../catalog.ts';
import { wrongState } from '../import-errors.ts';
import { readOptions } from '../import-options.ts';
import { ledgerIsThere } from '../lost-ledger.ts';
import { continuesAtStart } from '../reason-codes.ts';
import type { LedgerThreads } from '../report/ledger-threads.ts';
import type { OpenRegions } from '../send/open-regions.ts';
import type { ResultQueues } from '../send/result-queues.ts';
import { type Aimed, checkTarget, isSameTarget } from '../target.ts';
import type { ResumeChanges } from './creating-step.ts';
import type { Life, LifeEvents } from './life.ts';
import { importMaker, type RetryChanges, retryImport } from './new-import.ts';
import { removeImport, startRetention } from './removal.ts';

interface ImportWithLedger extends Pick<ImportRecord, 'id' | 'retryOf'> {
  /** Path. */
  readonly ledger: string;
}

/** An interrupted import that this process does not continue. */
interface LeftAlone {
  readonly record: ImportRecord;
  readonly why: Error;
}

/** States in which an import waits for a person. */
const AT_REST: ReadonlySet<ImportState> = new Set(['staged', 'paused', 'blocked', 'failed']);

export type Asked = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

/** The parts of a coordinator, open. */
export interface Parts extends Pick<Coordinator, 'events' | 'backend' | 'reading' | 'sendsTo'> {
  /** The time that imports are kept after they have finished, in ms; undefined: until they are removed. */
  readonly keepMs: number | undefined;
  readonly onError: (error: Error) => void;
  readonly dir: DataDir;
  readonly catalog: Catalog;
  readonly life: Life;
  /** Ids of folders that the catalog does not know. */
  readonly strays: readonly string[];
  /** Does what a person asks for. */
  readonly asked: Asked;
  /** To be closed with it. */
  readonly resources: AsyncDisposableStack;
}

/** The one process that owns a data directory: it stages files, dispatches batches, records outcomes, writes reports. */
export class Coordinator {
  readonly events: EventEmitter<LifeEvents>;
  readonly reading: LedgerThreads;
  /** The backend of the queues; other parts keep queues of their own there. Closed by `stop`. */
  readonly backend: Backend;
  /** The target of this process: stored with what it begins, and compared when that is continued. */
  readonly sendsTo: Aimed;
  /** From now on imports that wait for something of this machine continue by themselves. */
  readonly watchWaits: Life['watchWaits'];
  /** Facts about imports; only `life` moves one to another state. */
  readonly catalog: Pick<Catalog, 'retries'>;
  /** Makes an import, and begins with it. Returns its id. */
  readonly create: ReturnType<typeof importMaker>;
  /** The regions that imports have used so far. */
  readonly regions: Pick<OpenRegions, 'status' | 'inspect' | 'takesCalls' | 'renewKeys'>;
  /** The results of workers in other processes. */
  readonly results: Pick<ResultQueues, 'areTaken'>;
  /** Lets other work wait, as imports do (waits.ts). */
  readonly whenOver: Life['whenOver'];
  readonly #parts: Parts;
  readonly #retention: ReturnType<typeof startRetention> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(parts: Parts) {
    const { catalog, life, keepMs, onError } = parts;
    this.#parts = parts;
    this.events = parts.events;
    this.reading = parts.reading;
    this.backend = parts.backend;
    this.sendsTo = parts.sendsTo;
    this.catalog = catalog;
    this.create = importMaker(parts);
    this.regions = life.sending.regions;
    this.results = life.sending.results;
    this.watchWaits = life.watchWaits;
    this.whenOver = life.whenOver;
    if (keepMs !== undefined) {
      const { finishedBefore } = catalog;
      this.#retention = startRetention({ keepMs, finishedBefore, remove: (id) => this.remove(id), onError });
    }
  }

  /** @throws UNKNOWN_IMPORT */
  find(id: string): ImportRecord {
    return this.#parts.catalog.get(id);
  }

  /** The same for one that may have been deleted: undefined then. */
  lookUp(id: string): ImportRecord | undefined {
    return this.#parts.catalog.find(id);
  }

  /**
   * Other imports to the same service that ended after this one was made, or are not over, oldest first: those that have a
   * ledger and were not undone. @throws UNKNOWN_IMPORT
   */
  others(id: string): ImportWithLedger[] {
    const record = this.find(id);
    const meant = readOptions(record);
    const undone = this.#parts.catalog.undone();
    return this.#parts.catalog
      .list(Number.MAX_SAFE_INTEGER)
      .filter((other) => other.id !== id && (other.finishedAt ?? Date.now()) >= record.createdAt)
      .filter((other) => !undone.has(other.id) && isSameTarget(readOptions(other), meant))
      .map((other) => ({ id: other.id, retryOf: other.retryOf, ledger: this.#parts.dir.ledger(other.id) }))
      .filter(({ ledger }) => ledgerIsThere(ledger))
      .reverse();
  }

  /** Ledgers of imports that are not over, of those that were begun by this time: paths, also where one is still to be made. */
  unfinished(before = Number.MAX_SAFE_INTEGER): string[] {
    const { catalog, dir } = this.#parts;
    return catalog.unfinished().flatMap(({ id, createdAt }) => (createdAt <= before ? [dir.ledger(id)] : []));
  }

  /** Ids of the folders with data that the catalog did not know at the start, as far as they are still there. */
  strays(): string[] {
    return this.#parts.strays.filter((id) => existsSync(this.#parts.dir.folder(id)));
  }

  /** Reads the input of an import whose reading a crash interrupted, unless that is running already. Sends nothing. */
  stage(id: string): void {
    this.#parts.life.begin(id, false);
  }

  async pause(id: string): Promise<ImportRecord> {
    await this.#parts.asked(() => this.#parts.life.requests.pause(id));
    return this.find(id);
  }

  /** Continues an import that is staged, paused or blocked, or that a stop or crash interrupted. */
  async resume(id: string, changes: ResumeChanges = {}): Promise<ImportRecord> {
    checkTarget(`import ${id}`, readOptions(this.find(id)), this.sendsTo);
    await this.#parts.asked(() => this.#parts.life.requests.resume(id, changes));
    return this.find(id);
  }

  async cancel(id: string): Promise<ImportRecord> {
    await this.#parts.asked(() => this.#parts.life.requests.cancel(id));
    return this.find(id);
  }

  /**
   * Continues every import that a stop or crash interrupted: while reading, sending, pausing or cancelling.
   * Resolves when each has begun, with those that this process cannot continue: they stay as they are.
   */
  async continueAll(): Promise<LeftAlone[]> {
    const { catalog, life } = this.#parts;
    const left = catalog
      .unfinished()
      .filter(({ state, code }) => isUnderWay(state) || (state === 'blocked' && continuesAtStart(code)))
      .map((record) =>
        life.requests.takeUp(record.id).then(
          () => [],
          (error: unknown) => {
            if (isError(error, 'WRONG_TARGET') || isError(error, 'REGION_WITHOUT_APP')) return [{ record, why: error }];
            life.fault(record.id, 'SENDING_FAILED', error);
            return [];
          },
        ),
      );
    return (await Promise.all(left)).flat();
  }

  /**
   * Sends again, as a new import, what failed, was not confirmed or was not sent in an import that has finished. Returns
   * the new id. @throws WRONG_STATE, also when there is nothing to send again; WRONG_TARGET
   */
  async retry(id: string, changes: RetryChanges = {}): Promise<string> {
    const record = this.find(id);
    checkTarget(`import ${id}`, readOptions(record), this.sendsTo);
    return retryImport(this, { dir: this.#parts.dir, reading: this.reading }, record, changes);
  }

  /** The rows of an import that need attention are left as they are. @throws UNKNOWN_IMPORT; WRONG_STATE while it is not over */
  dismiss(id: string): ImportRecord {
    const record = this.find(id);
    if (!isFinal(record.state)) throw wrongState(record, 'cannot be dismissed');
    this.#parts.catalog.dismiss(id);
    this.events.emit('changed', record);
    return record;
  }

  /** Adds and removes tags of an import, in any state. @throws UNKNOWN_IMPORT */
  tag(id: string, changes: TagChanges): ImportRecord {
    this.#parts.catalog.setTags(id, JSON.stringify(tagsAfter(tagsOf(this.find(id)), changes)));
    const record = this.find(id);
    this.events.emit('changed', record);
    return record;
  }

  /** Deletes an import with all its files: one that has finished or failed, or was not started. @throws WRONG_STATE */
  async remove(id: string): Promise<void> {
    const record = this.find(id);
    const isClosing = this.#parts.life.isClosing(id);
    const isAtRest = record.state === 'staged' || record.state === 'failed' || isFinal(record.state);
    if (isClosing || !isAtRest) {
      throw wrongState(record, 'cannot be deleted', isClosing ? [] : undefined);
    }
    await this.#parts.life.leave(id);
    const deleted = removeImport(this.#parts.dir, this.#parts.catalog, id);
    this.events.emit('removed', id);
    await deleted;
    await this.reading.forget(this.#parts.dir.ledger(id));
  }

  /** Reads groups of the service, within the budgets of their regions. */
  pages(region: Region, patienceMs?: number): GroupPages {
    return this.#parts.life.sending.groups.pages(region, patienceMs ?? 'as-process');
  }

  /** Resolves when nothing more happens without a person: finished, failed, paused, blocked, or staged by a dry run. */
  async settled(id: string): Promise<ImportRecord> {
    for (;;) {
      // Checked after the move: `staged` is only passed on the way to `running`.
      await Promise.resolve();
      const record = this.find(id);
      if ((AT_REST.has(record.state) && !this.#parts.life.isClosing(id)) || isFinal(record.state)) return record;
      await once(this.events, 'state');
    }
  }

  /** Begins nothing new, lets calls in flight finish for at most `deadlineMs`, and closes. Imports can be resumed. */
  stop(deadlineMs: number): Promise<void> {
    this.#stopping ??= this.#close(deadlineMs);
    return this.#stopping;
  }

  async #close(deadlineMs: number): Promise<void> {
    // First: imports that the stop interrupts did not kill this process.
    this.#leaveAll();
    await this.#retention?.stop();
    await this.#parts.life.stop(deadlineMs);
    await this.#parts.resources.disposeAsync();
  }

  #leaveAll(): void {
    try {
      this.#parts.catalog.leaveAll();
    } catch (error) {
      // It counts as a death then, and one more is allowed.
      if (busyIn(error) === undefined) throw error;
    }
  }
}
