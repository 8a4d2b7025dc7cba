import type { EventEmitter } from 'node:events';
import type { CircuitStatus } from '../../api/region-status.ts';
import { asError } from '../../errors/message-of.ts';
import { option, type Words, words } from '../../errors/named-options.ts';
import { isFinal, transition } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { intoOneFile } from '../../platform/sqlite.ts';
import type { Catalog, ImportRecord } from '../catalog.ts';
import type { Closed, Emit, EndState, FaultCode, IdleReason, ImportEvent } from '../import-event.ts';
import type { IntakeError } from '../read/intake-error.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import { totalRows } from '../record/counters.ts';
import type { LedgerThreads } from '../report/ledger-threads.ts';
import { BANS_UNKNOWN } from '../send/ban-check.ts';
import { SERVICE_AWAY } from '../send/give-up.ts';
import type { OpenImport } from '../send/open-imports.ts';
import { targetOf, tooManyErrors } from '../send/sendable.ts';
import { Sending, type SendingOptions } from '../send/sending.ts';
import type { StagingProgress } from '../stage/stage-file.ts';
import { type StageFile, Stagings } from '../stage/staging.ts';
import type { Aimed } from '../target.ts';
import { type Closings, createClosings } from './closing.ts';
import { held } from './creating-step.ts';
import { faultOf, isMachineFault } from './faults.ts';
import { Requests, type RequestsOptions, type States } from './import-requests.ts';
import { Waits, type WaitsOptions, waitOf } from './waits.ts';

export interface LifeEvents {
  state: [record: ImportRecord];
  /** Something about it has changed, but not its state. */
  changed: [record: ImportRecord];
  removed: [id: string];
  staging: [id: string, progress: StagingProgress];
  /** The circuit of a region has opened or closed, in this process or another. */
  circuit: [region: Region, status: CircuitStatus];
  /** An unexpected error ended one import. */
  fault: [id: string, error: unknown];
  /** The machine, the catalog or the queue fails: nothing can continue. */
  failure: [error: Error];
}

interface LifeOptions {
  readonly dir: DataDir;
  readonly catalog: Catalog;
  readonly reading: LedgerThreads;
  readonly events: EventEmitter<LifeEvents>;
  /** Stored with what begins, and compared when that is continued. */
  readonly sendsTo: Aimed;
  readonly stage: StageFile | undefined;
  readonly sending: Omit<SendingOptions, 'emit' | 'circuitChanged'>;
  readonly waits: Pick<WaitsOptions, 'free' | 'tell'>;
}

/** The fault code for an error while an event is handled. */
const STEP_OF: Readonly<Record<Exclude<ImportEvent['kind'], 'fault'>, FaultCode>> = {
  unusable: 'READING_FAILED',
  read: 'SENDING_FAILED',
  recorded: 'RECORDING_FAILED',
  idle: 'SENDING_FAILED',
  closed: 'CLOSING_FAILED',
};

/**
 * The life of an import: what follows when something has happened to it, in the order of the states
 * (membership/import-state.ts). Requests of people are in import-requests.ts; no other place changes a state. The parts that
 * read, send and close imports do their work and report; they decide nothing.
 */
export class Life {
  readonly sending: Sending;
  readonly requests: Requests;
  /** From now on imports that wait for something of this machine continue by themselves (waits.ts). */
  readonly watchWaits: Waits['watch'];
  readonly whenOver: Waits['whenOver'];
  readonly #options: LifeOptions;
  readonly #states: States;
  readonly #stagings: Stagings;
  readonly #closings: Closings;
  readonly #steps: Steps;
  readonly #waits: Waits;
  /** Failed imports that are being cancelled: they end with their reports or, if the error comes again, without. */
  readonly #lastResort = new Set<string>();
  #stopping = false;

  constructor(options: LifeOptions) {
    const { dir, catalog, reading, events, sendsTo, stage, sending, waits } = options;
    const emit: Emit = (id, what) => this.#handle(id, what);
    this.#options = options;
    this.#states = {
      of: (id) => catalog.get(id).state,
      move: (...how) => void events.emit('state', catalog.move(...how)),
    };
    this.#stagings = new Stagings({
      dir,
      catalog,
      progress: (id, progress) => events.emit('staging', id, progress),
      emit,
      stage,
    });
    this.sending = new Sending({ ...sending, emit, circuitChanged: (...change) => events.emit('circuit', ...change) });
    this.#closings = createClosings({ dir, catalog, reading, emit });
    const parts = {
      dir,
      catalog,
      sendsTo,
      states: this.#states,
      stagings: this.#stagings,
      sending: this.sending,
      closings: this.#closings,
      target: targetOf({ ...sendsTo, regions: sending.regions }),
      fault: (id: string, code: FaultCode, error: unknown) => this.fault(id, code, error),
    };
    this.#steps = new Steps(parts);
    this.requests = new Requests({ ...parts, steps: this.#steps, lastResort: this.#lastResort });
    this.#waits = new Waits({
      ...waits,
      dir,
      catalog,
      states: this.#states,
      sending: this.sending,
      takeUp: (id) => this.requests.takeUp(id),
      fail: (error) => this.#fail(error),
    });
    this.watchWaits = (...given) => this.#waits.watch(...given);
    this.whenOver = (...given) => this.#waits.whenOver(...given);
  }

  /** Reads its input, and then sends it unless `start` is false. Does nothing if that is running already. */
  begin(id: string, start = true): void {
    this.#steps.begin(id, start);
  }

  /** Its sum is being checked and its reports are being written. */
  isClosing(id: string): boolean {
    return this.#closings.isUnderWay(id);
  }

  /** Stops all work on an import that is about to be deleted. */
  leave(id: string): Promise<void> {
    return this.#steps.leave(id);
  }

  /** An unexpected error ends the import that met it, and the process only where every import would meet it. */
  fault(id: string, code: FaultCode, error: unknown): void {
    // The next start continues what is interrupted now.
    if (this.#stopping) return;
    const wait = waitOf(error);
    if (wait !== undefined) {
      void this.#waits.begin(id, wait);
      return;
    }
    if (isMachineFault(error)) {
      this.#fail(error);
      return;
    }
    const { catalog, events } = this.#options;
    try {
      void this.sending.drop(id);
      const state = catalog.find(id)?.state;
      if (state === undefined || state === 'failed' || isFinal(state)) return;
      // For the log: the sentence in the catalog has no stack.
      events.emit('fault', id, error);
      const { reason, remedy, ...found } = faultOf(code, error);
      if (this.#lastResort.delete(id)) {
        this.#states.move(id, 'cancelled', `cancelled after it had failed; ${reason}`, found.code);
      } else this.#states.move(id, 'failed', reason, found.code, remedy);
    } catch (catalogError) {
      const wait = waitOf(catalogError);
      if (wait === undefined) this.#fail(catalogError);
      else void this.#waits.begin(id, wait);
    }
  }

  /** Begins nothing new, lets calls in flight finish for at most `deadlineMs`, and closes. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopping = true;
    this.#closings.stop();
    await this.#stagings.stop();
    await this.sending.stop(deadlineMs);
    await this.#waits.close();
  }

  /** Handles an event of an import. */
  async #handle(id: string, what: ImportEvent): Promise<void> {
    try {
      if (what.kind === 'unusable') this.#steps.refused(id, what.error);
      else if (what.kind === 'read') await this.#steps.staged(id);
      else if (what.kind === 'recorded') this.#steps.recorded(id);
      else if (what.kind === 'idle') this.#steps.idle(id, what.why);
      else if (what.kind === 'closed') this.#steps.closed(id, what);
      else this.fault(id, what.code, what.error);
    } catch (error) {
      this.fault(id, what.kind === 'fault' ? what.code : STEP_OF[what.kind], error);
    }
  }

  /** Ends the process. */
  #fail(error: unknown): void {
    this.#options.events.emit('failure', asError(error));
  }
}

/** Returns the reason for a wait of an import that has nothing left but batches of these regions. */
function whyStopped(stopped: readonly StoppedRegion[]): [reason: string, code: ReasonCode, remedy?: Words] {
  const refused = stopped.filter(({ code }) => code !== SERVICE_AWAY);
  if (refused.length === 0) {
    return [stopped.map(({ region, message }) => `${region}: ${message}`).join('; '), SERVICE_AWAY];
  }
  const [unknown] = refused.filter(({ code }) => code === BANS_UNKNOWN);
  if (unknown !== undefined && refused.every(({ code }) => code === BANS_UNKNOWN)) {
    return [
      `it is not known who is banned, and adding lifts a ban: the service does not give the whole list ${unknown.message}`,
      BANS_UNKNOWN,
      words`resume to ask again, or with ${option('banCheck', 'false')} to add everyone without asking, which lifts bans without notice`,
    ];
  }
  const each = refused.map(({ region, code, message }) => `${region}: ${code}, ${message}`);
  return [`the service refused ${each.join('; ')}`, 'SERVICE_REFUSED'];
}

type StepParts = Pick<RequestsOptions, 'dir' | 'states' | 'stagings' | 'sending' | 'closings' | 'target' | 'fault'>;

/** Moves an import from state to state. */
class Steps {
  readonly #parts: StepParts;
  /** Imports that are not to start when they are staged. */
  readonly #waiting = new Set<string>();

  constructor(parts: StepParts) {
    this.#parts = parts;
  }

  // Its input is read, and it starts unless a person must look at it first.

  begin(id: string, start = true): void {
    if (!start) this.#waiting.add(id);
    this.#parts.stagings.begin(id);
  }

  refused(id: string, { sentence, code, details }: IntakeError): void {
    this.#parts.states.move(id, 'rejected', sentence, code, details.remedy);
  }

  async staged(id: string): Promise<void> {
    const { states, sending, target } = this.#parts;
    const start = !this.#waiting.has(id);
    const opened = sending.open(id);
    if (tooManyErrors(opened) !== undefined) {
      this.end(id, 'aborted');
      return;
    }
    const obstacle = target.obstacleOf(id, opened);
    if (obstacle !== undefined || !start) {
      // It may wait for days, and so may others: keep no ledger open.
      sending.close(id);
      states.move(id, 'staged', obstacle?.reason, obstacle?.code, obstacle?.remedy);
      this.#waiting.delete(id);
      return;
    }
    states.move(id, 'staged');
    states.move(id, 'running');
    await sending.run(id);
  }

  // It is sent, as far as it may be.

  /** Looks at the errors that were recorded: it may have too many now. */
  recorded(id: string): void {
    const { sending, fault } = this.#parts;
    const opened = sending.open(id);
    if (opened.ending !== undefined || opened.running === undefined || tooManyErrors(opened) === undefined) return;
    opened.ending = 'aborted';
    sending.pause(id).catch((error: unknown) => fault(id, 'SENDING_FAILED', error));
  }

  // Nothing of it is in flight any more: it has finished, or waits.

  idle(id: string, why: IdleReason): void {
    const { states, sending } = this.#parts;
    const opened = sending.open(id);
    const { ledger, ending } = opened;
    const isWaiting = (ledger.creating?.waiting() ?? 0) > 0;
    const isDone = ledger.openBatches().size === 0 && !isWaiting;
    if (isDone && ledger.laterBatches() === 0) this.#close(id, opened);
    else if (ending === 'cancelled' && states.of(id) === 'cancelling' && !opened.restAsked)
      void this.#askRest(id, opened);
    else if (ending !== undefined) this.end(id, ending);
    else if (isDone) states.move(id, 'paused', transition('running', 'paused'), 'FIRST_ROWS');
    else if (why === 'blocked') {
      states.move(id, 'blocked', ...whyStopped(ledger.stoppedRegions()));
    } else if (states.of(id) === 'pausing') states.move(id, 'paused');
    else if (why === 'completed') this.#createMissing(id, opened);
  }

  /** Rows in flight may be members: their groups know. Then the import is ended. */
  async #askRest(id: string, opened: OpenImport): Promise<void> {
    const { sending, fault } = this.#parts;
    opened.restAsked = true;
    try {
      const message = 'sent, and the import was ended before an answer came';
      const ended = { code: 'NO_ANSWER', message, absent: 'unprocessed' as const };
      const asks = opened.ledger.askRest({ tries: 0, since: Date.now(), ended });
      if (!asks || !(await sending.askRest(id))) this.end(id, 'cancelled');
    } catch (error) {
      fault(id, 'SENDING_FAILED', error);
    }
  }

  /** Everything else is sent: creates what rows wait for, or asks a person. */
  #createMissing(id: string, { ledger, options: { create }, running }: OpenImport): void {
    const next = create && ledger.creating?.next(create);
    if (next?.kind === 'held') this.waitForLeave(id, held(next.over));
    else running?.start();
  }

  waitForLeave(id: string, { reason, remedy }: ReturnType<typeof held>): void {
    this.#parts.states.move(id, 'blocked', reason, 'CREATE_LIMIT', remedy);
  }

  /** Ends an import before everything is sent. */
  end(id: string, state: Exclude<EndState, 'completed'>): void {
    const { sending, closings } = this.#parts;
    const opened = sending.open(id);
    opened.ledger.leaveRest(`not sent: the import was ${state} first`);
    // Counted at the end: calls that were in flight have brought errors since, and uncertain deliveries count too.
    closings.begin(id, state, state === 'aborted' ? tooManyErrors(opened) : undefined);
  }

  /** Closes an import whose batches have all ended. */
  #close(id: string, opened: OpenImport): void {
    const { states, closings } = this.#parts;
    if (totalRows(opened.ledger.counters()).unprocessed === 0) closings.begin(id, 'completed');
    // The rest was ended before, by a process that died before it could close the import.
    else if (states.of(id) === 'cancelling') closings.begin(id, 'cancelled');
    else closings.begin(id, 'aborted', tooManyErrors(opened) ?? 'it was ended before, and then interrupted');
  }

  closed(id: string, { state, reason, code }: Closed): void {
    const { dir, states, sending } = this.#parts;
    sending.close(id);
    intoOneFile(dir.ledger(id));
    if (!isFinal(states.of(id))) states.move(id, state, reason, code);
  }

  /** Stops all work on an import that is about to be deleted. */
  async leave(id: string): Promise<void> {
    this.#waiting.delete(id);
    await this.#parts.sending.drop(id);
  }
}
