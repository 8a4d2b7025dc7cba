import { EventEmitter } from 'node:events';
import { messageOf, RollcallError } from '../../errors/rollcall-error.ts';
import { type OtherWait, waitOf } from '../../imports/life/waits.ts';
import { totalRows } from '../../imports/record/counters.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { type Patience, patienceOf } from '../../imports/send/give-up.ts';
import { checkTarget } from '../../imports/target.ts';
import { needsPerson } from '../../membership/import-state.ts';
import { isCarriedOut, isSyncUnderWay, type RunState } from '../../membership/sync-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { hashOf } from '../../platform/files.ts';
import { Works } from '../../platform/works.ts';
import { type SourceReaderOptions, sourceReader } from '../../sources/obtain.ts';
import { isAway } from '../../sources/source.ts';
import { asClause, counted, isoTime, utcTime } from '../../text/wording.ts';
import { newSyncId } from '../sync/kept-sync.ts';
import { awaits } from '../sync/memory/memory.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import type { ScheduleRun } from './operations.ts';
import { type AlarmOptions, scheduleAlarm } from './schedule-alarm.ts';
import type { Schedule } from './schedule-catalog.ts';
import { obtainFiles, syncNow } from './schedule-sync.ts';

/** The parts with which schedules run. */
export interface ScheduleRunsOptions extends SourceReaderOptions, AlarmOptions {
  readonly syncs: Pick<SyncRunner, 'create' | 'find' | 'events' | 'replace' | 'importState' | 'whenOver' | 'sendsTo'>;
  /** Has the ledgers of the imports that carry syncs out, and a folder for each schedule's own files. */
  readonly dir: Pick<DataDir, 'ledger' | 'memory' | 'schedule'>;
  /** The time that runs wait for a service that does not answer, if it is set for all of them. */
  readonly patience: Patience;
}

const WITHOUT_SYNC = 'the process ended before it had a sync';
/** Between two attempts at a source that does not answer, and in all; in ms. */
const SOURCE_WAIT_MS = 60_000;
const MAX_SOURCE_WAIT_MS = 15 * 60_000;
const SOURCE_PATIENCE_MS = 60 * 60_000;
/** A run that is this late when the process starts is not missed. In ms. */
const LATE_MS = 5 * 60_000;
/** Part of the time until its schedule is due again that a run waits for the service. */
const WINDOW = 0.95;

/** Runs of schedules: begins them when they are due, gets the file, starts a sync with it, and notes the result. */
export function openScheduleRuns(options: ScheduleRunsOptions) {
  const { catalog, syncs, clock } = options;
  let isStopping = false;
  const notes = runNotes(options, () => isStopping);
  const { events, underWay, add, attempt } = notes;
  const runSyncs = syncsOfRuns(options, notes);
  /** Runs that get their file and begin their sync. */
  const works = new Works<never>(() => {});
  /** Runs of an earlier process. Others may be there: this process can be asked for runs before it starts. */
  const left = new Set([...catalog.runsIn('running'), ...catalog.runsIn('waiting')].map(({ id }) => id));
  const leftIn = (state: RunState) => catalog.runsIn(state).filter(({ id }) => left.has(id));
  const alarm = scheduleAlarm(options, ({ name, nextDue }) => start(name, nextDue, ''));
  syncs.events.on('state', ({ id }) => look(id)).on('import', look);

  function start(schedule: string, due: number, who: string) {
    const dueAt = isoTime(due);
    const before = underWay(schedule);
    if (before !== undefined) {
      const reason = `the run of ${utcTime(before.dueAt)} is not over: ${before.reason}`;
      return add({ schedule, dueAt, who, state: 'skipped-running', reason });
    }
    const run = add({ schedule, dueAt, who, state: 'running', reason: 'getting the file' });
    if (!isStopping) void attempt(run, () => works.begin(`${run.id}`, (signal) => runSyncs.begin(run, signal)));
    return run;
  }

  /** The sync of a run, or the import that carries it out, has moved: the run says so. */
  function look(syncId: string) {
    const run = isStopping ? undefined : catalog.runOfSync(syncId);
    return run && attempt(run, () => runSyncs.look(run.id, syncId));
  }

  /** Nothing was running when it was due. */
  function missed({ name, catchUp, nextDue }: Schedule) {
    if (catchUp || clock() - nextDue <= LATE_MS) return start(name, nextDue, '');
    const dueAt = isoTime(nextDue);
    const reason = `nothing was running at ${utcTime(dueAt)}; \`rollcall schedule run ${name}\` makes up for it`;
    return add({ schedule: name, dueAt, who: '', state: 'missed', reason });
  }

  /** Follows a run that a stop or crash interrupted. */
  function goOn({ id, schedule, state, dueAt, who, sync }: ScheduleRun) {
    if (sync !== null) return void look(sync.id);
    if (state !== 'running') return;
    const due = Date.parse(dueAt);
    const isSecond = catalog
      .runsSince(schedule, due)
      .some((other) => other.id !== id && other.dueAt === dueAt && other.reason === WITHOUT_SYNC);
    notes.note(id, 'missed', isSecond ? `${WITHOUT_SYNC}, twice: it is not begun again by itself` : WITHOUT_SYNC);
    if (catalog.find(schedule)?.catchUp && who === '' && !isSecond) start(schedule, due, '');
  }

  return {
    events,
    obtain: runSyncs.obtain,
    underWay,
    ring: alarm.ring,
    /** Begins a run that a user asks for. @throws UNKNOWN_SCHEDULE, SCHEDULE_RUNNING */
    begin: (name: string, who: string) => {
      catalog.get(name);
      const before = underWay(name);
      if (before === undefined) return start(name, clock(), who);
      const { dueAt, reason, syncId } = before;
      throw new RollcallError('SCHEDULE_RUNNING', { name, dueAt, reason, syncId });
    },
    /** Follows interrupted runs, makes up for those that were missed, or notes them, and begins the rest when they are due. */
    start: () => {
      const due = [...alarm.takeDue()];
      for (const run of [...leftIn('running'), ...leftIn('waiting')]) goOn(run);
      for (const record of due) missed(record);
      alarm.set();
    },
    changed: () => {
      alarm.changed();
      events.emit('changed');
    },
    /** For a process that does not stay: notes the outcome of interrupted runs, unless an import will finish them. */
    noteInterrupted: async () => {
      for (const { id, sync } of leftIn('running')) {
        if (sync !== null && sync.state !== 'planning') await look(sync.id);
        else notes.note(id, 'missed', 'the process ended before its plan was made; nothing was sent');
      }
    },
    /** Stops fetching. Runs with a sync are followed again by the next start. */
    stop: async () => {
      isStopping = true;
      alarm.stop();
      await works.stop();
    },
  };
}

export type ScheduleRuns = ReturnType<typeof openScheduleRuns>;

/** The runs in the catalog, what becomes of them, and who hears of it. */
function runNotes({ catalog, syncs, clock, fail }: ScheduleRunsOptions, isStopping: () => boolean) {
  const events = new EventEmitter<{
    /** It has begun, has its sync, or has finished. */
    run: [run: ScheduleRun];
    /** Schedules were added, edited, paused, resumed or removed. */
    changed: [];
  }>().setMaxListeners(0);

  /** Its schedule may have been removed meanwhile, and its runs with it. */
  function note(id: number, state: RunState, reason: string) {
    const noted = catalog.findRun(id);
    if (noted === undefined || (noted.state === state && noted.reason === reason)) return;
    catalog.changeRun(id, { state, reason });
    events.emit('run', { ...noted, state, reason });
  }

  /** Does a part of a run, and again when a wait is over, unless its schedule was removed. */
  function attempt(run: ScheduleRun, part: () => Promise<void>): Promise<void> {
    const goOn = () => {
      if (!isStopping() && catalog.findRun(run.id) !== undefined) void attempt(run, part);
    };
    return part()
      .catch((error: unknown) => {
        const schedule = isStopping() ? undefined : catalog.find(run.schedule);
        if (schedule === undefined) return;
        const wait: OtherWait | undefined = waitOf(error) ?? waitForSource(run, error, schedule.nextDue, clock);
        if (wait === undefined || !syncs.whenOver(wait, goOn)) return note(run.id, 'failed', messageOf(error));
        try {
          const { code, reason, next = 'it continues when that is over' } = wait;
          note(run.id, 'running', `${code}: ${asClause(reason)}; ${next}`);
        } catch (catalogError) {
          // The catalog may be what cannot be written.
          if (waitOf(catalogError) === undefined) throw catalogError;
        }
      })
      .catch(fail);
  }

  return {
    events,
    note,
    attempt,
    /** Never two runs of one schedule at a time. */
    underWay: (name: string) => catalog.runsIn('running').find(({ schedule }) => schedule === name),
    add: (run: Pick<ScheduleRun, 'schedule' | 'dueAt' | 'who' | 'state' | 'reason'>) => {
      const added = catalog.addRun({ ...run, at: isoTime(clock()) });
      events.emit('run', added);
      return added;
    },
  };
}

/**
 * A source that does not answer is asked again after 1, 1, 2, 4, 8 and 15 minutes, and so on for an hour, but not when its
 * schedule is due again. A person who begins a run is told at once.
 */
function waitForSource({ at, who }: ScheduleRun, error: unknown, nextDue: number, clock: () => number) {
  if (!isAway(error) || who !== '') return undefined;
  const [now, begun] = [clock(), Date.parse(at)];
  const until = now + Math.min(Math.max(now - begun, SOURCE_WAIT_MS), MAX_SOURCE_WAIT_MS);
  if (until > Math.min(begun + SOURCE_PATIENCE_MS, nextDue - SOURCE_WAIT_MS)) return undefined;
  const next = `it is asked again at ${utcTime(until)}`;
  return { code: error.code, reason: error.what, next, error, isOver: () => clock() >= until };
}

/** The syncs that runs begin, and what is noted of their results. */
function syncsOfRuns(options: ScheduleRunsOptions, { note }: ReturnType<typeof runNotes>) {
  const { catalog, syncs, dir, clock } = options;
  const obtain = sourceReader(options);
  /** By the id of a run's sync: notes that everyone of its file is in place. */
  const placed = new Map<string, () => void>();

  /** This run takes over what an earlier one left to a person: two at once would undo each other. */
  async function replaceWaiting(run: ScheduleRun) {
    for (const { id, schedule, reason } of catalog.runsIn('waiting')) {
      if (schedule !== run.schedule) continue;
      // It may have been removed while an earlier one was replaced.
      const sync = catalog.findRun(id)?.sync ?? null;
      if (sync !== null) await syncs.replace(sync.id);
      // If it had an import, the code that follows it notes its end.
      if (catalog.findRun(id)?.state === 'waiting')
        note(id, 'ran', `${reason}; the run of ${utcTime(run.dueAt)} was made in its place`);
    }
  }

  return {
    /** Gets the file of a source. @throws SourceError, SourceNotAllowed */
    obtain,
    begin: async (run: ScheduleRun, signal: AbortSignal) => {
      const record = catalog.get(run.schedule);
      const { name, placedHash, repair } = record;
      checkTarget(`schedule ${name}`, record, syncs.sendsTo);
      const files = await obtainFiles(obtain, record, { folder: dir.schedule(name), signal });
      const { found } = files;
      // With another identity or group file, the same file gives other members.
      const beside = await Promise.all(Object.values(files.lookups).map(({ path }) => hashOf(path)));
      const hash = [found.hash, ...beside].join(' ');
      if (found.copy !== undefined) catalog.note(record, { copy: found.copy });
      if (hash === placedHash && !repair && !awaits(dir.memory, name)) {
        const why = 'a run looks at the groups only if the file has changed or it repairs';
        const reason = `${found.name} has not changed since the last run applied it, and ${why}`;
        return note(run.id, 'skipped-unchanged', reason);
      }
      catalog.note(record, { placedHash: null });
      const settings = await syncNow(record, files);
      signal.throwIfAborted();
      const id = newSyncId('sync');
      await replaceWaiting(run);
      catalog.changeRun(run.id, { syncId: id });
      // Nearly until the schedule is due again: the next run must find this one over.
      const patience = Math.floor((record.nextDue - clock()) * WINDOW);
      placed.set(id, () => catalog.note(record, { placedHash: hash }));
      await syncs.create({
        id,
        file: found.name,
        source: found.path,
        ...settings,
        ...patienceOf(settings, options.patience, patience > 0 ? patience : undefined),
        schedule: name,
        syncName: name,
        who: run.who === '' ? `schedule ${name}` : run.who,
      });
    },
    look: async (id: number, syncId: string) => {
      // After the move: `planned` is only a step on the way to `applying`.
      await undefined;
      const { state, reason, importId, totals } = syncs.find(syncId);
      if (isSyncUnderWay(state)) {
        const carrying = syncs.importState(syncId) ?? 'running';
        const next = 'resume or cancel it, or the next run does what it left';
        // While its import needs a person, a run is not one that the next has to wait for.
        if (needsPerson(carrying)) note(id, 'waiting', `its import ${syncId} is ${carrying}; ${next}`);
        if (carrying === 'running') note(id, 'running', `sync ${syncId} is in progress`);
        return;
      }
      const notePlaced = placed.get(syncId);
      // What a person lets through later may be less than the file says.
      placed.delete(syncId);
      if (state === 'failed' || state === 'cancelled') return note(id, 'failed', reason);
      if (state === 'held') return note(id, 'waiting', `held: ${asClause(reason)}`);
      const isWhole = isCarriedOut(state);
      const missing = isWhole && importId !== null ? notInPlace(dir.ledger(importId)) : 0;
      if (isWhole && missing + (totals?.unlisted ?? 0) === 0) notePlaced?.();
      const rest = missing === 0 ? '' : `; ${counted(missing, 'row')} ${missing === 1 ? 'is' : 'are'} not in place`;
      note(id, 'ran', `${state}: ${asClause(reason)}${rest}`);
    },
  };
}

/** The number of rows of a finished import that failed or were not confirmed. @param ledger path */
function notInPlace(ledger: string) {
  using reader = openImportReader(ledger);
  const { failed, unconfirmed } = totalRows(reader.counters());
  return failed + unconfirmed;
}
