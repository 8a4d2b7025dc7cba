import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportTotals } from '../../api/import-summary.ts';
import type { RegionStatus } from '../../api/regions.ts';
import { type TagChanges, tagsAfter } from '../../api/tags.ts';
import { actionsOf } from '../../membership/import-actions.ts';
import { type ImportState, isFinal } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { ByLookup } from '../../options/lookups.ts';
import type { Config } from '../../platform/config.ts';
import { announceAddress, type DataDir, ownDataDir } from '../../platform/data-dir.ts';
import { busyIn, shortenBusyTimeout, whenFree } from '../../platform/database-busy.ts';
import type { Backend } from '../../queue/backend.ts';
import type { QueueLook } from '../../queue/job-queue.ts';
import { utcTime } from '../../text/wording.ts';
import type { GroupPages } from '../ask/group-pages.ts';
import { type ImportRecord, openCatalog, tagsOf } from '../catalog.ts';
import { WrongState } from '../import-errors.ts';
import { newImportId } from '../import-id.ts';
import { type ImportOptions, importOptions, readOptions } from '../import-options.ts';
import { isCatalogLost, rebuildCatalog, rebuiltSentence, straysSentence } from '../rebuild-catalog.ts';
import { type LedgerThreads, openLedgerThreads } from '../report/ledger-threads.ts';
import type { SendingConfig } from '../send/give-up.ts';
import type { RegionOpener } from '../send/region.ts';
import { keepLookups } from '../stage/lookup-copies.ts';
import type { LookupSource } from '../stage/lookup-file.ts';
import type { StageFile } from '../stage/staging.ts';
import { type Aimed, checkTarget, isSameTarget, type Target } from '../target.ts';
import { continueAll, type LeftAlone } from './continue-all.ts';
import type { ResumeChanges } from './creating-step.ts';
import type { LifeFeature } from './feature.ts';
import { createLife, type Life, type LifeEvents } from './life.ts';
import { removeImport, startRetention, sweepRemoved, sweepUnbegun } from './removal.ts';
import { type RetryChanges, retryImport } from './retry-import.ts';
import type { Wait } from './waits.ts';

/** The one process that owns a data directory: it stages files, dispatches batches, records outcomes, writes reports. */
export interface Coordinator {
  readonly events: EventEmitter<LifeEvents>;
  /** Threads that read ledgers. */
  readonly reading: LedgerThreads;
  /** The backend of the queues; other parts keep queues of their own there. Closed by `stop`. */
  readonly backend: Backend;
  /** Queues a file for staging, and for sending when it is staged (unless it is a dry run). Returns the import's id. */
  create(request: CreateImport): Promise<string>;
  find(id: string): ImportRecord;
  /** The target of this process: stored with what it begins, and compared when that is continued. */
  readonly sendsTo: Aimed;
  /**
   * Other imports to the same service that ended after this one was made, or are not over, oldest first: those that have a
   * ledger and were not undone. @throws UnknownImport
   */
  others(id: string): ImportWithLedger[];
  /** Retries of this import, oldest first. */
  retries(id: string): ImportRecord[];
  /** The part of features in the life of imports. */
  readonly features: LifeFeature;
  /** Reads the input of an import whose reading a crash interrupted, unless that is running already. Sends nothing. */
  stage(id: string): void;
  pause(id: string): Promise<ImportRecord>;
  /** Continues an import that is staged, paused or blocked, or that a stop or crash interrupted. */
  resume(id: string, changes?: ResumeChanges): Promise<ImportRecord>;
  cancel(id: string): Promise<ImportRecord>;
  /**
   * Continues every import that a stop or crash interrupted: while reading, sending, pausing or cancelling.
   * Resolves when each has begun, with those that this process cannot continue: they stay as they are.
   */
  continueAll(): Promise<LeftAlone[]>;
  /**
   * Sends again, as a new import, what failed, was not confirmed or was not sent in an import that has finished. Returns
   * the new id. @throws WrongState, also when there is nothing to send again; WrongTarget
   */
  retry(id: string, changes?: RetryChanges): Promise<string>;
  /** The rows of an import that need attention are left as they are. @throws UnknownImport; WrongState while it is not over */
  dismiss(id: string): ImportRecord;
  /** Adds and removes tags of an import, in any state. @throws UnknownImport */
  tag(id: string, changes: TagChanges): ImportRecord;
  /** Keeps the totals of an import that has ended. */
  keepTotals(id: string, totals: ImportTotals): void;
  /** Deletes an import with all its files: one that has finished or failed, or was not started. @throws WrongState */
  remove(id: string): Promise<void>;
  /** Publishes the URL of this server, for other processes that want to use the data directory: it has one owner. */
  announce(address: string): void;
  /** Reads groups of the service, within the budgets of their regions. */
  pages(region: Region, patienceMs?: number): GroupPages;
  /** Returns the status of the regions that imports have used so far. */
  regions(): Promise<RegionStatus[]>;
  /** Returns facts about their queues for a person who looks for a fault. */
  lookAtQueues(): Promise<ReadonlyMap<Region, QueueLook>>;
  /** False where results of other processes have waited for a minute and none was taken. */
  resultsAreTaken(): Promise<boolean>;
  /** Reads keys from the settings again; returns the regions whose key has changed. */
  renewKeys(regions: ReadonlySet<Region>): Promise<Region[]>;
  /** Resolves when nothing more happens without a person: finished, failed, paused, blocked, or staged by a dry run. */
  settled(id: string): Promise<ImportRecord>;
  /** From now on imports that wait for something of this machine continue by themselves. */
  readonly watchWaits: Life['watchWaits'];
  /** Lets other work wait, as imports do (waits.ts). */
  readonly whenOver: Life['whenOver'];
  /** Begins nothing new, lets calls in flight finish for at most `deadlineMs`, and closes. Imports can be resumed. */
  stop(deadlineMs: number): Promise<void>;
}

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
  readonly config: SendingConfig & Partial<Pick<Config, 'reportTo'>>;
  /** The time that imports are kept after they have finished, in ms. Default: until they are removed. */
  readonly keepMs?: number;
  /** Reads files into ledgers. Default: each in a thread of its own. */
  readonly stage?: StageFile | undefined;
  /** Bytes that are free on the disk of the data directory. Default: what the system says. */
  readonly free?: (() => Promise<number>) | undefined;
  /** Reads ledgers. Default: threads of this coordinator. */
  readonly openReading?: (() => LedgerThreads) | undefined;
  readonly features?: readonly LifeFeature[];
  /** Whether requests wait, however long, while another program holds a database. Default: they are refused. */
  readonly patient?: boolean;
  /** Ends these waits. Default: nothing does. */
  readonly signal?: AbortSignal | undefined;
  /** Gets for what it waits, in a sentence. */
  readonly onWait?: ((sentence: string) => void) | undefined;
  /** Gets troubles that the queue recovers from by itself. */
  readonly onError: (error: Error) => void;
}

/** States in which an import waits for a person. */
const AT_REST: ReadonlySet<ImportState> = new Set(['staged', 'paused', 'blocked', 'failed']);

export async function openCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { dir, config, onError, onWait = () => {}, sandbox = false, target, openReading = openLedgerThreads } = options;
  const features: LifeFeature = Object.assign({}, ...(options.features ?? []));
  // If the start fails, what was opened until then is closed.
  await using taken = new AsyncDisposableStack();
  taken.defer(ownDataDir(dir));
  if (isCatalogLost(dir)) onError(new Error(rebuiltSentence(dir, rebuildCatalog(dir))));
  shortenBusyTimeout();
  const tell = ({ reason }: Pick<Wait, 'reason'>) => onWait(`Waiting since ${utcTime(Date.now())}: ${reason}.`);
  const patiently = <Result>(work: () => Result | Promise<Result>): Promise<Result> =>
    whenFree(work, { waits: ({ what: reason }) => tell({ reason }), signal: options.signal });
  const asked = options.patient === true ? patiently : async <Result>(work: () => Result | Promise<Result>) => work();
  const catalog = await patiently(() => openCatalog(dir.catalog));
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
  const life = createLife({ ...options, dir, catalog, backend, reading, events, sandbox, features, tell });
  const find = catalog.get;
  const sendsTo: Aimed = { sandbox, target };

  const others = (id: string): ImportWithLedger[] => {
    const record = find(id);
    const meant = readOptions(record);
    const undone = catalog.undone();
    return catalog
      .list(Number.MAX_SAFE_INTEGER)
      .filter((other) => other.id !== id && (other.finishedAt ?? Date.now()) >= record.createdAt)
      .filter((other) => !undone.has(other.id) && isSameTarget(readOptions(other), meant))
      .map((other) => ({ id: other.id, retryOf: other.retryOf, ledger: dir.ledger(other.id) }))
      .filter(({ ledger }) => existsSync(ledger))
      .reverse();
  };

  const pages: Coordinator['pages'] = (region, patienceMs) =>
    life.sending.groups.pages(region, patienceMs ?? 'as-process');

  const remove = async (id: string): Promise<void> => {
    const record = find(id);
    const isAtRest = record.state === 'staged' || record.state === 'failed' || isFinal(record.state);
    if (life.isClosing(id) || !isAtRest) {
      throw new WrongState(record, 'cannot be deleted', life.isClosing(id) ? [] : actionsOf(record.state, false));
    }
    await life.leave(id);
    const deleted = removeImport(dir, catalog, id);
    events.emit('removed', id);
    await deleted;
    await reading.forget(dir.ledger(id));
  };

  const retention =
    options.keepMs === undefined
      ? undefined
      : startRetention({ keepMs: options.keepMs, finishedBefore: catalog.finishedBefore, remove, onError });

  const leaveAll = (): void => {
    try {
      catalog.leaveAll();
    } catch (error) {
      // It counts as a death then, and one more is allowed.
      if (busyIn(error) === undefined) throw error;
    }
  };

  let stopping: Promise<void> | undefined;
  const resources = taken.move();

  const coordinator: Coordinator = {
    events,
    reading,
    backend,
    find,
    sendsTo,
    others,
    retries: catalog.retries,
    features,
    stage: (id) => life.begin(id, false),
    create: async ({ id = newImportId(), file, source, options: chosen, start = true, lookups = {}, ...about }) => {
      const { retryOf = null, createdBy = '', tags = [] } = about;
      mkdirSync(dir.folder(id), { recursive: true, mode: 0o700 });
      const kept = { ...chosen, ...(await keepLookups(dir.folder(id), lookups)) };
      const usual = chosen.sandbox ? undefined : config.reportTo;
      const reportTo = chosen.reportTo ?? (usual && { place: usual, settings: {} });
      const options = JSON.stringify(importOptions.parse({ ...kept, reportTo, target }));
      const record = { id, file, source, options, retryOf, createdBy, tags: JSON.stringify(tags) };
      await asked(() => catalog.add(record));
      events.emit('state', find(id));
      life.begin(id, start);
      return id;
    },
    pause: async (id) => {
      await asked(() => life.pause(id));
      return find(id);
    },
    resume: async (id, changes = {}) => {
      checkTarget(`import ${id}`, readOptions(find(id)), sendsTo);
      await asked(() => life.resume(id, changes));
      return find(id);
    },
    cancel: async (id) => {
      await asked(() => life.cancel(id));
      return find(id);
    },
    continueAll: () => continueAll(catalog.unfinished(), life),
    retry: async (id, changes = {}) => {
      const record = find(id);
      checkTarget(`import ${id}`, readOptions(record), sendsTo);
      return retryImport({ dir, reading, ...features }, record, changes, coordinator.create);
    },
    dismiss: (id) => {
      const record = find(id);
      if (!isFinal(record.state)) throw new WrongState(record, 'cannot be dismissed', actionsOf(record.state, false));
      catalog.dismiss(id);
      events.emit('changed', record);
      return record;
    },
    tag: (id, changes) => {
      catalog.setTags(id, JSON.stringify(tagsAfter(tagsOf(find(id)), changes)));
      const record = find(id);
      events.emit('changed', record);
      return record;
    },
    keepTotals: catalog.setTotals,
    remove,
    announce: (address) => announceAddress(dir, address),
    pages,
    regions: () => life.sending.regions(),
    lookAtQueues: () => life.sending.lookAtQueues(),
    resultsAreTaken: () => life.sending.resultsAreTaken(),
    renewKeys: (regions) => life.sending.renewKeys(regions),
    watchWaits: life.watchWaits,
    whenOver: life.whenOver,
    settled: async (id) => {
      for (;;) {
        // Checked after the move: `staged` is only passed on the way to `running`.
        await Promise.resolve();
        const record = find(id);
        if ((AT_REST.has(record.state) && !life.isClosing(id)) || isFinal(record.state)) return record;
        await once(events, 'state');
      }
    },
    stop: (deadlineMs) => {
      stopping ??= (async () => {
        // First: imports that the stop interrupts did not kill this process.
        leaveAll();
        await retention?.stop();
        await life.stop(deadlineMs);
        await resources.disposeAsync();
      })();
      return stopping;
    },
  };
  return coordinator;
}
