import { EventEmitter } from 'node:events';
import { messageOf } from '../../errors/message-of.ts';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import { type OtherWait, waitOf } from '../../imports/life/waits.ts';
import { totalRows } from '../../imports/record/counters.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import type { Patience } from '../../imports/send/give-up.ts';
import { type Aimed, checkTarget } from '../../imports/target.ts';
import { type ImportState, needsPerson } from '../../membership/import-state.ts';
import { isCarriedOut, isSyncUnderWay, type RunState } from '../../membership/sync-state.ts';
import { mapLookups } from '../../options/lookups.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { nextRun } from '../../queue/cron.ts';
import { type SourceReader, type SourceReaderOptions, sourceReader } from '../../sources/obtain.ts';
import { isAway } from '../../sources/source.ts';
import { asClause, counted, utcTime } from '../../text/wording.ts';
import type { Sync } from '../sync/kept-sync.ts';
import { awaits } from '../sync/memory/memory.ts';
import { hashWith } from '../sync/plan/prepare.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import type { Schedule, ScheduleCatalog, ScheduleRun } from './schedule-catalog.ts';
import { obtainBeside, patienceOf, sourceOf, syncEnded, syncNow } from './schedule-sync.ts';

export interface ScheduleRunEvents {
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

/** A file, and the schedule as it was when the file was read. */
interface Placed {
  readonly record: Schedule;
  readonly hash: string;
}

/** An alarm that is this early still counts as on time, because clocks are adjusted. In ms; crons count minutes. */
const EARLY_MS = 5_000;
const WITHOUT_SYNC = 'the process ended before it had a sync';
/** Between two attempts at a source that does not answer, and in all; in ms. */
const SOURCE_WAIT_MS = 60_000;
const MAX_SOURCE_WAIT_MS = 15 * 60_000;
const SOURCE_PATIENCE_MS = 60 * 60_000;
/** A run that is this late when the process starts is not missed. In ms. */
const LATE_MS = 5 * 60_000;

/** A clock that is put back further was wrong before: runs of that time do not count. In ms. */
const SET_BACK_MS = 60 * 60_000;

/** Runs of schedules: gets the file, starts a sync with it, and notes the result. */
export class ScheduleRuns {
  readonly events = new EventEmitter<ScheduleRunEvents>().setMaxListeners(0);
  /** Gets the file of a source. @throws BAD_SOURCE, SourceNotAllowed */
  readonly obtain: SourceReader;
  readonly #options: ScheduleRunsOptions;
  readonly #catalog: ScheduleCatalog;
  readonly #syncs: ScheduleRunsOptions['syncs'];
  readonly #clock: ScheduleRunsOptions['clock'];
  readonly #stopping = new AbortController();
  /** By the id of the run. */
  readonly #underWay = new Map<number, Promise<void>>();

  constructor(options: ScheduleRunsOptions) {
    this.#options = options;
    this.#catalog = options.catalog;
    this.#syncs = options.syncs;
    this.#clock = options.clock;
    this.obtain = sourceReader(options);
    this.#syncs.events.on('state', this.#onSync);
  }

  /** An alarm rang. Begins the run, if the catalog knows of one that is due. */
  due(name: string): void {
    const record = this.#catalog.find(name);
    if (this.#stopping.signal.aborted || record === undefined || record.paused) return;
    const { nextDue } = record;
    if (nextDue > this.#clock() + EARLY_MS) return;
    this.#advance(record);
    this.#start(record, nextDue, '');
  }

  /** Begins a run that a user asks for. @throws RollcallError when one is under way */
  begin(name: string, who: string): ScheduleRun {
    const record = this.#catalog.get(name);
    const before = this.#openRun(name);
    if (before !== undefined) throw runUnderWay(before);
    return this.#start(record, this.#clock(), who);
  }

  /** Follows the runs that a stop or crash interrupted, and makes up for those that were missed, or notes them. */
  continueAll(): void {
    this.planAgain();
    // One may have been begun by now, since this process can be asked for it.
    for (const run of this.#catalog.runsIn('running')) if (!this.#underWay.has(run.id)) this.#goOn(run);
    for (const run of this.#catalog.runsIn('waiting')) {
      const sync = this.#syncOf(run);
      if (sync !== undefined && !this.#underWay.has(run.id)) this.#follow(run, () => this.#conclude(run, sync.id));
    }
    for (const record of this.#catalog.list()) {
      if (record.paused || record.nextDue > this.#clock()) continue;
      this.#advance(record);
      this.#missed(record, record.nextDue);
    }
  }

  /** The clock may have been put back: what was planned by a wrong time is planned again, and nothing runs twice at a time. */
  planAgain(): void {
    const now = this.#clock();
    for (const record of this.#catalog.list()) {
      const { name, cron, tz, paused, nextDue } = record;
      if (paused || nextDue <= now) continue;
      const [last] = this.#catalog.runs(name, 1);
      const isTrue = last !== undefined && last.at <= now + SET_BACK_MS;
      const next = nextRun(cron, tz, isTrue ? Math.max(now, last.dueAt) : now);
      if (next < nextDue) this.#catalog.note(record, { nextDue: next });
    }
  }

  isUnderWay(name: string): boolean {
    return this.#openRun(name) !== undefined;
  }

  /** For a process that does not stay: notes the outcome of interrupted runs, unless an import will finish them. */
  async noteInterrupted(): Promise<void> {
    for (const run of this.#catalog.runsIn('running')) {
      const { id = '', state = 'planning' } = this.#syncOf(run) ?? {};
      if (state === 'planning')
        this.#note(run, 'missed', 'the process ended before its plan was made; nothing was sent');
      else if (state !== 'applying') this.#follow(run, () => this.#conclude(run, id));
      else this.#noteImport(run, id, this.#syncs.importState(id) ?? 'running');
    }
    await Promise.all(this.#underWay.values());
  }

  /** Resolves when a run has finished, or this process stops. */
  async over(id: number): Promise<ScheduleRun> {
    for (;;) {
      const run = this.#catalog.findRun(id);
      if (run === undefined) throw new RollcallError('WRONG_STATE', { what: 'the schedule was removed while it ran' });
      if (run.state !== 'running' || !this.#underWay.has(id)) return run;
      await new Promise<void>((resolve) => void this.events.once('run', () => resolve()));
    }
  }

  /** Stops fetching. Runs with a sync are followed again by the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('this process stops'));
    this.#syncs.events.off('state', this.#onSync);
    await Promise.all(this.#underWay.values());
  }

  /** A plan that was held is approved or rejected later: the run that made it says so. */
  readonly #onSync = ({ id }: Sync): void => {
    const run = this.#catalog.runOfSync(id);
    if (run === undefined || run.state === 'running' || this.#underWay.has(run.id) || this.#stopping.signal.aborted)
      return;
    if (isSyncUnderWay(this.#syncs.find(id).state)) this.#noteProgress(run, id);
    this.#follow(run, () => this.#conclude(run, id));
  };

  /** Never two runs of one schedule at a time. */
  #openRun(name: string) {
    return this.#catalog.runsIn('running').find(({ schedule }) => schedule === name);
  }

  #emit(id: number) {
    const run = this.#catalog.findRun(id);
    if (run !== undefined) this.events.emit('run', run);
  }

  #note({ id }: Pick<ScheduleRun, 'id'>, state: RunState, reason: string) {
    this.#catalog.setRun(id, state, reason);
    this.#emit(id);
  }

  #noteProgress(run: Pick<ScheduleRun, 'id'>, syncId: string) {
    this.#note(run, 'running', `sync ${syncId} is in progress`);
  }

  /** Works on a run until it has finished, or this process stops. */
  #follow(run: ScheduleRun, work: () => Promise<void>): void {
    const working = work()
      .catch((error: unknown) => {
        if (this.#stopping.signal.aborted || this.#catalog.find(run.schedule) === undefined) return;
        const wait = waitOf(error) ?? this.#waitForSource(run, error);
        if (wait !== undefined && this.#syncs.whenOver(wait, () => this.#goOnWith(run, work)))
          return this.#noteWait(run, wait);
        this.#note(run, 'failed', messageOf(error));
      })
      .catch(this.#options.fail)
      .finally(() => {
        this.#underWay.delete(run.id);
        this.#emit(run.id);
      });
    this.#underWay.set(run.id, working);
  }

  /** It begins again when the wait is over, unless its schedule was removed. */
  #goOnWith(run: ScheduleRun, work: () => Promise<void>) {
    if (!this.#stopping.signal.aborted && this.#catalog.findRun(run.id) !== undefined) this.#follow(run, work);
  }

  /**
   * A source that does not answer is asked again after 1, 1, 2, 4, 8 and 15 minutes, and so on for an hour, but not when its
   * schedule is due again. A person who begins a run is told at once.
   */
  #waitForSource({ schedule, at, who }: ScheduleRun, error: unknown): OtherWait | undefined {
    const { nextDue } = this.#catalog.find(schedule) ?? {};
    if (!isAway(error) || who !== '' || nextDue === undefined) return undefined;
    const now = this.#clock();
    const until = now + Math.min(Math.max(now - at, SOURCE_WAIT_MS), MAX_SOURCE_WAIT_MS);
    if (until > Math.min(at + SOURCE_PATIENCE_MS, nextDue - SOURCE_WAIT_MS)) return undefined;
    const next = `it is asked again at ${utcTime(until)}`;
    return { code: error.code, reason: error.what, next, error, isOver: () => this.#clock() >= until };
  }

  /** The catalog may be what cannot be written. */
  #noteWait(run: ScheduleRun, { code, reason, next = 'it continues when that is over' }: OtherWait) {
    try {
      this.#note(run, 'running', `${code}: ${asClause(reason)}; ${next}`);
    } catch (catalogError) {
      if (waitOf(catalogError) === undefined) throw catalogError;
    }
  }

  #start({ name }: Pick<Schedule, 'name'>, dueAt: number, who: string) {
    const run = { schedule: name, dueAt, who };
    const before = this.#openRun(name);
    if (before !== undefined) {
      return this.#add(run, 'skipped-running', `the run of ${utcTime(before.dueAt)} is not over: ${before.reason}`);
    }
    const begun = this.#add(run, 'running', 'getting the file');
    this.#follow(begun, () => this.#runNow(begun));
    return begun;
  }

  #add(run: Pick<ScheduleRun, 'schedule' | 'dueAt' | 'who'>, state: RunState, reason: string) {
    const added = this.#catalog.addRun({ ...run, at: this.#clock(), state, reason });
    this.events.emit('run', added);
    return added;
  }

  async #runNow(run: ScheduleRun) {
    const record = this.#catalog.find(run.schedule);
    if (record === undefined) return;
    const { name, placedHash, repair } = record;
    checkTarget(`schedule ${name}`, record, this.#options);
    const place = { folder: this.#options.dir.schedule(name), signal: this.#stopping.signal };
    const found = await this.obtain({ ...sourceOf(record), copy: record.copy }, place);
    const beside = await obtainBeside(this.obtain, record, place);
    // With another identity or group file, the same file gives other members.
    const lookups = Object.values(mapLookups(beside.lookups, ({ path }) => path));
    const obtained = { ...found, hash: await hashWith(found.hash, lookups) };
    if (obtained.copy !== undefined) this.#catalog.note(record, { copy: obtained.copy });
    if (obtained.hash === placedHash && !repair && !awaits(this.#options.dir.memory, name)) {
      return this.#note(
        run,
        'skipped-unchanged',
        `${obtained.name} has not changed since the last run applied it, and a run looks at the groups only if the file has changed or it repairs`,
      );
    }
    this.#catalog.note(record, { placedHash: null });
    const settings = await syncNow(record, beside);
    this.#stopping.signal.throwIfAborted();
    const id = this.#options.newSyncId();
    await this.#replaceWaiting(run);
    this.#catalog.setRunSync(run.id, id);
    await this.#syncs.create({
      id,
      file: obtained.name,
      source: obtained.path,
      ...settings,
      ...patienceOf(settings, this.#options.patience, record.nextDue - this.#clock()),
      schedule: name,
      syncName: name,
      who: run.who === '' ? `schedule ${name}` : run.who,
    });
    this.#noteProgress(run, id);
    await this.#conclude(run, id, { record, hash: obtained.hash });
  }

  /** This run takes over what an earlier one left to a person: two at once would undo each other. */
  async #replaceWaiting(run: ScheduleRun) {
    for (const left of this.#catalog.runsIn('waiting')) {
      if (left.schedule !== run.schedule) continue;
      const sync = this.#syncOf(left);
      if (sync !== undefined) await this.#syncs.replace(sync.id);
      // If it had an import, the code that follows it notes its end.
      if (this.#catalog.findRun(left.id)?.state === 'waiting') {
        this.#note(left, 'ran', `${left.reason}; the run of ${utcTime(run.dueAt)} was made in its place`);
      }
    }
  }

  /** Waits for the end of a run's sync, and notes the result. @param placed what is in place if nothing of it fails */
  async #conclude(run: ScheduleRun, syncId: string, placed?: Placed) {
    const sync = await syncEnded(this.#syncs, syncId, this.#stopping.signal, (state) =>
      this.#noteImport(run, syncId, state),
    );
    if (sync === undefined || this.#catalog.find(run.schedule) === undefined) return;
    const { state, reason } = sync;
    if (state === 'failed' || state === 'cancelled') return this.#note(run, 'failed', reason);
    if (state === 'held') return this.#note(run, 'waiting', `held: ${asClause(reason)}`);
    const isWhole = isCarriedOut(state);
    const left = isWhole && sync.importId !== null ? notInPlace(this.#options.dir.ledger(sync.importId)) : 0;
    const unlisted = sync.totals?.unlisted ?? 0;
    if (isWhole && left + unlisted === 0 && placed !== undefined)
      this.#catalog.note(placed.record, { placedHash: placed.hash });
    const rest = left === 0 ? '' : `; ${counted(left, 'row')} ${left === 1 ? 'is' : 'are'} not in place`;
    this.#note(run, 'ran', `${state}: ${asClause(reason)}${rest}`);
  }

  /** While its import needs a person, a run is not one that the next has to wait for. */
  #noteImport({ id }: ScheduleRun, syncId: string, state: ImportState) {
    const noted = this.#catalog.findRun(id)?.state;
    if (needsPerson(state) && noted === 'running') {
      this.#note(
        { id },
        'waiting',
        `its import ${syncId} is ${state}; resume or cancel it, or the next run does what it left`,
      );
    }
    if (state === 'running' && noted === 'waiting') this.#noteProgress({ id }, syncId);
  }

  #advance(record: Schedule) {
    const { cron, tz, nextDue } = record;
    this.#catalog.note(record, { nextDue: nextRun(cron, tz, Math.max(this.#clock(), nextDue)) });
  }

  /** Nothing was running when it was due. */
  #missed(record: Schedule, dueAt: number) {
    if (record.catchUp || this.#clock() - dueAt <= LATE_MS) {
      this.#start(record, dueAt, '');
      return;
    }
    const reason = `nothing was running at ${utcTime(dueAt)}; \`rollcall schedule run ${record.name}\` makes up for it`;
    this.#add({ schedule: record.name, dueAt, who: '' }, 'missed', reason);
  }

  #goOn(run: ScheduleRun) {
    const { schedule, dueAt, who } = run;
    const sync = this.#syncOf(run);
    if (sync !== undefined) {
      this.#follow(run, () => this.#conclude(run, sync.id));
      return;
    }
    const isSecond = this.#catalog
      .runsSince(schedule, dueAt)
      .some((other) => other.id !== run.id && other.dueAt === dueAt && other.reason === WITHOUT_SYNC);
    this.#note(run, 'missed', isSecond ? `${WITHOUT_SYNC}, twice: it is not begun again by itself` : WITHOUT_SYNC);
    const record = this.#catalog.find(schedule);
    if (record?.catchUp && who === '' && !isSecond) this.#start(record, dueAt, '');
  }

  /** The sync that a run began; undefined where it did not come so far, or the sync was removed. */
  #syncOf({ syncId }: ScheduleRun) {
    try {
      return syncId === null ? undefined : this.#syncs.find(syncId);
    } catch (error) {
      if (isError(error, 'UNKNOWN_SYNC')) return undefined;
      throw error;
    }
  }
}

/** Returns the number of rows of a finished import that failed or were not confirmed. @param ledger path */
function notInPlace(ledger: string) {
  const reader = openImportReader(ledger);
  try {
    const { failed, unconfirmed } = totalRows(reader.counters());
    return failed + unconfirmed;
  } finally {
    reader.close();
  }
}

function runUnderWay({ schedule: name, dueAt, reason, syncId }: ScheduleRun) {
  return new RollcallError('SCHEDULE_RUNNING', { name, dueAt, reason, syncId });
}
