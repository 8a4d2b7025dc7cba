import type { EventEmitter } from 'node:events';
import { mkdir } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { Planning } from '../../../api/sync-entry.ts';
import type { InputErrorCode } from '../../../errors/errors.ts';
import { messageOf } from '../../../errors/rollcall-error.ts';
import { waitOf } from '../../../imports/life/waits.ts';
import { isMachineWait } from '../../../imports/reason-codes.ts';
import { checkTarget, isSameTarget, wrongTarget } from '../../../imports/target.ts';
import { type ImportState, isFinal, needsPerson } from '../../../membership/import-state.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import { bringToDisk } from '../../../platform/files.ts';
import { Works } from '../../../platform/works.ts';
import { expiryOf } from '../expiry/expiry.ts';
import { begunSync, checkDecision, type NewSync, newSyncId, type Sync, type SyncReasonCode } from '../kept-sync.ts';
import { writeChanges } from '../plan/staleness.ts';
import type { MoveOptions } from '../sync-catalog.ts';
import { type How, type PlanningOptions, syncPlanning } from './planning.ts';
import { beginImportOf, checkAdopted, undoOfImport } from './sync-imports.ts';
import { rememberOthers, rememberRun } from './sync-memory.ts';
import { failureCode, STOPPED, syncWaits } from './sync-waits.ts';

/** The parts with which syncs are planned and carried out. */
export interface SyncRunnerOptions extends PlanningOptions {
  /** `state` is that of the catalog. */
  readonly events: EventEmitter<SyncEvents>;
  /** The catalog cannot be written: nothing can continue. */
  readonly fail: (error: unknown) => void;
  /** Called when it has stopped, and uses the catalog no more. */
  readonly onStopped: () => Promise<void>;
}

const WRONG_TARGET = 'WRONG_TARGET' satisfies SyncReasonCode;

export interface SyncEvents {
  state: [record: Sync];
  /** Its planning has come further. */
  progress: [id: string];
  /** The import that carries a sync out has moved. */
  import: [id: string, state: ImportState];
}

/** Plans syncs, one at a time, and has their plans carried out by imports. For the owner of the data directory. */
export class SyncRunner {
  readonly events;
  readonly whenOver;
  readonly sendsTo;
  readonly catalog: PlanningOptions['catalog'];
  readonly #options;
  readonly #coordinator;
  /** One plan at a time: two at once would each ignore the other's changes. */
  readonly #line = pLimit(1);
  /** Syncs that are being planned or looked at again. */
  readonly #works = new Works<Planning>((id) => this.events.emit('progress', id));
  #isStopping = false;
  readonly #waits;
  readonly #plans;

  constructor(options: SyncRunnerOptions) {
    const { events, catalog, coordinator } = options;
    this.#options = options;
    this.events = events;
    this.catalog = catalog;
    this.#coordinator = coordinator;
    this.whenOver = coordinator.whenOver;
    this.sendsTo = coordinator.sendsTo;
    this.#plans = syncPlanning(options);
    this.#waits = syncWaits(options);
    coordinator.events.on('state', this.#follow);
    for (const { importId } of catalog.underWay()) {
      const found = importId === null ? undefined : coordinator.lookUp(importId);
      if (found !== undefined) this.#follow(found);
    }
  }

  /** Begins to plan. Gives the sync's id. @throws UNKNOWN_IMPORT, WRONG_STATE, WRONG_TARGET of one that it adopts */
  async create({ id = newSyncId('sync'), ...wanted }: NewSync) {
    for (const adopted of wanted.adopt ?? []) checkAdopted(this.#options, adopted);
    const folder = this.#folder(id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await bringToDisk(folder);
    this.catalog.add(begunSync({ ...wanted, id }, this.sendsTo));
    this.#enqueue(id);
    return id;
  }

  /** Begins to plan how to undo a finished import. @throws UNKNOWN_IMPORT, RollcallError, WRONG_TARGET */
  async undo(importId: string, decided: Omit<NewSync, 'id' | 'file' | 'source' | 'mode'>) {
    return this.create({ ...decided, id: newSyncId('undo'), ...undoOfImport(this.#options, importId) });
  }

  expire(decided: Omit<NewSync, 'id' | 'file' | 'source' | 'mode' | 'missing'>) {
    const id = newSyncId('sync');
    return this.create({ ...decided, id, ...expiryOf(this.#folder(id)) });
  }

  /**
   * Carries out a stored plan, unless file or groups have moved too far since: then it becomes `stale`. Continues one
   * that was interrupted. @throws RollcallError when it is held or meant for another service, WRONG_STATE
   */
  async apply(id: string, who: string) {
    const record = this.find(id);
    if (record.state !== 'applying') {
      checkDecision(record, 'apply');
      return this.#startApplying(id, { who });
    }
    checkTarget(`sync ${id}`, record, this.sendsTo);
    if (record.importId !== null && this.#coordinator.lookUp(record.importId) !== undefined)
      await this.#coordinator.resume(record.importId);
    else this.#enqueue(id);
    return this.find(id);
  }

  /** Lets a held plan through, this once, on record, and applies it. @throws as apply */
  approve(id: string, who: string, reason: string) {
    checkDecision(this.find(id), 'approve');
    return this.#startApplying(id, { who, reason, approval: true });
  }

  /** Ends planning, before it has an import. One looked at again is planned as before. @throws WRONG_STATE */
  cancel(id: string, who: string) {
    const isPlanned = this.find(id).state === 'applying';
    const reason = 'it was cancelled';
    const record = isPlanned
      ? this.catalog.move(id, 'planned', { who })
      : this.catalog.move(id, 'cancelled', { who, reason, code: 'CANCELLED' satisfies SyncReasonCode });
    void this.#works.end(id, 'the sync was cancelled');
    return record;
  }

  /** Ends the import of a sync that waits for a person, blocked or failed: a newer sync does what it left. */
  async replace(id: string) {
    const { state, importId } = this.find(id);
    if (state !== 'applying' || importId === null) return;
    const carrying = this.importState(importId);
    if (carrying !== undefined && needsPerson(carrying)) await this.#coordinator.cancel(importId);
  }

  /** Returns the state of the import that carries a sync out. */
  importState(id: string) {
    return this.#coordinator.lookUp(id)?.state;
  }

  find(id: string) {
    return this.catalog.get(id);
  }

  progress(id: string) {
    return this.#works.progress(id);
  }

  /** Continues every sync that a stop or crash interrupted: planning begins again, applying follows its import. */
  continueAll() {
    for (const sync of this.catalog.underWay()) {
      const { id, importId, code } = sync;
      if (isSameTarget(sync, this.sendsTo)) this.#enqueue(id, true);
      // Its import says so itself.
      else if (importId === null && code !== WRONG_TARGET) {
        const { what } = wrongTarget(`sync ${id}`, sync, this.sendsTo);
        this.catalog.noteObstacle(id, { reason: what, code: WRONG_TARGET });
      }
    }
  }

  /** Stops planning; plans are made again later. Does not stop imports. */
  async stop() {
    this.#isStopping = true;
    await this.#works.stop();
    await this.#line(async () => {});
    this.#coordinator.events.off('state', this.#follow);
    await this.#options.onStopped();
  }

  #startApplying(id: string, how: MoveOptions) {
    checkTarget(`sync ${id}`, this.find(id), this.sendsTo);
    const record = this.catalog.move(id, 'applying', how);
    this.#enqueue(id);
    return record;
  }

  /** @param isLeft a stop or crash interrupted it */
  #enqueue(id: string, isLeft = false) {
    this.#line(() =>
      this.#works.begin(id, (signal, onProgress) => this.#work(id, isLeft, { signal, onProgress })),
    ).catch(this.#options.fail);
  }

  async #work(id: string, isLeft: boolean, how: How) {
    if (this.#isStopping) return;
    const { state, importId, mode } = this.find(id);
    if (!isSyncUnderWay(state)) return;
    if (isLeft && importId === null && !(await this.#waits.takeUp(id, () => this.#enqueue(id, true)))) return;
    const record = this.find(id);
    try {
      const waited = isMachineWait(record.code ?? null) || record.code === WRONG_TARGET;
      if (waited) this.catalog.noteObstacle(id, null);
      if (record.state === 'planning') await this.#plan(record, how);
      else if (record.state === 'applying' && record.importId === null) await this.#carryOut(record, how);
      else if (record.state === 'applying' && this.#coordinator.lookUp(id) === undefined)
        await this.#beginImport(record);
    } catch (error) {
      // Left as it is: the next start may continue it.
      if (this.#isStopping) this.catalog.note(id, STOPPED);
      if (how.signal.aborted) return;
      const { state, importId } = this.find(id);
      // Once a sync has an import, the import ends it.
      if (!isSyncUnderWay(state) || importId !== null) throw error;
      if (await this.#waits.letWait(id, error, () => this.#enqueue(id))) return;
      // Its file has those who are over.
      const code = failureCode(error);
      if (mode === 'expiry' && code === ('NO_ROWS' satisfies InputErrorCode))
        this.catalog.move(id, 'unchanged', { reason: 'no membership is over' });
      else this.catalog.move(id, 'failed', { reason: messageOf(error), code });
    }
  }

  async #plan(record: Sync, how: How) {
    const { id, isTry, apply, create } = record;
    await rememberOthers(this.#options, record);
    using made = await this.#plans.make(record, how);
    const { totals, objection } = await this.#plans.judge(record, made);
    this.catalog.set(id, { totals });
    if (isTry) this.catalog.move(id, 'tried');
    else if (objection !== undefined)
      this.catalog.move(id, 'held', { reason: objection, code: 'GUARDS_OBJECT' satisfies SyncReasonCode });
    else if (totals.changes === 0) await this.#unchanged(record);
    else {
      this.catalog.move(id, 'planned');
      if (!apply) return;
      this.catalog.move(id, 'applying', { reason: 'asked for together with the plan' });
      await writeChanges(this.#folder(id), made, create);
      await this.#beginImport(this.find(id));
    }
  }

  async #carryOut(record: Sync, how: How) {
    const { id } = record;
    const { within, sentence, changes } = await this.#plans.check(record, how);
    if (!within) {
      this.catalog.move(id, 'stale', { reason: sentence, code: 'PLAN_OUTDATED' satisfies SyncReasonCode });
    } else if (changes === 0) await this.#unchanged(record);
    else await this.#beginImport(record);
  }

  async #unchanged(record: Sync) {
    await rememberRun(this.#options, record).catch((error: unknown) => {
      if (waitOf(error) !== undefined) throw error;
      this.#noteForgotten(record.id, error);
    });
    this.catalog.move(record.id, 'unchanged');
  }

  #noteForgotten(id: string, error: unknown) {
    this.catalog.note(id, `the run is not remembered: ${messageOf(error)}`);
  }

  /** The import has the sync's id, so that it is begun once, however often this is tried. */
  async #beginImport(record: Sync) {
    const { id } = record;
    // Cancelled meanwhile?
    if (this.find(id).state !== 'applying') return;
    this.catalog.set(id, { importId: id });
    await beginImportOf(this.#options, record);
  }

  /** The import of a sync has moved, or may have moved unnoticed. */
  readonly #follow = ({ id, state }: { readonly id: string; readonly state: ImportState }) => {
    const record = this.catalog.find(id);
    if (record?.state === 'applying') this.events.emit('import', id, state);
    if (record?.state === 'applying' && isFinal(state)) {
      this.#works.begin(`end of ${id}`, () => this.#end(record, state)).catch(this.#options.fail);
    }
  };

  /** A run is part of its sync's memory before it is over: after a crash between, the next process begins with the memory again. */
  async #end(record: Sync, state: ImportState) {
    const { id } = record;
    try {
      await rememberRun(this.#options, record);
    } catch (error) {
      const wait = waitOf(error);
      if (wait !== undefined && this.whenOver(wait, () => this.#follow({ id, state }))) return;
      this.#noteForgotten(id, error);
    }
    if (state === 'completed') this.catalog.move(id, 'applied');
    else {
      const reason = `its import was ${state} before every change was carried out`;
      this.catalog.move(id, 'incomplete', { reason, code: 'IMPORT_ENDED' satisfies SyncReasonCode });
    }
  }

  #folder(id: string) {
    return this.#options.dir.sync(id);
  }
}
