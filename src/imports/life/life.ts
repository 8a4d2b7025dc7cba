import type { EventEmitter } from 'node:events';
import type { CircuitStatus } from '../../api/region-status.ts';
import { asError } from '../../errors/rollcall-error.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Catalog, ImportRecord } from '../catalog.ts';
import type { Emit, FaultCode, ImportEvent } from '../import-event.ts';
import type { LedgerThreads } from '../report/ledger-threads.ts';
import { targetOf } from '../send/sendable.ts';
import { createSending, type SendingOptions } from '../send/sending.ts';
import type { StagingProgress } from '../stage/stage-file.ts';
import { type StageFile, Stagings } from '../stage/staging.ts';
import type { Aimed } from '../target.ts';
import { createClosings } from './closing.ts';
import { faultOf, isMachineFault } from './faults.ts';
import { requestsOf } from './import-requests.ts';
import { type States, stepsOf } from './steps.ts';
import { openWaits, type WaitsOptions, waitOf } from './waits.ts';

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

const STEP_OF: Readonly<Record<Exclude<ImportEvent['kind'], 'fault'>, FaultCode>> = {
  unusable: 'READING_FAILED',
  read: 'SENDING_FAILED',
  recorded: 'RECORDING_FAILED',
  idle: 'SENDING_FAILED',
  closed: 'CLOSING_FAILED',
};

export type Life = ReturnType<typeof openLife>;

/**
 * The life of an import: what follows when something has happened to it, in the order of the states
 * (membership/import-state.ts). Requests of people are in import-requests.ts; no other place changes a state. The parts that
 * read, send and close imports do their work and report; they decide nothing.
 */
export function openLife({ dir, catalog, reading, events, sendsTo, stage, ...options }: LifeOptions) {
  let stopping = false;
  /** Failed imports that are being cancelled: they end with their reports or, if the error comes again, without. */
  const lastResort = new Set<string>();
  const states: States = {
    of: (id) => catalog.get(id).state,
    move: (...how) => void events.emit('state', catalog.move(...how)),
  };
  const fail = (error: unknown) => void events.emit('failure', asError(error));

  /** An unexpected error ends the import that met it, and the process only where every import would meet it. */
  const fault = (id: string, code: FaultCode, error: unknown) => {
    // The next start continues what is interrupted now.
    if (stopping) return;
    const wait = waitOf(error);
    if (wait !== undefined) return void waits.begin(id, wait);
    if (isMachineFault(error)) return void fail(error);
    try {
      void sending.drop(id);
      const state = catalog.find(id)?.state;
      if (state === undefined || state === 'failed' || isFinal(state)) return;
      // For the log: the sentence in the catalog has no stack.
      events.emit('fault', id, error);
      const { reason, remedy, ...found } = faultOf(code, error);
      if (lastResort.delete(id)) {
        states.move(id, 'cancelled', `cancelled after it had failed; ${reason}`, found.code);
      } else states.move(id, 'failed', reason, found.code, remedy);
    } catch (catalogError) {
      const wait = waitOf(catalogError);
      if (wait === undefined) fail(catalogError);
      else void waits.begin(id, wait);
    }
  };

  const emit: Emit = async (id, what) => {
    try {
      if (what.kind === 'unusable') steps.refused(id, what.error);
      else if (what.kind === 'read') await steps.staged(id);
      else if (what.kind === 'recorded') steps.recorded(id);
      else if (what.kind === 'idle') steps.idle(id, what.why);
      else if (what.kind === 'closed') steps.closed(id, what);
      else fault(id, what.code, what.error);
    } catch (error) {
      fault(id, what.kind === 'fault' ? what.code : STEP_OF[what.kind], error);
    }
  };

  const stagings = new Stagings({
    dir,
    catalog,
    progress: (id, progress) => events.emit('staging', id, progress),
    emit,
    stage,
  });
  const sending = createSending({
    ...options.sending,
    emit,
    circuitChanged: (...change) => events.emit('circuit', ...change),
  });
  const closings = createClosings({ dir, catalog, reading, emit });
  const target = targetOf({ ...sendsTo, regions: options.sending.regions });
  const parts = { dir, states, stagings, sending, closings, target, fault };
  const steps = stepsOf(parts);
  const requests = requestsOf({ ...parts, catalog, sendsTo, steps, lastResort });
  const waits = openWaits({ ...options.waits, dir, catalog, states, sending, takeUp: requests.takeUp, fail });
  return {
    sending,
    requests,
    fault,
    /** Reads its input, and then sends it unless `start` is false. Does nothing if that is running already. */
    begin: steps.begin,
    /** Its sum is being checked and its reports are being written. */
    isClosing: closings.isUnderWay,
    /** Stops all work on an import that is about to be deleted. */
    leave: steps.leave,
    /** From now on imports that wait for something of this machine continue by themselves (waits.ts). */
    watchWaits: waits.watch,
    whenOver: waits.whenOver,
    /** Begins nothing new, lets calls in flight finish for at most `deadlineMs`, and closes. */
    stop: async (deadlineMs: number) => {
      stopping = true;
      closings.stop();
      await stagings.stop();
      await sending.stop(deadlineMs);
      await waits.close();
    },
  };
}
