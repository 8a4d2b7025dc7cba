import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import type { RegionStatus } from '../../api/regions.ts';
import { actionsOf } from '../../membership/import-actions.ts';
import { type ImportState, isFinal, nextStates, TransitionError } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import { announceAddress, type DataDir, ownDataDir } from '../../platform/data-dir.ts';
import type { Backend } from '../../queue/backend.ts';
import { type Catalog, type ImportRecord, openCatalog } from '../catalog.ts';
import { UnknownImport, WrongState, WrongTarget } from '../import-errors.ts';
import { newImportId } from '../import-id.ts';
import { type ImportOptions, importOptions, readOptions } from '../import-options.ts';
import { createRecorder } from '../record/recorder.ts';
import { openReadingThreads, type ReadingThreads } from '../report/reading-threads.ts';
import type { GroupPages } from '../send/group-reader.ts';
import type { OpenLine } from '../send/region.ts';
import { openReturns } from '../send/returns.ts';
import { withIdentities } from '../stage/identity-copy.ts';
import type { IdentitySource } from '../stage/identity-file.ts';
import type { StagingProgress } from '../stage/stage-file.ts';
import { createStagings } from '../stage/staging.ts';
import { createClosings } from './closing.ts';
import { continueAll, type LeftAlone } from './continue-all.ts';
import { type ResumeChanges, withChanges } from './creating-step.ts';
import { createFaults } from './faults.ts';
import { removeImport, startRetention, sweepRemoved } from './removal.ts';
import { type RetryChanges, retryImport } from './retry-import.ts';
import { createRunner } from './runner.ts';

/** The one process that owns a data directory: it stages files, dispatches batches, records outcomes, writes reports. */
export interface Coordinator {
  readonly events: EventEmitter<CoordinatorEvents>;
  /** For whoever reads ledgers beside it. */
  readonly reading: ReadingThreads;
  /** Where jobs are kept, for whoever has queues of its own there. Closed by `stop`. */
  readonly backend: Backend;
  /** Queues a file for staging, and for sending when it is staged (unless it is a dry run). Returns the import's id. */
  create(request: CreateImport): Promise<string>;
  find(id: string): ImportRecord;
  pause(id: string): Promise<ImportRecord>;
  /** Goes on with an import that is staged, paused or blocked, or that a stop or crash interrupted. */
  resume(id: string, changes?: ResumeChanges): Promise<ImportRecord>;
  cancel(id: string): Promise<ImportRecord>;
  /**
   * Goes on with every import that a stop or crash interrupted: in the middle of reading, sending, pausing or cancelling.
   * Resolves when each has begun, with those that this process cannot go on with: they stay as they are.
   */
  continueAll(): Promise<LeftAlone[]>;
  /**
   * Sends what failed, was not confirmed or not sent in an import that is over once more, as an import of its own. Returns
   * the new id. @throws WrongState, also when there is nothing to send again; WrongTarget
   */
  retry(id: string, changes?: RetryChanges): Promise<string>;
  /** Deletes an import that is over, or staged and not started, with all its files. @throws WrongState */
  remove(id: string): Promise<void>;
  /** Tells whoever wants to use this data directory, which has one owner, the URL of the server that has it. */
  announce(address: string): void;
  /** Reads groups of the service, within the budgets of their regions. */
  pages(region: Region): GroupPages;
  /** What the regions are doing that imports have used so far. */
  regions(): Promise<RegionStatus[]>;
  /** Takes up keys that were changed in the settings; gives the regions whose key was. */
  renewKeys(regions: ReadonlySet<Region>): Promise<Region[]>;
  /** Resolves when nothing more happens by itself: over, paused, blocked, or staged by a dry run. */
  settled(id: string): Promise<ImportRecord>;
  /** Takes nothing new, lets calls under way answer for at most `deadlineMs`, and closes. Imports can be resumed. */
  stop(deadlineMs: number): Promise<void>;
}

interface CreateImport {
  /** As the user named it. */
  readonly file: string;
  /** The path to read. */
  readonly source: string;
  readonly options: ImportOptions;
  readonly retryOf?: string;
  /** False: stop when it is staged, and wait for `resume`. */
  readonly start?: boolean;
  /** For a shape that looks users up: copied into the import's folder. */
  readonly identities?: IdentitySource;
  /** Given where the caller needs it beforehand, to put the source into the import's folder. */
  readonly id?: string;
}

interface CoordinatorEvents {
  state: [record: ImportRecord];
  removed: [id: string];
  staging: [id: string, progress: StagingProgress];
  /** An unexpected error ended one import. */
  fault: [id: string, error: unknown];
  /** The machine, the catalog or the queue fails: nothing can go on. */
  failure: [error: Error];
}

export interface CoordinatorOptions {
  readonly dir: DataDir;
  readonly backend: () => Promise<Backend>;
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly openLine: OpenLine;
  readonly version: string;
  /** Whether it sends to a sandbox: imports that were not meant for that are not sent, nor the reverse. Default false. */
  readonly sandbox?: boolean;
  /** How long imports stay when they are over, in ms. Default: until they are removed. */
  readonly keepMs?: number;
  /** Told of troubles that the queue mends by itself. */
  readonly onError: (error: Error) => void;
}

/** States in which an import waits for somebody. */
const AT_REST: ReadonlySet<ImportState> = new Set(['staged', 'paused', 'blocked', 'failed']);

export async function openCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { dir, onError, sandbox = false } = options;
  // Whatever fails before the end of the start gives back what was taken until then.
  await using taken = new AsyncDisposableStack();
  taken.defer(ownDataDir(dir));
  const catalog = openCatalog(dir.catalog);
  taken.defer(() => catalog.close());
  await sweepRemoved(dir);
  // As many may wait for an import as want to.
  const events = new EventEmitter<CoordinatorEvents>().setMaxListeners(0);
  const backend = await options.backend();
  taken.defer(() => backend.close());
  const returns = openReturns(backend, catalog.coordinatorId(), onError);
  const reading = openReadingThreads();
  taken.defer(() => reading.close());
  catalog.countDeaths();

  const fail = (error: unknown) => {
    events.emit('failure', error instanceof Error ? error : new Error(String(error)));
  };
  const move = (...how: Parameters<Catalog['move']>): ImportRecord => {
    const record = catalog.move(...how);
    events.emit('state', record);
    return record;
  };
  const faults = createFaults({
    catalog,
    move,
    drop: (id) => void runner.drop(id),
    tell: (id, error) => events.emit('fault', id, error),
    fail,
    isStopping: () => stopping !== undefined,
  });

  /** Imports that are not to start when they are staged. */
  const waiting = new Set<string>();
  let stopping: Promise<void> | undefined;

  // The life of an import, in its order: it is read, sent, recorded and closed.
  const stagings = createStagings({
    dir,
    find,
    move,
    attend: catalog.attend,
    progress: (id, progress) => events.emit('staging', id, progress),
    staged: (id) =>
      runner.staged(id, !waiting.delete(id)).catch((error: unknown) => faults.of(id, 'SENDING_FAILED', error)),
    failed: (id, error) => faults.of(id, 'READING_FAILED', error),
  });
  const recorder = createRecorder((id, error) => faults.of(id, 'RECORDING_FAILED', error), onError);
  const runner = createRunner({
    dir,
    find,
    move,
    recorder,
    regions: options.regions,
    sandbox,
    outcomes: returns.outcomes,
    answers: returns.answers,
    stateOf: (id) => catalog.find(id)?.state,
    attend: catalog.attend,
    progressed: catalog.progressed,
    openLine: (region) =>
      options.openLine(
        region,
        backend,
        ({ importId }, result) =>
          recorder.deliver(importId, result).catch((error: unknown) => {
            // Nobody waits for it any more, and no second call would change that.
            if (catalog.find(importId)?.state !== 'failed') throw error;
          }),
        async ({ requestId }, answer) => runner.groups.answered(requestId, answer),
      ),
    finish: (id, state, reason) => closings.begin(id, state, reason),
    fault: faults.of,
    onError,
  });
  const closings = createClosings({
    dir,
    find,
    move,
    closeLedger: (id) => runner.close(id),
    reading,
    version: options.version,
    failed: (id, error) => faults.of(id, 'CLOSING_FAILED', error),
  });
  returns.start({ record: runner.record, answered: runner.groups.answered });

  function find(id: string): ImportRecord {
    const record = catalog.find(id);
    if (record === undefined) throw new UnknownImport(id);
    return record;
  }

  const refuse = (record: ImportRecord, to: ImportState): never => {
    throw new TransitionError(record.state, to);
  };

  const remove = async (id: string): Promise<void> => {
    const record = find(id);
    const isAtRest = record.state === 'staged' || record.state === 'failed' || isFinal(record.state);
    if (closings.isUnderWay(id) || !isAtRest) {
      throw new WrongState(record, 'cannot be deleted', closings.isUnderWay(id) ? [] : actionsOf(record.state, false));
    }
    waiting.delete(id);
    await runner.drop(id);
    const gone = removeImport(dir, catalog, id);
    events.emit('removed', id);
    await gone;
    await reading.forget(dir.ledger(id));
  };

  const retention =
    options.keepMs === undefined
      ? undefined
      : startRetention({ keepMs: options.keepMs, finishedBefore: catalog.finishedBefore, remove, onError });

  const goOn = async ({ id, state }: ImportRecord): Promise<void> => {
    if (readOptions(find(id)).sandbox !== sandbox) throw new WrongTarget(`import ${id}`, !sandbox);
    if (faults.setAside(id)) return;
    if (state === 'staging') return stagings.begin(id);
    runner.check(id);
    if (state === 'pausing') await runner.hold(id);
    else await runner.go(id);
  };

  const resources = taken.move();

  const coordinator: Coordinator = {
    events,
    reading,
    backend,
    find,
    create: async ({ id = newImportId(), file, source, options: chosen, retryOf, start = true, identities }) => {
      if (!start) waiting.add(id);
      mkdirSync(dir.folder(id), { recursive: true, mode: 0o700 });
      const kept = await withIdentities(dir.folder(id), chosen, identities);
      catalog.add({ id, file, source, options: JSON.stringify(importOptions.parse(kept)), retryOf: retryOf ?? null });
      events.emit('state', find(id));
      stagings.begin(id);
      return id;
    },
    pause: async (id) => {
      const record = find(id);
      if (record.state === 'pausing' || record.state === 'paused') return record;
      if (record.state !== 'running') refuse(record, 'pausing');
      move(id, 'pausing');
      await runner.hold(id);
      return find(id);
    },
    resume: async (id, changes = {}) => {
      const record = find(id);
      catalog.setOptions(id, withChanges(record, changes));
      if (isFinal(record.state) || (record.state === 'staged' && closings.isUnderWay(id))) refuse(record, 'running');
      // Somebody wants it, whatever has happened before.
      catalog.progressed(id);
      if (record.state === 'failed' && !existsSync(dir.ledger(id))) move(id, 'staging');
      if (find(id).state === 'staging') stagings.begin(id);
      else await runner.go(id);
      return find(id);
    },
    cancel: async (id) => {
      const record = find(id);
      if (record.state === 'staging') {
        await stagings.abort(id);
        if (find(id).state === 'staging') return move(id, 'cancelled');
      } else if (record.state === 'failed') {
        if (!existsSync(dir.ledger(id))) return move(id, 'cancelled');
        faults.endWhateverHappens(id);
      }
      // It may have been staged, and even started, in the meantime.
      const { state } = find(id);
      if (!nextStates(state).some((next) => next === 'cancelling' || next === 'cancelled'))
        refuse(find(id), 'cancelled');
      try {
        await runner.cancel(id);
      } catch (error) {
        if (!faults.isLastResort(id)) throw error;
        faults.of(id, 'RECORDING_FAILED', error);
      }
      return find(id);
    },
    continueAll: () => continueAll(catalog.unfinished(), goOn, (id, error) => faults.of(id, 'SENDING_FAILED', error)),
    retry: async (id, changes = {}) => {
      const record = find(id);
      const meant = readOptions(record).sandbox;
      if (meant !== sandbox) throw new WrongTarget(`import ${id}`, meant);
      return retryImport(dir, record, changes, coordinator.create);
    },
    remove,
    announce: (address) => announceAddress(dir, address),
    pages: (region) => runner.groups.pages(region),
    regions: () => runner.regions(),
    renewKeys: (regions) => runner.renewKeys(regions),
    settled: async (id) => {
      for (;;) {
        // A state is looked at when the move is over: `staged` is passed through on the way to `running`.
        await Promise.resolve();
        const record = find(id);
        if ((AT_REST.has(record.state) && !closings.isUnderWay(id)) || isFinal(record.state)) return record;
        await once(events, 'state');
      }
    },
    stop: (deadlineMs) => {
      stopping ??= (async () => {
        // Said first: what the stop interrupts did not end this process.
        catalog.leaveAll();
        await retention?.stop();
        closings.stop();
        await stagings.stop();
        await runner.stop(deadlineMs);
        await returns.close(deadlineMs);
        await resources.disposeAsync();
      })();
      return stopping;
    },
  };
  return coordinator;
}
