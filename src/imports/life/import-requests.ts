import { isDeepStrictEqual } from 'node:util';
import { actionsOf, type ImportState, isFinal, needsPerson, nextStates } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { isLedgerError } from '../../platform/database-errors.ts';
import { counted } from '../../text/wording.ts';
import type { Catalog } from '../catalog.ts';
import { findEdited, inTurn } from '../corrected-rows.ts';
import { wrongState } from '../import-errors.ts';
import type { EndState, FaultCode, IdleReason } from '../import-event.ts';
import { readOptions } from '../import-options.ts';
import { ledgerIsThere } from '../lost-ledger.ts';
import { isMachineWait } from '../reason-codes.ts';
import { retryFile } from '../report/report-paths.ts';
import type { OpenImport } from '../send/open-imports.ts';
import { type targetOf, tooManyErrors } from '../send/sendable.ts';
import type { Sending } from '../send/sending.ts';
import { type FindLeftOut, findFailing, holdBack, leaveOut } from '../stage/leave-out.ts';
import type { Stagings } from '../stage/staging.ts';
import { type Aimed, isSameTarget, joinedTarget, wrongTarget } from '../target.ts';
import type { Closings } from './closing.ts';
import { held, overAsForeseen, type ResumeChanges, withChanges } from './creating-step.ts';
import { afterDeaths } from './faults.ts';

/** The states of imports, as the catalog has them. */
export interface States {
  of(id: string): ImportState;
  /** Moves an import to another state, and says so. */
  move(...how: Parameters<Catalog['move']>): void;
}

/** The parts that carry out what people ask for an import. */
export interface RequestsOptions {
  readonly dir: DataDir;
  readonly catalog: Catalog;
  /** The target of this process. */
  readonly sendsTo: Aimed;
  readonly states: States;
  readonly stagings: Stagings;
  readonly sending: Sending;
  readonly closings: Closings;
  readonly target: ReturnType<typeof targetOf>;
  /** The next steps in the life of an import (life.ts). */
  readonly steps: {
    begin(id: string): void;
    idle(id: string, why: IdleReason): void;
    waitForLeave(id: string, question: ReturnType<typeof held>): void;
    end(id: string, state: Exclude<EndState, 'completed'>): void;
  };
  readonly fault: (id: string, code: FaultCode, error: unknown) => void;
  /** Failed imports that are being cancelled. */
  readonly lastResort: Set<string>;
}

/** Returns the reason why an import starts with fewer rows than its file has; undefined if it has all of them. */
function startedWithout(failing: number, edited: number): string | undefined {
  const without = [
    failing > 0 && `${counted(failing, 'row')} that would fail, as its check says`,
    edited > 0 && `${counted(edited, 'row')} that ${edited === 1 ? 'was' : 'were'} edited`,
  ].filter((part) => part !== false);
  return without.length === 0 ? undefined : `started without ${without.join(', and without ')}`;
}

/** A start of sending as a person wants it. */
interface Start {
  /** Rows that were left out now. */
  readonly failing?: number;
  /** The rows to send first; absent: all. */
  readonly trial?: Parameters<typeof holdBack>[1] | undefined;
}

/** Requests of people for an import, and what the start of a process does with it. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #own: ReturnType<typeof ownTarget>;

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.#own = ownTarget(options);
  }

  /** Continues an import from its last state, after a stop or crash. */
  async takeUp(id: string): Promise<void> {
    const { catalog, states, steps, target, sending } = this.#options;
    this.#own.orWait(id);
    const { reason, later } = afterDeaths('import', catalog.deaths(id), this.#leftAloneSince(id));
    if (reason !== undefined) return states.move(id, 'failed', reason, 'PROCESS_DIED');
    if (later !== undefined) throw later;
    const { state } = catalog.get(id);
    if (state === 'staging') return steps.begin(id);
    if (this.#isUnread(id)) return this.#readAgain(id);
    target.check(id, sending.open(id));
    if (state === 'pausing') await this.#hold(id);
    else await this.#go(id);
  }

  async pause(id: string): Promise<void> {
    const { states } = this.#options;
    const state = states.of(id);
    if (state === 'pausing' || state === 'paused') return;
    if (state !== 'running') this.#refuse(id, 'cannot be paused');
    states.move(id, 'pausing');
    await this.#hold(id);
  }

  async resume(id: string, changes: ResumeChanges): Promise<void> {
    const { catalog, closings, steps } = this.#options;
    const record = catalog.get(id);
    const options = withChanges(record, changes);
    const { first, only } = changes;
    const trial = first === undefined && only === undefined ? undefined : { first, only };
    if (trial !== undefined && (record.state !== 'staged' || record.startedAt !== null))
      this.#refuse(id, 'no rows can be tried first: only before anything is sent');
    const failing =
      changes.leaveOutFailing === true
        ? await this.#leaveOutFailing(id, options).catch((error: unknown) => this.#unusable(id, error))
        : 0;
    if (isFinal(record.state) || (record.state === 'staged' && closings.isUnderWay(id)))
      this.#refuse(id, 'cannot be resumed');
    catalog.setOptions(id, options);
    // A person asks for it: earlier deaths of the process no longer count.
    catalog.progressed(id);
    try {
      if (this.#isUnread(id)) this.#readAgain(id);
      else if (record.state === 'staging') steps.begin(id);
      else await this.#go(id, { failing, trial }).catch((error: unknown) => this.#unusable(id, error));
    } catch (error) {
      const now = catalog.get(id);
      // A refused request changes nothing.
      if (now.state === record.state && now.options === options) catalog.setOptions(id, record.options);
      throw error;
    }
  }

  async cancel(id: string): Promise<void> {
    const { dir, states, stagings, fault, lastResort } = this.#options;
    if (states.of(id) === 'staging') await stagings.abort(id);
    const state = states.of(id);
    if (state === 'staging' || (needsPerson(state) && !ledgerIsThere(dir.ledger(id)))) {
      states.move(id, 'cancelled');
      return;
    }
    if (state === 'failed') lastResort.add(id);
    // It may have been staged, and even started, in the meantime.
    const next = nextStates(state);
    if (!next.includes('cancelling') && !next.includes('cancelled')) this.#refuse(id, 'cannot be cancelled');
    try {
      await this.#cancelStaged(id);
    } catch (error) {
      if (!lastResort.has(id)) throw error;
      fault(id, 'RECORDING_FAILED', error);
    }
  }

  /** Sends, or continues to. */
  async #go(id: string, start: Start = {}): Promise<void> {
    if (this.#options.catalog.get(id).startedAt !== null) return this.#goOn(id, start);
    await inTurn(id, () => this.#goOn(id, start, findEdited));
  }

  async #goOn(id: string, { failing = 0, trial }: Start, edited?: FindLeftOut): Promise<void> {
    const { dir, catalog, states, sending, steps, target } = this.#options;
    await sending.dropped(id);
    const opened = sending.open(id);
    opened.options = readOptions(catalog.get(id));
    opened.ledger.setCreate(opened.options.create);
    const over = await overAsForeseen(dir.folder(id), opened);
    const record = catalog.get(id);
    if (record.state === 'cancelling') opened.ending ??= 'cancelled';
    if (opened.ending !== undefined) return this.#hold(id);
    target.check(id, opened);
    this.#own.keep(id, opened);
    if (over.length > 0) {
      if (record.state !== 'staged' && record.state !== 'running') states.move(id, 'running');
      steps.waitForLeave(id, held(over, 'check'));
      return;
    }
    const unsent = { id, folder: dir.folder(id), options: opened.options };
    const without = startedWithout(failing, edited === undefined ? 0 : leaveOut(unsent, edited));
    if (trial !== undefined && !holdBack(dir.ledger(id), trial)) this.#refuse(id, 'has no row that is chosen');
    opened.ledger.startRegions();
    // An import that was paused before the first rows were sent continues with these.
    const isThrough = opened.ledger.openBatches().size === 0 && (opened.ledger.creating?.waiting() ?? 0) === 0;
    if (record.state === 'paused' && isThrough) opened.ledger.releaseLater();
    if (record.state !== 'running') states.move(id, 'running', without);
    if (tooManyErrors(opened) === undefined) return sending.run(id);
    opened.ending = 'aborted';
    await this.#hold(id);
  }

  async #leaveOutFailing(id: string, options: string): Promise<number> {
    const { dir, catalog, sending, closings, target } = this.#options;
    // Without a pause, so that nothing of it is sent and no check of it begins meanwhile.
    const record = catalog.get(id);
    if (record.state !== 'staged' || closings.isUnderWay(id)) {
      const why = 'no rows can be left out: only before anything is sent';
      throw wrongState(record, why);
    }
    const opened = sending.open(id);
    opened.options = readOptions({ options });
    target.check(id, opened);
    return leaveOut({ id, folder: dir.folder(id), options: opened.options }, findFailing);
  }

  async #hold(id: string): Promise<void> {
    const { sending, steps } = this.#options;
    if (await sending.pause(id)) steps.idle(id, 'paused');
  }

  async #cancelStaged(id: string): Promise<void> {
    const { states, sending, steps } = this.#options;
    await sending.dropped(id);
    const opened = sending.open(id);
    if (states.of(id) === 'staged') steps.end(id, 'cancelled');
    else {
      if (states.of(id) !== 'cancelling') states.move(id, 'cancelling');
      opened.ending = 'cancelled';
      await this.#hold(id);
    }
  }

  /** Whether it failed, or had to wait, before its input was in the ledger: only then may the input be read again. */
  #isUnread(id: string): boolean {
    const { dir, catalog } = this.#options;
    const { state, code } = catalog.get(id);
    const isWaiting = state === 'blocked' && (isMachineWait(code) || code === 'WRONG_TARGET');
    if (state === 'failed' ? ledgerIsThere(dir.ledger(id)) : !isWaiting) return false;
    return !catalog.transitions(id).some((move) => move.state === 'staged');
  }

  /** Returns the time from which an import waits after deaths, in ms since 1970; 0: a person asked for its next step. */
  #leftAloneSince(id: string): number {
    const { catalog } = this.#options;
    const { state, code } = catalog.get(id);
    if (state === 'pausing' || state === 'cancelling') return 0;
    const waits = state === 'blocked' && code === 'PROCESS_DIED';
    return (waits ? catalog.transitions(id).at(-1)?.at : undefined) ?? Date.now();
  }

  #readAgain(id: string): void {
    this.#options.states.move(id, 'staging');
    this.#options.steps.begin(id);
  }

  /** A request for an import without a usable ledger is refused, and the import does not look as if it could go on. */
  #unusable(id: string, error: unknown): never {
    if (isLedgerError(error)) this.#options.fault(id, 'SENDING_FAILED', error);
    throw error;
  }

  #refuse(id: string, refused: string): never {
    const { catalog, dir } = this.#options;
    const record = catalog.get(id);
    throw wrongState(record, refused, actionsOf(record.state, retryFile(dir.folder(id)) !== undefined));
  }
}

/** Keeps imports to the target that they were begun for. */
function ownTarget({ catalog, states, sendsTo }: Pick<RequestsOptions, 'catalog' | 'states' | 'sendsTo'>) {
  return {
    /** An import of another target waits for a process that sends there; a pause or a cancellation stays one. @throws WRONG_TARGET */
    orWait: (id: string): void => {
      const record = catalog.get(id);
      const meant = readOptions(record);
      if (isSameTarget(meant, sendsTo)) return;
      const error = wrongTarget(`import ${id}`, meant, sendsTo);
      const { state } = record;
      if (state === 'staging' || state === 'running')
        states.move(id, 'blocked', error.what, 'WRONG_TARGET', error.remedy);
      throw error;
    },
    /** A dry run without settings has none, nor has what an older rollcall made; a region may have got its app since. */
    keep: (id: string, opened: Pick<OpenImport, 'options'>): void => {
      const known = joinedTarget(opened.options.target, sendsTo.target);
      if (known === undefined || isDeepStrictEqual(known, opened.options.target)) return;
      opened.options = { ...opened.options, target: known };
      catalog.setOptions(id, JSON.stringify(opened.options));
    },
  };
}
