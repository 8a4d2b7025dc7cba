import type { EventEmitter } from 'node:events';
import type { CircuitStatus } from '../../api/region-status.ts';
import { asError } from '../../errors/message-of.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Catalog, ImportRecord } from '../catalog.ts';
import type { Emit, FaultCode, ImportEvent } from '../import-event.ts';
import type { LedgerThreads } from '../report/ledger-threads.ts';
import { targetOf } from '../send/sendable.ts';
import { Sending, type SendingOptions } from '../send/sending.ts';
import type { StagingProgress } from '../stage/stage-file.ts';
import { type StageFile, Stagings } from '../stage/staging.ts';
import type { Aimed } from '../target.ts';
import { type Closings, createClosings } from './closing.ts';
import { faultOf, isMachineFault } from './faults.ts';
import { Requests, type States } from './import-requests.ts';
import { Steps } from './steps.ts';
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
