import { EventEmitter } from 'node:events';
import { messageOf } from '../../errors/message-of.ts';
import { WrongTarget } from '../../imports/import-errors.ts';
import { roomSentence } from '../../imports/life/room-waits.ts';
import { type ImportState, needsPerson } from '../../membership/import-state.ts';
import { isCarriedOut, isSyncUnderWay, type RunState } from '../../membership/sync-state.ts';
import { isDiskFull } from '../../platform/disk-full.ts';
import { nextRun } from '../../queue/cron.ts';
import { asClause, utcTime } from '../../text/wording.ts';
import { readTotals } from '../sync/plan/plan-totals.ts';
import { hashWith } from '../sync/plan/prepare.ts';
import type { SyncRunner } from '../sync/run/runner-port.ts';
import type { SyncRecord } from '../sync/sync-catalog.ts';
import { UnknownSync } from '../sync/sync-errors.ts';
import { readSyncOptions } from '../sync/sync-options.ts';
import { failedRows, failingSince } from './recurring-failures.ts';
import type { Clock } from './schedule-book.ts';
import type { ScheduleCatalog, ScheduleRecord, ScheduleRun } from './schedule-catalog.ts';
import { ScheduleError } from './schedule-errors.ts';
import { syncSettings } from './schedule-sync.ts';
import { type SourceReaderOptions, sourceReader } from './source-reader.ts';

/** Runs of schedules: gets the file, starts a sync with it, and notes the result. */
export interface ScheduleRuns {
  readonly events: EventEmitter<ScheduleRunEvents>;
  /** An alarm rang. Begins the run, if the catalog knows of one that is due. */
  due(name: string): void;
  /** Begins a run that a user asks for. @throws ScheduleError when one is under way */
  begin(name: string, who: string): ScheduleRun;
  /** Follows the runs that a stop or crash interrupted, and makes up for those that were missed, or notes them. */
  continueAll(): void;
  isUnderWay(name: string): boolean;
  /** For a process that does not stay: notes the outcome of interrupted runs, unless an import will finish them. */
  noteInterrupted(): Promise<void>;
  /** Resolves when a run has finished, or this process stops. */
  over(id: number): Promise<ScheduleRun>;
  /** Stops fetching. Runs with a sync are followed again by the next start. */
  stop(): Promise<void>;
}

export interface ScheduleRunEvents {
  /** It has begun, has its sync, or has finished. */
  run: [run: ScheduleRun];
  /** Schedules were added, edited, paused, resumed or removed. */
  changed: [];
}

export interface ScheduleRunsOptions extends SourceReaderOptions {
  readonly catalog: ScheduleCatalog;
  readonly syncs: Pick<SyncRunner, 'create' | 'find' | 'events' | 'replace' | 'importState' | 'whenRoom'>;
  readonly newSyncId: () => string;
  /** Path of the ledger of the import that carries a sync out. */
  readonly ledger: (importId: string) => string;
  /** Where what a schedule keeps beside the catalog is. */
  readonly folder: (name: string) => string;
  /** Whether this process sends to a sandbox. */
  readonly sandbox: boolean;
  readonly clock: Clock;
  /** The catalog cannot be written: nothing can continue. */
  readonly fail: (error: unknown) => void;
}

/** A file, and the schedule as it was when the file was read. */
interface Placed {
  readonly record: ScheduleRecord;
  readonly hash: string;
}

/** An alarm that is this early still counts as on time, because clocks are adjusted. In ms; crons count minutes. */
const EARLY_MS = 5_000;
const WITHOUT_SYNC = 'the process ended before it had a sync';
/** A run that is this late when the process starts is not missed. In ms. */
const LATE_MS = 5 * 60_000;

export function createScheduleRuns(options: ScheduleRunsOptions): ScheduleRuns {
  const { catalog, syncs, clock } = options;
  const events = new EventEmitter<ScheduleRunEvents>().setMaxListeners(0);
  const stopping = new AbortController();
  const get = sourceReader(options);
  /** By the id of the run. */
  const underWay = new Map<number, Promise<void>>();
  /** Never two runs of one schedule at a time. */
  const openRun = (name: string) => catalog.openRuns().find(({ schedule }) => schedule === name);

  const emit = (id: number): void => {
    const run = catalog.findRun(id);
    if (run !== undefined) events.emit('run', run);
  };
  const note = ({ id }: Pick<ScheduleRun, 'id'>, state: RunState, reason: string): void => {
    catalog.setRun(id, state, reason);
    emit(id);
  };
  const noteProgress = (run: Pick<ScheduleRun, 'id'>, syncId: string): void =>
    note(run, 'running', `sync ${syncId} is in progress`);

  /** Works on a run until it has finished, or this process stops. */
  const follow = (run: ScheduleRun, work: () => Promise<void>): void => {
    const working = work()
      .catch((error: unknown) => {
        if (stopping.signal.aborted || catalog.find(run.schedule) === undefined) return;
        if (isDiskFull(error) && syncs.whenRoom(error, () => goOnWith(run, work))) return noteFull(run, error);
        note(run, 'failed', messageOf(error));
      })
      .catch(options.fail)
      .finally(() => {
        underWay.delete(run.id);
        emit(run.id);
      });
    underWay.set(run.id, working);
  };

  /** It begins again when there is room, unless its schedule was removed. */
  const goOnWith = (run: ScheduleRun, work: () => Promise<void>): void => {
    if (!stopping.signal.aborted && catalog.findRun(run.id) !== undefined) follow(run, work);
  };
  /** The catalog may be what cannot be written. */
  const noteFull = (run: ScheduleRun, error: unknown): void => {
    try {
      note(run, 'running', `DISK_FULL: ${asClause(roomSentence(error))}; it continues when there is room`);
    } catch (catalogError) {
      if (!isDiskFull(catalogError)) throw catalogError;
    }
  };

  const start = ({ name }: Pick<ScheduleRecord, 'name'>, dueAt: number, who: string): ScheduleRun => {
    const run = { schedule: name, dueAt, at: clock(), who };
    const before = openRun(name);
    if (before !== undefined) {
      const reason = `the run of ${utcTime(before.dueAt)} is not over: ${before.reason}`;
      const skipped = catalog.addRun({ ...run, state: 'skipped-running', reason });
      emit(skipped.id);
      return skipped;
    }
    const begun = catalog.addRun({ ...run, state: 'running', reason: 'getting the file' });
    emit(begun.id);
    follow(begun, () => runNow(begun));
    return begun;
  };

  const runNow = async (run: ScheduleRun): Promise<void> => {
    const record = catalog.find(run.schedule);
    if (record === undefined) return;
    const { name, placedHash, repair } = record;
    const { sandbox, reading } = readSyncOptions(record);
    if (sandbox !== options.sandbox) throw new WrongTarget(`schedule ${name}`, sandbox);
    const found = await get(record, { folder: options.folder(name), signal: stopping.signal });
    // With another identity file, the same file gives other members.
    const obtained = { ...found, hash: await hashWith(found.hash, reading?.identities?.path) };
    if (obtained.copy !== undefined) catalog.setCopy(record, obtained.copy);
    if (obtained.hash === placedHash && !repair) {
      return note(
        run,
        'skipped-unchanged',
        `${obtained.name} has not changed since the last run applied it, and a run looks at the groups only if the file has changed or it repairs`,
      );
    }
    catalog.setPlaced(record, null);
    const settings = await syncSettings(record);
    stopping.signal.throwIfAborted();
    const id = options.newSyncId();
    await replaceWaiting(run);
    catalog.setRunSync(run.id, id);
    await syncs.create({
      id,
      file: obtained.name,
      source: obtained.path,
      ...settings,
      scheduleId: name,
      who: run.who === '' ? `schedule ${name}` : run.who,
    });
    noteProgress(run, id);
    await conclude(run, id, { record, hash: obtained.hash });
  };

  /** This run takes over what an earlier one left to a person: two at once would undo each other. */
  const replaceWaiting = async (run: ScheduleRun): Promise<void> => {
    for (const { id, schedule, syncId, reason } of catalog.waitingRuns()) {
      if (schedule !== run.schedule) continue;
      if (syncId !== null && isKnown(syncId)) await syncs.replace(syncId);
      // Where it had an import, its end is noted by the code that follows it.
      if (catalog.findRun(id)?.state === 'waiting') {
        note({ id }, 'ran', `${reason}; the run of ${utcTime(run.dueAt)} was made in its place`);
      }
    }
  };

  /** Waits for the end of a run's sync, and notes the result. @param placed what is in place if nothing of it fails */
  const conclude = async (run: ScheduleRun, syncId: string, placed?: Placed): Promise<void> => {
    const sync = await ended(run, syncId);
    if (sync === undefined || catalog.find(run.schedule) === undefined) return;
    const { state, reason } = sync;
    if (state === 'failed' || state === 'cancelled') return note(run, 'failed', reason);
    if (state === 'held') return note(run, 'waiting', `held: ${asClause(reason)}`);
    const isWhole = isCarriedOut(state);
    const failures = isWhole
      ? await catalog.setFailures(run, sync.importId === null ? [] : failedRows(options.ledger(sync.importId)))
      : undefined;
    const unlisted = readTotals(sync)?.unlisted ?? 0;
    if (failures?.rows === 0 && unlisted === 0 && placed !== undefined) catalog.setPlaced(placed.record, placed.hash);
    const failing = failures === undefined ? '' : failingSince(failures);
    note(run, 'ran', [`${state}: ${asClause(reason)}`, ...(failing === '' ? [] : [failing])].join('; '));
  };

  /** While its import needs a person, a run is not one that the next has to wait for. */
  const noteImport = ({ id }: ScheduleRun, syncId: string, state: ImportState): void => {
    const noted = catalog.findRun(id)?.state;
    if (needsPerson(state) && noted === 'running') {
      note(
        { id },
        'waiting',
        `its import ${syncId} is ${state}; resume or cancel it, or the next run does what it left`,
      );
    }
    if (state === 'running' && noted === 'waiting') noteProgress({ id }, syncId);
  };

  /** Resolves when a sync is no longer under way; with undefined when this process stops before. */
  const ended = (run: ScheduleRun, id: string): Promise<SyncRecord | undefined> =>
    new Promise((resolve) => {
      const leave = (record: SyncRecord | undefined) => {
        syncs.events.off('state', look);
        syncs.events.off('import', onImport);
        stopping.signal.removeEventListener('abort', stop);
        resolve(record);
      };
      const stop = () => leave(undefined);
      // Checked after the move: `planned` is only a step on the way to `applying`.
      const look = () =>
        queueMicrotask(() => {
          const record = syncs.find(id);
          if (!isSyncUnderWay(record.state)) leave(record);
        });
      const onImport = (moved: string, state: ImportState) => {
        if (moved === id) noteImport(run, id, state);
      };
      syncs.events.on('state', look);
      syncs.events.on('import', onImport);
      stopping.signal.addEventListener('abort', stop);
      const carrying = syncs.importState(id);
      if (carrying !== undefined) noteImport(run, id, carrying);
      if (stopping.signal.aborted) stop();
      else look();
    });

  const advance = ({ name, cron, tz, nextDue }: ScheduleRecord): void => {
    catalog.setDue(name, nextRun(cron, tz, Math.max(clock(), nextDue)));
  };

  /** Nothing was running when it was due. */
  const missed = (record: ScheduleRecord, dueAt: number): void => {
    if (record.catchUp || clock() - dueAt <= LATE_MS) {
      start(record, dueAt, '');
      return;
    }
    const reason = `nothing was running at ${utcTime(dueAt)}; \`rollcall schedule run ${record.name}\` makes up for it`;
    const noted = catalog.addRun({ schedule: record.name, dueAt, at: clock(), state: 'missed', reason, who: '' });
    emit(noted.id);
  };

  const goOn = (run: ScheduleRun): void => {
    const { syncId, schedule, dueAt, who } = run;
    if (syncId !== null && isKnown(syncId)) {
      follow(run, () => conclude(run, syncId));
      return;
    }
    const isSecond = catalog
      .runsSince(schedule, dueAt)
      .some((other) => other.id !== run.id && other.dueAt === dueAt && other.reason === WITHOUT_SYNC);
    note(run, 'missed', isSecond ? `${WITHOUT_SYNC}, twice: it is not begun again by itself` : WITHOUT_SYNC);
    const record = catalog.find(schedule);
    if (record?.catchUp && who === '' && !isSecond) start(record, dueAt, '');
  };

  const isKnown = (syncId: string): boolean => {
    try {
      return syncs.find(syncId) !== undefined;
    } catch (error) {
      if (error instanceof UnknownSync) return false;
      throw error;
    }
  };

  /** A plan that was held is approved or rejected later: the run that made it says so. */
  const onSync = ({ id }: SyncRecord): void => {
    const run = catalog.runOfSync(id);
    if (run === undefined || run.state === 'running' || underWay.has(run.id) || stopping.signal.aborted) return;
    if (isSyncUnderWay(syncs.find(id).state)) noteProgress(run, id);
    follow(run, () => conclude(run, id));
  };
  syncs.events.on('state', onSync);

  return {
    events,
    due: (name) => {
      const record = catalog.find(name);
      if (stopping.signal.aborted || record === undefined || record.paused) return;
      const { nextDue } = record;
      if (nextDue > clock() + EARLY_MS) return;
      advance(record);
      start(record, nextDue, '');
    },
    begin: (name, who) => {
      const record = catalog.find(name);
      if (record === undefined) throw ScheduleError.unknown(name);
      const before = openRun(name);
      if (before !== undefined) throw ScheduleError.running(before);
      return start(record, clock(), who);
    },
    continueAll: () => {
      // One may have been begun by now, since this process can be asked for it.
      for (const run of catalog.openRuns()) if (!underWay.has(run.id)) goOn(run);
      for (const run of catalog.waitingRuns()) {
        const { syncId } = run;
        if (!underWay.has(run.id) && syncId !== null && isKnown(syncId)) follow(run, () => conclude(run, syncId));
      }
      for (const record of catalog.list()) {
        if (record.paused || record.nextDue > clock()) continue;
        advance(record);
        missed(record, record.nextDue);
      }
    },
    isUnderWay: (name) => openRun(name) !== undefined,
    noteInterrupted: async () => {
      for (const run of catalog.openRuns()) {
        const { syncId } = run;
        const state = syncId !== null && isKnown(syncId) ? syncs.find(syncId).state : 'planning';
        if (state === 'planning') note(run, 'missed', 'the process ended before its plan was made; nothing was sent');
        else if (state !== 'applying') follow(run, () => conclude(run, syncId ?? ''));
        else noteImport(run, syncId ?? '', syncs.importState(syncId ?? '') ?? 'running');
      }
      await Promise.all(underWay.values());
    },
    over: async (id) => {
      for (;;) {
        const run = catalog.findRun(id);
        if (run === undefined) throw new ScheduleError('the schedule was removed while it ran');
        if (run.state !== 'running' || !underWay.has(id)) return run;
        await new Promise<void>((resolve) => void events.once('run', () => resolve()));
      }
    },
    stop: async () => {
      stopping.abort(new Error('this process stops'));
      syncs.events.off('state', onSync);
      await Promise.all(underWay.values());
    },
  };
}
