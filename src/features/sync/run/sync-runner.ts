import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import pLimit from 'p-limit';
import { asError, messageOf } from '../../../errors/message-of.ts';
import { DEATHS_ALLOWED, deathSentence, TakenUpLater, waitAfterDeaths } from '../../../imports/life/faults.ts';
import type { Waits } from '../../../imports/life/waits.ts';
import { isMachineWait } from '../../../imports/reason-codes.ts';
import { inputRowsIn } from '../../../imports/stage/rows-before.ts';
import { type Aimed, checkTarget as compare, isSameTarget, WrongTarget } from '../../../imports/target.ts';
import { type ImportState, isFinal, isUnderWay, needsPerson } from '../../../membership/import-state.ts';
import { isSyncUnderWay, type SyncState } from '../../../membership/sync-state.ts';
import { counted } from '../../../text/wording.ts';
import { limitsWith } from '../guard-limits.ts';
import { guardPlan } from '../plan/guards.ts';
import { openPlanReader } from '../plan/plan-reading.ts';
import { planTotals } from '../plan/plan-totals.ts';
import type { PlanningPorts, PlanningProgress, PlanRequest } from '../plan/prepare.ts';
import { planFiles, planFor, withPatience } from '../plan/prepare.ts';
import { type PreviousRun, previousRun } from '../plan/previous-run.ts';
import { DEFAULT_FLAGS } from '../plan-flags.ts';
import type { SyncCatalog, SyncMove, SyncRecord } from '../sync-catalog.ts';
import { type SyncReasonCode, SyncRefused, UnknownSync } from '../sync-errors.ts';
import { readSyncOptions, type SyncOptions, syncOptionsToJson } from '../sync-options.ts';
import { importCreates } from './import-creates.ts';
import { checkPlan, sourceNow, writeChanges } from './recheck.ts';
import type { SyncEvents, SyncRunner } from './runner-port.ts';
import type { SyncImports } from './sync-imports.ts';
import { AGAIN, deathsIn, failureCode, LEFT_ALONE, syncWaits } from './sync-waits.ts';

export interface SyncRunnerOptions extends PlanningPorts, Aimed {
  readonly catalog: SyncCatalog;
  readonly imports: SyncImports;
  /** Returns the folder of a sync. */
  readonly folder: (id: string) => string;
  readonly newId: (kind: 'sync' | 'undo') => string;
  readonly whenOver: Waits['whenOver'];
}

const WRONG_TARGET = 'WRONG_TARGET' satisfies SyncReasonCode;

/** In the history of a sync: how a process left it, and how the next one took it up. */
const STOPPED = 'the process was stopped';
const CONTINUED = 'continued';

export function createSyncRunner(options: SyncRunnerOptions): SyncRunner {
  const { catalog, imports, folder, sandbox, target } = options;
  const events = new EventEmitter<SyncEvents>().setMaxListeners(0);
  /** One plan at a time: two at once would each ignore the other's changes. */
  const line = pLimit(1);
  const stopping = new AbortController();
  /** Syncs that are being planned or looked at again. */
  const running = new Map<string, AbortController>();
  /** Emits whenever a sync or an import has moved. */
  const moves = new EventEmitter<{ move: [] }>().setMaxListeners(0);

  const find = (id: string): SyncRecord => {
    const record = catalog.find(id);
    if (record === undefined) throw new UnknownSync(id);
    return record;
  };

  const move = (id: string, to: SyncState, how?: SyncMove): SyncRecord => {
    const record = catalog.move(id, to, how);
    events.emit('state', record);
    moves.emit('move');
    return record;
  };

  const waits = syncWaits(options, (record) => void events.emit('state', record));

  const checkTarget = (subject: string, meant: Aimed): void => compare(subject, meant, { sandbox, target });

  const planRequestOf = (record: SyncRecord, source: string): PlanRequest => {
    const { file, undoOf } = record;
    const { reading } = readSyncOptions(record);
    if (undoOf === null && reading !== null) return { kind: 'file', file, source, reading };
    const importId = undoOf ?? '';
    const ledger = imports.find(importId)?.ledger;
    if (ledger === undefined) throw SyncRefused.undo(importId, 'it has been removed');
    return { kind: 'undo', file, importId, ledger, later: imports.after(importId) };
  };

  /** For files that must not shrink: rows of the last run of the same sync whose file is still there. */
  const rowsBefore = (record: SyncRecord): number | undefined => {
    if (readSyncOptions(record).reading?.minRows === undefined) return undefined;
    return inputRowsIn(runsBefore(record).map((id) => planFiles(folder(id)).desired));
  };

  const taskOf = (record: SyncRecord, source: string) => ({
    folder: folder(record.id),
    request: planRequestOf(record, source),
    flags: readSyncOptions(record).flags,
    create: readSyncOptions(record).create,
    rowsBefore: rowsBefore(record),
    signal: AbortSignal.any([stopping, running.get(record.id)].flatMap((one) => one?.signal ?? [])),
    onProgress: (progress: PlanningProgress) => events.emit('planning', record.id, progress),
  });

  const runsBefore = (record: SyncRecord): string[] => {
    const meant = readSyncOptions(record);
    return catalog.runsBefore(record).filter((id) => isSameTarget(readSyncOptions(find(id)), meant));
  };

  /** The last run of the same sync whose plan is still there. */
  const previousOf = (record: SyncRecord): PreviousRun | undefined => {
    if (record.undoOf !== null) return undefined;
    for (const id of runsBefore(record)) {
      const { plan } = planFiles(folder(id));
      if (!existsSync(plan)) continue;
      const reader = openPlanReader(plan);
      try {
        return previousRun(reader);
      } finally {
        reader.close();
      }
    }
    return undefined;
  };

  const plan = async (record: SyncRecord): Promise<void> => {
    const { id } = record;
    const chosen = readSyncOptions(record);
    const made = await planFor(taskOf(record, record.source), withPatience(options, chosen));
    try {
      const findings = guardPlan(made, limitsWith(chosen.limits), previousOf(record));
      const totals = planTotals(made.groups(), made.creating(), made.facts().invalid);
      catalog.setTotals(id, JSON.stringify(totals));
      if (findings.length > 0) {
        const reason = `${counted(findings.length, 'objection')} of the guards: ${findings[0]?.sentence}`;
        move(id, 'held', { reason, code: 'GUARDS_OBJECT' satisfies SyncReasonCode });
      } else if (totals.changes === 0) move(id, 'unchanged');
      else {
        move(id, 'planned');
        if (!chosen.apply) return;
        move(id, 'applying', { reason: 'asked for together with the plan' });
        await writeChanges(folder(id), made, { live: made, create: chosen.create });
        await beginImport(find(id));
      }
    } finally {
      made.close();
    }
  };

  const carryOut = async (record: SyncRecord): Promise<void> => {
    const { id, source } = record;
    const { within, sentence, changes } = await checkPlan(
      folder(id),
      taskOf(record, sourceNow(folder(id), source)),
      withPatience(options, readSyncOptions(record)),
    );
    if (!within) return void move(id, 'stale', { reason: sentence, code: 'PLAN_OUTDATED' satisfies SyncReasonCode });
    if (changes === 0) return void move(id, 'unchanged');
    await beginImport(record);
  };

  /** The import has the sync's id, so that it is begun once, however often this is tried. */
  const beginImport = async ({ id, file: input, undoOf, options: json }: SyncRecord): Promise<void> => {
    // Cancelled meanwhile?
    if (find(id).state !== 'applying') return;
    catalog.setImport(id, id);
    const { changes: source, plan: path } = planFiles(folder(id));
    const chosen = readSyncOptions({ options: json });
    const createdBy = catalog.transitions(id).findLast(({ who }) => who !== '')?.who ?? '';
    const file = undoOf === null ? input : `Undo of ${input === '-' ? 'standard input' : basename(input)}`;
    const create = chosen.create && importCreates(path, chosen.create);
    await imports.begin({ id, file, source, options: { ...chosen, create }, createdBy, undoOf });
  };

  /** The import of a sync has moved, or may have moved unnoticed. */
  const follow = (importId: string, state: ImportState): void => {
    const record = catalog.find(importId);
    if (record?.state === 'applying') events.emit('import', importId, state);
    if (record?.state === 'applying' && isFinal(state)) {
      if (state === 'completed') move(importId, 'applied');
      else {
        const reason = `its import was ${state} before every change was carried out`;
        move(importId, 'incomplete', { reason, code: 'IMPORT_ENDED' satisfies SyncReasonCode });
      }
    }
    moves.emit('move');
  };

  const work = async (id: string): Promise<void> => {
    if (stopping.signal.aborted) return;
    const record = find(id);
    const cancelled = new AbortController();
    running.set(id, cancelled);
    try {
      const waited = isMachineWait(record.code) || record.code === WRONG_TARGET;
      if (waited) events.emit('state', catalog.noteObstacle(id, null));
      if (record.state === 'planning') await plan(record);
      else if (record.state === 'applying' && record.importId === null) await carryOut(record);
      else if (record.state === 'applying' && imports.find(id) === undefined) await beginImport(record);
    } catch (error) {
      // Left as it is: the next start may continue it.
      if (stopping.signal.aborted) catalog.note(id, STOPPED);
      if (stopping.signal.aborted || cancelled.signal.aborted) return;
      const { state, importId } = find(id);
      // Once a sync has an import, the import ends it.
      if (!isSyncUnderWay(state) || importId !== null) throw error;
      if (await waits(id, error, () => enqueue(id))) return;
      const reason = messageOf(error);
      move(id, 'failed', { reason, code: failureCode(error) });
    } finally {
      running.delete(id);
    }
  };

  const enqueue = (id: string, task = work): void => {
    line(() => task(id)).catch((error: unknown) => {
      events.emit('failure', asError(error));
    });
  };

  /** Goes on with what a stop or crash interrupted; a sync at which processes die again and again waits longer each time. */
  const goOn = async (id: string): Promise<void> => {
    if (stopping.signal.aborted) return;
    const { state, importId } = find(id);
    if (!isSyncUnderWay(state)) return;
    if (importId === null) {
      const history = catalog.transitions(id);
      const last = history.at(-1)?.reason;
      const { deaths, since } = deathsIn(history);
      if (last !== STOPPED && deaths >= DEATHS_ALLOWED) {
        const reason = `${deathSentence('sync', deaths)}; nothing was sent`;
        move(id, 'failed', { reason, code: 'PROCESS_DIED' satisfies SyncReasonCode });
        return;
      }
      const from = since + waitAfterDeaths(deaths);
      if (last !== STOPPED && from > Date.now()) {
        const waiting = await waits(id, new TakenUpLater('sync', deaths, from), () => enqueue(id, goOn));
        if (waiting && last !== LEFT_ALONE) catalog.note(id, LEFT_ALONE);
        if (waiting) return;
      }
      catalog.note(id, last === STOPPED ? CONTINUED : AGAIN);
    }
    await work(id);
  };

  const begin = async (
    record: Pick<SyncRecord, 'id' | 'file' | 'source' | 'undoOf' | 'scheduleId'>,
    chosen: SyncOptions,
    who: string,
  ): Promise<string> => {
    const { id } = record;
    limitsWith(chosen.limits);
    await mkdir(folder(id), { recursive: true, mode: 0o700 });
    catalog.add({ ...record, options: syncOptionsToJson(chosen) }, who);
    events.emit('state', find(id));
    enqueue(id);
    return id;
  };

  const startApplying = (id: string, how: SyncMove): SyncRecord => {
    checkTarget(`sync ${id}`, readSyncOptions(find(id)));
    const record = move(id, 'applying', how);
    enqueue(id);
    return record;
  };

  const unfollow = imports.onState(follow);
  for (const { importId } of catalog.underWay()) {
    const found = importId === null ? undefined : imports.find(importId);
    if (importId !== null && found !== undefined) follow(importId, found.state);
  }

  return {
    events,
    find,
    list: catalog.list,
    create: ({ id = options.newId('sync'), file, source, scheduleId = null, who, limits = {}, ...chosen }) =>
      begin({ id, file, source, undoOf: null, scheduleId }, { ...chosen, limits, sandbox, target }, who),
    undo: async (importId, { flags, limits = {}, apply, who }) => {
      const found = imports.find(importId);
      if (found === undefined) throw SyncRefused.undo(importId, 'there is none');
      // No state: `running` may be what a process wrote that was killed since.
      if (!isFinal(found.state)) throw SyncRefused.undoUnfinished(importId);
      if (!existsSync(found.ledger)) throw SyncRefused.undo(importId, 'nothing of it was sent');
      checkTarget(`import ${importId}`, found);
      const chosen = { reading: null, flags: { ...DEFAULT_FLAGS, ...flags }, limits, apply, sandbox, target };
      const { file } = found;
      return begin({ id: options.newId('undo'), file, source: '', undoOf: importId, scheduleId: null }, chosen, who);
    },
    apply: async (id, who) => {
      const record = find(id);
      if (record.state === 'held') throw SyncRefused.held(record);
      if (record.state !== 'applying') return startApplying(id, { who });
      checkTarget(`sync ${id}`, readSyncOptions(record));
      if (record.importId !== null && imports.find(record.importId) !== undefined)
        await imports.resume(record.importId);
      else enqueue(id);
      return find(id);
    },
    approve: (id, who, reason) => {
      const { state } = find(id);
      if (state !== 'held') throw SyncRefused.notHeld(id, state);
      if (reason.trim() === '') throw SyncRefused.reason('approve', id);
      return startApplying(id, { who, reason, approval: true });
    },
    reject: (id, who, reason) => {
      find(id);
      if (reason.trim() === '') throw SyncRefused.reason('reject', id);
      return move(id, 'rejected', { who, reason });
    },
    cancel: (id, who) => {
      const { state, importId } = find(id);
      if (!isSyncUnderWay(state) || importId !== null) throw SyncRefused.cancel(id, state);
      const record =
        state === 'applying'
          ? move(id, 'planned', { who })
          : move(id, 'cancelled', {
              who,
              reason: 'it was cancelled',
              code: 'CANCELLED' satisfies SyncReasonCode,
            });
      running.get(id)?.abort(new Error('the sync was cancelled'));
      return record;
    },
    whenOver: options.whenOver,
    importState: (id) => imports.find(id)?.state,
    replace: async (id) => {
      const { state, importId } = find(id);
      const carrying = importId === null ? undefined : imports.find(importId);
      if (state === 'applying' && importId !== null && carrying !== undefined && needsPerson(carrying.state)) {
        await imports.cancel(importId);
      }
    },
    settled: async (id) => {
      for (;;) {
        const record = find(id);
        if (!isSyncUnderWay(record.state)) return record;
        const carrying = record.importId === null ? undefined : imports.find(record.importId);
        if (carrying !== undefined && !isUnderWay(carrying.state)) return record;
        await new Promise<void>((resolve) => void moves.once('move', resolve));
      }
    },
    continueAll: () => {
      for (const { id, options: kept, importId, code } of catalog.underWay()) {
        const meant = readSyncOptions({ options: kept });
        if (isSameTarget(meant, { sandbox, target })) enqueue(id, goOn);
        // Its import says so itself.
        else if (importId === null && code !== WRONG_TARGET) {
          const { what } = new WrongTarget(`sync ${id}`, meant, { sandbox, target });
          events.emit('state', catalog.noteObstacle(id, { reason: what, code: WRONG_TARGET }));
        }
      }
    },
    stop: async () => {
      stopping.abort(new Error('this process stops'));
      await line(async () => {});
      unfollow();
    },
  };
}
