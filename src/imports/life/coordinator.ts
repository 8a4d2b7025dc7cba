import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportTotals } from '../../api/import-summary.ts';
import type { RegionStatus } from '../../api/region-status.ts';
import { type TagChanges, tagsAfter } from '../../api/tags.ts';
import { actionsOf } from '../../membership/import-actions.ts';
import { type ImportState, isFinal, isUnderWay } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { ByLookup } from '../../options/lookups.ts';
import { announceAddress, type DataDir, ownDataDir } from '../../platform/data-dir.ts';
import { busyIn, shortenBusyTimeout, whenFree } from '../../platform/database-busy.ts';
import { bringToDisk } from '../../platform/whole-file.ts';
import type { Backend } from '../../queue/backend.ts';
import type { QueueInspection } from '../../queue/job-queue.ts';
import { utcTime } from '../../text/wording.ts';
import type { GroupPages } from '../ask/group-pages.ts';
import { type Catalog, type ImportRecord, tagsOf } from '../catalog.ts';
import { RegionWithoutApp, WrongState } from '../import-errors.ts';
import { newImportId } from '../import-id.ts';
import { type ImportOptions, importOptions, readOptions } from '../import-options.ts';
import { ledgerIsThere } from '../lost-ledger.ts';
import { continuesAtStart } from '../reason-codes.ts';
import { isCatalogLost, rebuildCatalog, rebuiltSentence, straysSentence } from '../rebuild-catalog.ts';
import { type LedgerThreads, openLedgerThreads } from '../report/ledger-threads.ts';
import type { RegionOpener } from '../send/region.ts';
import type { SendingConfig } from '../send/sending.ts';
import { keepLookups } from '../stage/lookup-copies.ts';
import type { LookupSource } from '../stage/lookup-file.ts';
import type { StageFile } from '../stage/staging.ts';
import { type Aimed, checkTarget, isSameTarget, type Target, WrongTarget } from '../target.ts';
import { openClaimed } from './copied-directory.ts';
import type { ResumeChanges } from './creating-step.ts';
import { Life, type LifeEvents } from './life.ts';
import { removeImport, startRetention, sweepRemoved, sweepUnbegun } from './removal.ts';
import { type RetryChanges, retryImport } from './retry-import.ts';
import type { Wait } from './waits.ts';

interface ImportWithLedger extends Pick<ImportRecord, 'id' | 'retryOf'> {
  /** Path. */
  readonly ledger: string;
}

interface CreateImport {
  /** The file as the user named it. */
  readonly file: string;
  /** The path to read. */
  readonly source: string;
  readonly options: ImportOptions;
  readonly retryOf?: string;
  /** Name of who asks for it. */
  readonly createdBy?: string;
  readonly tags?: readonly string[];
  /** False: stops when it is staged, and waits for `resume`. */
  readonly start?: boolean;
  /** For a shape that looks users up: copied into the import's folder. */
  readonly lookups?: ByLookup<LookupSource>;
  /** Set when the caller needs it first, to put the source into the import's folder. */
  readonly id?: string;
}

/** A coordinator: its data directory, its queue and its regions. */
export interface CoordinatorOptions {
  readonly dir: DataDir;
  readonly backend: () => Promise<Backend>;
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly openRegion: RegionOpener;
  /** Whether it sends to a sandbox. Imports for the service are not sent to a sandbox, nor the reverse. Default false. */
  readonly sandbox?: boolean;
  /** The target in the service; stored with each import. Default: not known. */
  readonly target?: Target | undefined;
  readonly config: SendingConfig;
  /** The time that imports are kept after they have finished, in ms. Default: until they are removed. */
  readonly keepMs?: number;
  /** Reads files into ledgers. Default: each in a thread of its own. */
  readonly stage?: StageFile | undefined;
  /** Bytes that are free on the disk of the data directory. Default: what the system says. */
  readonly free?: (() => Promise<number>) | undefined;
  /** Reads ledgers. Default: threads of this coordinator. */
  readonly openReading?: (() => LedgerThreads) | undefined;
  /** Whether requests wait, however long, while another program holds a database. Default: they are refused. */
  readonly patient?: boolean;
  /** Ends these waits. Default: nothing does. */
  readonly signal?: AbortSignal | undefined;
  /** Gets for what it waits, in a sentence. */
  readonly onWait?: ((sentence: string) => void) | undefined;
  /** Gets troubles that the queue recovers from by itself. */
  readonly onError: (error: Error) => void;
}

/** An interrupted import that this process does not continue. */
interface LeftAlone {
  readonly record: ImportRecord;
  readonly why: Error;
}

/** States in which an import waits for a person. */
const AT_REST: ReadonlySet<ImportState> = new Set(['staged', 'paused', 'blocked', 'failed']);

type Asked = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

export async function openCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { dir, onError, onWait = () => {}, sandbox = false, openReading = openLedgerThreads } = options;
  // If the start fails, what was opened until then is closed.
  await using taken = new AsyncDisposableStack();
  taken.defer(ownDataDir(dir));
  if (isCatalogLost(dir)) onError(new Error(rebuiltSentence(dir, rebuildCatalog(dir))));
  shortenBusyTimeout();
  const tell = ({ reason }: Pick<Wait, 'reason'>) => onWait(`Waiting since ${utcTime(Date.now())}: ${reason}.`);
  const patiently: Asked = (work) =>
    whenFree(work, { waits: ({ what: reason }) => tell({ reason }), signal: options.signal });
  const asked: Asked = options.patient === true ? patiently : async (work) => work();
  const catalog = await patiently(() => openClaimed(dir));
  taken.defer(() => catalog.close());
  await sweepRemoved(dir);
  const strays = sweepUnbegun(join(dir.root, 'imports'), (id) => catalog.find(id) !== undefined);
  if (strays.length > 0) onError(new Error(straysSentence(dir, strays)));
  // Any number of callers may wait for an import.
  const events = new EventEmitter<LifeEvents>().setMaxListeners(0);
  const backend = await options.backend();
  taken.defer(() => backend.close());
  const reading = openReading();
  taken.defer(() => reading.close());
  await patiently(catalog.countDeaths);
  const { regions, openRegion, config, stage, target, free } = options;
  const sendsTo = { sandbox, target };
  const life = new Life({
    dir,
    catalog,
    reading,
    events,
    sendsTo,
    stage,
    sending: { dir, catalog, backend, regions, openRegion, config, onError },
    waits: { free, tell },
  });
  const parts = { options, dir, catalog, events, backend, reading, sendsTo, life, asked, strays };
  return new Coordinator({ ...parts, resources: taken.move() });
}

interface Parts extends Pick<Coordinator, 'events' | 'backend' | 'reading' | 'sendsTo'> {
  readonly options: CoordinatorOptions;
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
  /** Lets other work wait, as imports do (waits.ts). */
  readonly whenOver: Life['whenOver'];
  readonly #parts: Parts;
  readonly #retention: ReturnType<typeof startRetention> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(parts: Parts) {
    const { options, catalog, life } = parts;
    const { keepMs, onError } = options;
    this.#parts = parts;
    this.events = parts.events;
    this.reading = parts.reading;
    this.backend = parts.backend;
    this.sendsTo = parts.sendsTo;
    this.watchWaits = life.watchWaits;
    this.whenOver = life.whenOver;
    if (keepMs !== undefined) {
      const { finishedBefore } = catalog;
      this.#retention = startRetention({ keepMs, finishedBefore, remove: (id) => this.remove(id), onError });
    }
  }

  /** Queues a file for staging, and for sending when it is staged (unless it is a dry run). Returns the import's id. */
  async create(request: CreateImport): Promise<string> {
    const { id = newImportId(), file, source, options: chosen, start = true, lookups = {} } = request;
    const { retryOf = null, createdBy = '', tags = [] } = request;
    const { target } = this.#parts.options;
    const folder = this.#parts.dir.folder(id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kept = { ...chosen, ...(await keepLookups(folder, lookups)) };
    await bringToDisk(folder);
    const options = JSON.stringify(importOptions.parse({ ...kept, target }));
    const record = { id, file, source, options, retryOf, createdBy, tags: JSON.stringify(tags) };
    await this.#parts.asked(() => this.#parts.catalog.add(record));
    this.events.emit('state', this.find(id));
    this.#parts.life.begin(id, start);
    return id;
  }

  /** @throws UnknownImport */
  find(id: string): ImportRecord {
    return this.#parts.catalog.get(id);
  }

  /** The same for one that may have been deleted: undefined then. */
  lookUp(id: string): ImportRecord | undefined {
    return this.#parts.catalog.find(id);
  }

  /**
   * Other imports to the same service that ended after this one was made, or are not over, oldest first: those that have a
   * ledger and were not undone. @throws UnknownImport
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

  /** Ids of the folders with data that the catalog did not know at the start, as far as they are still there. */
  strays(): string[] {
    return this.#parts.strays.filter((id) => existsSync(this.#parts.dir.folder(id)));
  }

  /** Retries of this import, oldest first. */
  retries(id: string): ImportRecord[] {
    return this.#parts.catalog.retries(id);
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
            if (error instanceof WrongTarget || error instanceof RegionWithoutApp) return [{ record, why: error }];
            life.fault(record.id, 'SENDING_FAILED', error);
            return [];
          },
        ),
      );
    return (await Promise.all(left)).flat();
  }

  /**
   * Sends again, as a new import, what failed, was not confirmed or was not sent in an import that has finished. Returns
   * the new id. @throws WrongState, also when there is nothing to send again; WrongTarget
   */
  async retry(id: string, changes: RetryChanges = {}): Promise<string> {
    const record = this.find(id);
    checkTarget(`import ${id}`, readOptions(record), this.sendsTo);
    const places = { dir: this.#parts.dir, reading: this.reading };
    return retryImport(places, record, changes, (request) => this.create(request));
  }

  /** The rows of an import that need attention are left as they are. @throws UnknownImport; WrongState while it is not over */
  dismiss(id: string): ImportRecord {
    const record = this.find(id);
    if (!isFinal(record.state)) throw new WrongState(record, 'cannot be dismissed', actionsOf(record.state, false));
    this.#parts.catalog.dismiss(id);
    this.events.emit('changed', record);
    return record;
  }

  /** Adds and removes tags of an import, in any state. @throws UnknownImport */
  tag(id: string, changes: TagChanges): ImportRecord {
    this.#parts.catalog.setTags(id, JSON.stringify(tagsAfter(tagsOf(this.find(id)), changes)));
    const record = this.find(id);
    this.events.emit('changed', record);
    return record;
  }

  /** Keeps the totals of an import that has ended. */
  keepTotals(id: string, totals: ImportTotals): void {
    this.#parts.catalog.setTotals(id, totals);
  }

  /** Deletes an import with all its files: one that has finished or failed, or was not started. @throws WrongState */
  async remove(id: string): Promise<void> {
    const record = this.find(id);
    const isClosing = this.#parts.life.isClosing(id);
    const isAtRest = record.state === 'staged' || record.state === 'failed' || isFinal(record.state);
    if (isClosing || !isAtRest) {
      throw new WrongState(record, 'cannot be deleted', isClosing ? [] : actionsOf(record.state, false));
    }
    await this.#parts.life.leave(id);
    const deleted = removeImport(this.#parts.dir, this.#parts.catalog, id);
    this.events.emit('removed', id);
    await deleted;
    await this.reading.forget(this.#parts.dir.ledger(id));
  }

  /** Publishes the URL of this server, for other processes that want to use the data directory: it has one owner. */
  announce(address: string): void {
    announceAddress(this.#parts.dir, address);
  }

  /** Reads groups of the service, within the budgets of their regions. */
  pages(region: Region, patienceMs?: number): GroupPages {
    return this.#parts.life.sending.groups.pages(region, patienceMs ?? 'as-process');
  }

  /** Returns the status of the regions that imports have used so far. */
  regions(): Promise<RegionStatus[]> {
    return this.#parts.life.sending.regions.status();
  }

  /** Returns facts about their queues for a person who looks for a fault. */
  inspectQueues(): Promise<ReadonlyMap<Region, QueueInspection>> {
    return this.#parts.life.sending.regions.inspect();
  }

  /** False where results of other processes have waited for a minute and none was taken. */
  resultsAreTaken(): Promise<boolean> {
    return this.#parts.life.sending.results.areTaken();
  }

  /** Reads keys from the settings again; returns the regions whose key has changed. */
  renewKeys(regions: ReadonlySet<Region>): Promise<Region[]> {
    return this.#parts.life.sending.regions.renewKeys(regions);
  }

  takesCalls(region: Region): Promise<boolean> {
    return this.#parts.life.sending.regions.takesCalls(region);
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
