import { EventEmitter } from 'node:events';
import { messageOf } from '../../errors/message-of.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { type OtherWait, waitOf } from '../../imports/life/waits.ts';
import { totalRows } from '../../imports/record/counters.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { type Patience, patienceOf } from '../../imports/send/give-up.ts';
import { type Aimed, checkTarget } from '../../imports/target.ts';
import { needsPerson } from '../../membership/import-state.ts';
import { isCarriedOut, isSyncUnderWay, type RunState } from '../../membership/sync-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { Works } from '../../platform/works.ts';
import { nextRun } from '../../queue/cron.ts';
import { type SourceReader, type SourceReaderOptions, sourceReader } from '../../sources/obtain.ts';
import { isAway } from '../../sources/source.ts';
import { asClause, counted, isoTime, utcTime } from '../../text/wording.ts';
import { awaits } from '../sync/memory/memory.ts';
import { hashWith } from '../sync/plan/prepare.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import type { ScheduleRun } from './operations.ts';
import type { Schedule, ScheduleCatalog } from './schedule-catalog.ts';
import { obtainFiles, syncNow } from './schedule-sync.ts';

interface ScheduleRunEvents {
  /** It has begun, has its sync, or has finished. */
  run: [run: ScheduleRun];
  /** Schedules were added, edited, paused, resumed or removed. */
  changed: [];
}

/** The parts with which schedules run, and the clock. */
export interface ScheduleRunsOptions extends SourceReaderOptions, Aimed {
  readonly catalog: ScheduleCatalog;
  readonly syncs: Pick<SyncRunner, 'create' | 'find' | 'events' | 'replace' | 'importState' | 'whenOver'>;
  readonly newSyncId: () => string;
  /** Has the ledgers of the imports that carry syncs out, and a folder for each schedule's own files. */
  readonly dir: Pick<DataDir, 'ledger' | 'memory' | 'schedule'>;
  /** The time that runs wait for a service that does not answer, if it is set for all of them. */
  readonly patience: Patience;
  /** In ms since 1970. */
  readonly clock: () => number;
  /** The catalog cannot be written: nothing can continue. */
  readonly fail: (error: unknown) => void;
}

const WITHOUT_SYNC = 'the process ended before it had a sync';
/** Between two attempts at a source that does not answer, and in all; in ms. */
const SOURCE_WAIT_MS = 60_000;
const MAX_SOURCE_WAIT_MS = 15 * 60_000;
const SOURCE_PATIENCE_MS = 60 * 60_000;
/** A run that is this late when the process starts is not missed. In ms. */
const LATE_MS = 5 * 60_000;
/** A clock that is put back further was wrong before: runs of that time do not count. In ms. */
const SET_BACK_MS = 60 * 60_000;
/** Part of the time until a schedule is due again that a run waits for the service. */
const WINDOW = 0.95;
/** Longest sleep, in ms: a clock may be put right, and a machine that sleeps stops its timers. */
const MAX_SLEEP_MS = 30_000;

/** Runs of schedules: begins them when they are due, gets the file, starts a sync with it, and notes the result. */
export class ScheduleRuns {
  readonly events = new EventEmitter<ScheduleRunEvents>().setMaxListeners(0);
  /** Gets the file of a source. @throws SourceError, SourceNotAllowed */
  readonly obtain: SourceReader;
  readonly #options;
  readonly #catalog;
  readonly #syncs;
  readonly #clock;
  /** Runs that get their file and begin their sync. */
  readonly #works = new Works<never>(() => {});
  /** Runs that an earlier process left: this one can be asked for others before it starts. */
  readonly #left;
  /** By the id of a run's sync: notes that everyone of its file is in place. */
  readonly #placed = new Map<string, () => void>();
  /** The catalog says when it rings, and one process owns that: a timer is all it takes. Undefined: it was not started. */
  #alarm: NodeJS.Timeout | undefined;
  /** The clock when it was last looked at. */
  #seenAt = Number.POSITIVE_INFINITY;
  #isStopping = false;

  constructor(options: ScheduleRunsOptions) {
    this.#options = options;
    this.#catalog = options.catalog;
    this.#syncs = options.syncs;
    this.#clock = options.clock;
    this.obtain = sourceReader(options);
    this.#left = [...this.#catalog.runsIn('running'), ...this.#catalog.runsIn('waiting')];
    this.#syncs.events.on('state', ({ id }) => this.#look(id)).on('import', this.#look);
  }

  /** Never two runs of one schedule at a time. */
  underWay(name: string) {
    return this.#catalog.runsIn('running').find(({ schedule }) => schedule === name);
  }

  /** Begins a run that a user asks for. @throws RollcallError when one is under way */
  begin(name: string, who: string) {
    this.#catalog.get(name);
    const before = this.underWay(name);
    if (before === undefined) return this.#start(name, this.#clock(), who);
    const { dueAt, reason, syncId } = before;
    throw new RollcallError('SCHEDULE_RUNNING', { name, dueAt, reason, syncId });
  }

  /** Follows the runs that a stop or crash interrupted, makes up for those that were missed, or notes them, and begins the rest when they are due. */
  start() {
    const due = [...this.#takeDue()];
    for (const run of this.#left) this.#goOn(run);
    for (const record of due) this.#missed(record);
    this.#sleep();
  }

  /** Schedules of the catalog have changed. */
  changed() {
    if (this.#alarm !== undefined) this.#sleep();
    this.events.emit('changed');
  }

  /** For a process that does not stay: notes the outcome of interrupted runs, unless an import will finish them. */
  async noteInterrupted() {
    for (const { id, state, sync } of this.#left) {
      if (state !== 'running') continue;
      if (sync !== null && sync.state !== 'planning') await this.#look(sync.id);
      else this.#note(id, 'missed', 'the process ended before its plan was made; nothing was sent');
    }
  }

  /** Stops fetching. Runs with a sync are followed again by the next start. */
  async stop() {
    this.#isStopping = true;
    clearTimeout(this.#alarm);
    await this.#works.stop();
  }

  #sleep() {
    clearTimeout(this.#alarm);
    if (this.#isStopping) return;
    const next = Math.min(...this.#times().map(({ nextDue }) => nextDue));
    this.#alarm = setTimeout(() => this.ring(), Math.min(Math.max(0, next - this.#clock()), MAX_SLEEP_MS));
  }

  /** Begins the runs that are due. */
  ring() {
    try {
      for (const { name, nextDue } of this.#takeDue()) this.#start(name, nextDue, '');
      this.#sleep();
    } catch (error) {
      this.#options.fail(error);
      // It may be a full disk, which ends nothing.
      this.#alarm = setTimeout(() => this.ring(), MAX_SLEEP_MS);
    }
  }

  #times() {
    return this.#catalog.list().filter(({ paused }) => !paused);
  }

  /** Schedules that are due, each once: the catalog has its next time already, and that of none behind it. */
  *#takeDue() {
    const now = this.#clock();
    // What was planned by a wrong time is planned again, and nothing runs twice at a time.
    const isSetBack = now < this.#seenAt;
    this.#seenAt = now;
    for (const record of this.#times()) {
      const { name, cron, tz, nextDue } = record;
      const isDue = nextDue <= now;
      if (!isDue && !isSetBack) continue;
      const [last] = isDue ? [] : this.#catalog.runs(name, 1);
      const isTrue = last !== undefined && Date.parse(last.at) <= now + SET_BACK_MS;
      const next = nextRun(cron, tz, isTrue ? Math.max(now, Date.parse(last.dueAt)) : now);
      if (isDue || next < nextDue) this.#catalog.note(record, { nextDue: next });
      if (isDue) yield record;
    }
  }

  /** Its schedule may have been removed meanwhile, and its runs with it. */
  #note(id: number, state: RunState, reason: string) {
    const noted = this.#catalog.findRun(id);
    if (noted === undefined || (noted.state === state && noted.reason === reason)) return;
    this.#catalog.changeRun(id, { state, reason });
    this.events.emit('run', { ...noted, state, reason });
  }

  /** Does a part of a run. It begins again when a wait is over, unless its schedule was removed. */
  #attempt(run: ScheduleRun, part: () => Promise<void>): Promise<void> {
    const goOn = () => {
      if (!this.#isStopping && this.#catalog.findRun(run.id) !== undefined) void this.#attempt(run, part);
    };
    return part()
      .catch((error: unknown) => {
        if (this.#isStopping || this.#catalog.find(run.schedule) === undefined) return;
        const wait = waitOf(error) ?? this.#waitForSource(run, error);
        if (wait !== undefined && this.#syncs.whenOver(wait, goOn)) this.#noteWait(run.id, wait);
        else this.#note(run.id, 'failed', messageOf(error));
      })
      .catch(this.#options.fail);
  }

  /**
   * A source that does not answer is asked again after 1, 1, 2, 4, 8 and 15 minutes, and so on for an hour, but not when its
   * schedule is due again. A person who begins a run is told at once.
   */
  #waitForSource({ schedule, at, who }: ScheduleRun, error: unknown) {
    const { nextDue } = this.#catalog.find(schedule) ?? {};
    if (!isAway(error) || who !== '' || nextDue === undefined) return undefined;
    const [now, begun] = [this.#clock(), Date.parse(at)];
    const until = now + Math.min(Math.max(now - begun, SOURCE_WAIT_MS), MAX_SOURCE_WAIT_MS);
    if (until > Math.min(begun + SOURCE_PATIENCE_MS, nextDue - SOURCE_WAIT_MS)) return undefined;
    const next = `it is asked again at ${utcTime(until)}`;
    return { code: error.code, reason: error.what, next, error, isOver: () => this.#clock() >= until };
  }

  /** The catalog may be what cannot be written. */
  #noteWait(id: number, { code, reason, next = 'it continues when that is over' }: OtherWait) {
    try {
      this.#note(id, 'running', `${code}: ${asClause(reason)}; ${next}`);
    } catch (catalogError) {
      if (waitOf(catalogError) === undefined) throw catalogError;
    }
  }

  #start(schedule: string, due: number, who: string) {
    const dueAt = isoTime(due);
    const before = this.underWay(schedule);
    if (before !== undefined) {
      const reason = `the run of ${utcTime(before.dueAt)} is not over: ${before.reason}`;
      return this.#add({ schedule, dueAt, who, state: 'skipped-running', reason });
    }
    const begun = this.#add({ schedule, dueAt, who, state: 'running', reason: 'getting the file' });
    const work = () => this.#works.begin(`${begun.id}`, (signal) => this.#beginSync(begun, signal));
    if (!this.#isStopping) void this.#attempt(begun, work);
    return begun;
  }

  #add(run: Pick<ScheduleRun, 'schedule' | 'dueAt' | 'who' | 'state' | 'reason'>) {
    const added = this.#catalog.addRun({ ...run, at: isoTime(this.#clock()) });
    this.events.emit('run', added);
    return added;
  }

  async #beginSync(run: ScheduleRun, signal: AbortSignal) {
    const record = this.#catalog.get(run.schedule);
    const { name, placedHash, repair } = record;
    checkTarget(`schedule ${name}`, record, this.#options);
    const place = { folder: this.#options.dir.schedule(name), signal };
    const files = await obtainFiles(this.obtain, record, place, record.copy);
    const { found } = files;
    // With another identity or group file, the same file gives other members.
    const lookups = Object.values(files.lookups).map(({ path }) => path);
    const hash = await hashWith(found.hash, lookups);
    if (found.copy !== undefined) this.#catalog.note(record, { copy: found.copy });
    if (hash === placedHash && !repair && !awaits(this.#options.dir.memory, name)) {
      const why = 'a run looks at the groups only if the file has changed or it repairs';
      return this.#note(
        run.id,
        'skipped-unchanged',
        `${found.name} has not changed since the last run applied it, and ${why}`,
      );
    }
    this.#catalog.note(record, { placedHash: null });
    const settings = await syncNow(record, files);
    signal.throwIfAborted();
    const id = this.#options.newSyncId();
    await this.#replaceWaiting(run);
    this.#catalog.changeRun(run.id, { syncId: id });
    // Nearly until the schedule is due again: the next run must find this one over.
    const patience = Math.floor((record.nextDue - this.#clock()) * WINDOW);
    this.#placed.set(id, () => this.#catalog.note(record, { placedHash: hash }));
    await this.#syncs.create({
      id,
      file: found.name,
      source: found.path,
      ...settings,
      ...patienceOf(settings, this.#options.patience, patience > 0 ? patience : undefined),
      schedule: name,
      syncName: name,
      who: run.who === '' ? `schedule ${name}` : run.who,
    });
  }

  /** This run takes over what an earlier one left to a person: two at once would undo each other. */
  async #replaceWaiting(run: ScheduleRun) {
    for (const { id, schedule, reason } of this.#catalog.runsIn('waiting')) {
      if (schedule !== run.schedule) continue;
      // It may have been removed while an earlier one was replaced.
      const sync = this.#catalog.findRun(id)?.sync ?? null;
      if (sync !== null) await this.#syncs.replace(sync.id);
      // If it had an import, the code that follows it notes its end.
      if (this.#catalog.findRun(id)?.state === 'waiting')
        this.#note(id, 'ran', `${reason}; the run of ${utcTime(run.dueAt)} was made in its place`);
    }
  }

  /** The sync of a run, or the import that carries it out, has moved: the run says so. */
  readonly #look = (syncId: string) => {
    const run = this.#isStopping ? undefined : this.#catalog.runOfSync(syncId);
    return run && this.#attempt(run, () => this.#noteSync(run.id, syncId));
  };

  async #noteSync(id: number, syncId: string) {
    // Looked at after the move: `planned` is only a step on the way to `applying`.
    await undefined;
    const { state, reason, importId, totals } = this.#syncs.find(syncId);
    if (isSyncUnderWay(state)) {
      const carrying = this.#syncs.importState(syncId) ?? 'running';
      const next = 'resume or cancel it, or the next run does what it left';
      // While its import needs a person, a run is not one that the next has to wait for.
      if (needsPerson(carrying)) this.#note(id, 'waiting', `its import ${syncId} is ${carrying}; ${next}`);
      if (carrying === 'running') this.#note(id, 'running', `sync ${syncId} is in progress`);
      return;
    }
    const placed = this.#placed.get(syncId);
    // What a person lets through later may be less than the file says.
    this.#placed.delete(syncId);
    if (state === 'failed' || state === 'cancelled') return this.#note(id, 'failed', reason);
    if (state === 'held') return this.#note(id, 'waiting', `held: ${asClause(reason)}`);
    const isWhole = isCarriedOut(state);
    const left = isWhole && importId !== null ? notInPlace(this.#options.dir.ledger(importId)) : 0;
    if (isWhole && left + (totals?.unlisted ?? 0) === 0) placed?.();
    const rest = left === 0 ? '' : `; ${counted(left, 'row')} ${left === 1 ? 'is' : 'are'} not in place`;
    this.#note(id, 'ran', `${state}: ${asClause(reason)}${rest}`);
  }

  /** Nothing was running when it was due. */
  #missed({ name, catchUp, nextDue }: Schedule) {
    if (catchUp || this.#clock() - nextDue <= LATE_MS) return this.#start(name, nextDue, '');
    const dueAt = isoTime(nextDue);
    const reason = `nothing was running at ${utcTime(dueAt)}; \`rollcall schedule run ${name}\` makes up for it`;
    return this.#add({ schedule: name, dueAt, who: '', state: 'missed', reason });
  }

  /** Follows a run that a stop or crash interrupted. */
  #goOn({ id, schedule, state, dueAt, who, sync }: ScheduleRun) {
    if (sync !== null) return void this.#look(sync.id);
    if (state !== 'running') return;
    const due = Date.parse(dueAt);
    const isSecond = this.#catalog
      .runsSince(schedule, due)
      .some((other) => other.id !== id && other.dueAt === dueAt && other.reason === WITHOUT_SYNC);
    this.#note(id, 'missed', isSecond ? `${WITHOUT_SYNC}, twice: it is not begun again by itself` : WITHOUT_SYNC);
    if (this.#catalog.find(schedule)?.catchUp && who === '' && !isSecond) this.#start(schedule, due, '');
  }
}

/** Returns the number of rows of a finished import that failed or were not confirmed. @param ledger path */
function notInPlace(ledger: string) {
  using reader = openImportReader(ledger);
  const { failed, unconfirmed } = totalRows(reader.counters());
  return failed + unconfirmed;
}
