import type { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { type ImportState, isFinal, nextStates, TransitionError } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Backend } from '../../queue/backend.ts';
import type { Catalog, ImportRecord } from '../catalog.ts';
import type { Closed, EndState, FaultCode, Happening, Report, Standstill } from '../happening.ts';
import { WrongTarget } from '../import-errors.ts';
import { readOptions } from '../import-options.ts';
import { totalRows } from '../record/import-ledger.ts';
import type { ReadingThreads } from '../report/reading-threads.ts';
import type { OpenLine } from '../send/region.ts';
import { targetOf, tooManyErrors } from '../send/sendable.ts';
import { createSending, type OpenImport, type Sending } from '../send/sending.ts';
import type { StagingProgress } from '../stage/stage-file.ts';
import { createStagings } from '../stage/staging.ts';
import { createClosings } from './closing.ts';
import { held, overAsChecked, type ResumeChanges, withChanges } from './creating-step.ts';
import { DEATHS_ALLOWED, deathSentence, faultSentence, isMachineFault } from './faults.ts';

/**
 * The life of an import: the only place that changes its state (membership/import-state.ts). People's requests come in by
 * these functions, events by `handle`; both are below in the order of the states. The parts that read, send and close
 * imports do their work and report; they decide nothing.
 */
export interface Life {
  readonly sending: Pick<Sending, 'groups' | 'regions' | 'renewKeys'>;
  /** Reads its input, and then sends it unless `start` is false. Does nothing if that is running already. */
  begin(id: string, start?: boolean): void;
  /** Continues an import from its last state, after a stop or crash. */
  takeUp(id: string): Promise<void>;
  pause(id: string): Promise<void>;
  resume(id: string, changes: ResumeChanges): Promise<void>;
  cancel(id: string): Promise<void>;
  /** Whether its sum is being checked and its reports are being written. */
  isClosing(id: string): boolean;
  /** Stops all work on an import that is about to be deleted. */
  leave(id: string): Promise<void>;
  /** An unexpected error ends the import that met it, and the process only where every import would meet it. */
  fault(id: string, code: FaultCode, error: unknown): void;
  /** Begins nothing new, lets calls in flight finish for at most `deadlineMs`, and closes. */
  stop(deadlineMs: number): Promise<void>;
}

export interface LifeEvents {
  state: [record: ImportRecord];
  /** Something about it has changed, but not its state. */
  changed: [record: ImportRecord];
  removed: [id: string];
  staging: [id: string, progress: StagingProgress];
  /** An unexpected error ended one import. */
  fault: [id: string, error: unknown];
  /** The machine, the catalog or the queue fails: nothing can continue. */
  failure: [error: Error];
}

interface LifeOptions {
  readonly dir: DataDir;
  readonly catalog: Catalog;
  readonly backend: Backend;
  readonly reading: ReadingThreads;
  readonly events: EventEmitter<LifeEvents>;
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly openLine: OpenLine;
  readonly version: string;
  /** Whether calls go to a sandbox. */
  readonly sandbox: boolean;
  readonly onError: (error: Error) => void;
}

const FIRST_SENT = 'the rows to try first were sent, and the others wait';

/** The fault code for an error while an event is handled. */
const STEP_OF: Readonly<Record<Exclude<Happening['kind'], 'fault'>, FaultCode>> = {
  unusable: 'READING_FAILED',
  read: 'SENDING_FAILED',
  recorded: 'RECORDING_FAILED',
  standstill: 'SENDING_FAILED',
  closed: 'CLOSING_FAILED',
};

export function createLife(options: LifeOptions): Life {
  const { dir, catalog, reading, events, sandbox, version } = options;
  /** Imports that are not to start when they are staged. */
  const waiting = new Set<string>();
  /** Failed imports that are being cancelled: they end with their reports or, if the error comes again, without. */
  const lastResort = new Set<string>();
  let stopping = false;

  /** Handles an event of an import. */
  const handle: Report = async (id, what) => {
    try {
      if (what.kind === 'unusable')
        move(id, 'rejected', what.error.sentence, what.error.code, what.error.details.remedy);
      else if (what.kind === 'read') await staged(id);
      else if (what.kind === 'recorded') lookAtErrors(id);
      else if (what.kind === 'standstill') standsStill(id, what.why);
      else if (what.kind === 'closed') closed(id, what);
      else fault(id, what.code, what.error);
    } catch (error) {
      fault(id, what.kind === 'fault' ? what.code : STEP_OF[what.kind], error);
    }
  };

  const stagings = createStagings({
    dir,
    catalog,
    progress: (id, progress) => events.emit('staging', id, progress),
    report: handle,
  });
  const sending = createSending({ ...options, report: handle });
  const target = targetOf(options);
  const closings = createClosings({ dir, catalog, reading, version, report: handle });

  const move = (...how: Parameters<Catalog['move']>): void => {
    events.emit('state', catalog.move(...how));
  };
  const stateOf = (id: string): ImportState => catalog.get(id).state;

  // Its input is read, and it starts unless a person must look at it first.

  const begin = (id: string, start = true): void => {
    if (!start) waiting.add(id);
    stagings.begin(id);
  };

  const staged = async (id: string): Promise<void> => {
    const start = !waiting.delete(id);
    const opened = sending.open(id);
    if (tooManyErrors(opened) !== undefined) {
      end(id, 'aborted');
      return;
    }
    const obstacle = target.obstacleOf(id, opened);
    if (obstacle !== undefined || !start) {
      // It may wait for days, and so may others: keep no ledger open.
      sending.close(id);
      move(id, 'staged', obstacle?.reason, obstacle?.code, obstacle?.remedy);
      return;
    }
    move(id, 'staged');
    move(id, 'running');
    await sending.run(id);
  };

  // It is sent, as far as it may be.

  /** Sends, or continues to. */
  const go = async (id: string): Promise<void> => {
    await sending.dropped(id);
    const opened = sending.open(id);
    opened.options = readOptions(catalog.get(id));
    const over = await overAsChecked(dir.folder(id), opened);
    const record = catalog.get(id);
    if (record.state === 'cancelling') opened.ending ??= 'cancelled';
    if (opened.ending !== undefined) return hold(id);
    target.check(id, opened);
    if (over.length > 0) {
      if (record.state !== 'staged' && record.state !== 'running') move(id, 'running');
      waitForLeave(id, held(over, 'check'));
      return;
    }
    opened.ledger.startRegions();
    // An import that was paused before the first rows were sent continues with these.
    const isThrough = opened.ledger.openBatches().size === 0 && (opened.ledger.creating?.waiting() ?? 0) === 0;
    if (record.state === 'paused' && isThrough) opened.ledger.releaseLater();
    if (record.state !== 'running') move(id, 'running');
    if (tooManyErrors(opened) === undefined) return sending.run(id);
    opened.ending = 'aborted';
    await hold(id);
  };

  const lookAtErrors = (id: string): void => {
    const opened = sending.open(id);
    if (opened.ending !== undefined || opened.running === undefined || tooManyErrors(opened) === undefined) return;
    opened.ending = 'aborted';
    sending.hold(id).catch((error: unknown) => fault(id, 'SENDING_FAILED', error));
  };

  const hold = async (id: string): Promise<void> => {
    if (await sending.hold(id)) standsStill(id, 'held');
  };

  const cancelStaged = async (id: string): Promise<void> => {
    await sending.dropped(id);
    const opened = sending.open(id);
    if (stateOf(id) === 'staged') end(id, 'cancelled');
    else {
      if (stateOf(id) !== 'cancelling') move(id, 'cancelling');
      opened.ending = 'cancelled';
      await hold(id);
    }
  };

  // Nothing of it is in flight any more: it has finished, or waits.

  const standsStill = (id: string, why: Standstill): void => {
    const opened = sending.open(id);
    const { ledger, ending } = opened;
    const isWaiting = (ledger.creating?.waiting() ?? 0) > 0;
    const isDone = ledger.openBatches().size === 0 && !isWaiting;
    if (isDone && ledger.laterBatches() === 0) close(id, opened);
    else if (ending !== undefined) end(id, ending);
    else if (isDone) move(id, 'paused', FIRST_SENT, 'FIRST_ROWS');
    else if (why === 'blocked') {
      const stopped = ledger.stoppedRegions().map(({ region, code, message }) => `${region}: ${code}, ${message}`);
      move(id, 'blocked', `the service refused ${stopped.join('; ')}`, 'SERVICE_REFUSED');
    } else if (stateOf(id) === 'pausing') move(id, 'paused');
    else if (why === 'completed') createMissing(id, opened);
  };

  /** Everything else is sent: creates what rows wait for, or asks a person. */
  const createMissing = (id: string, { ledger, options: { create }, running }: OpenImport): void => {
    const next = create && ledger.creating?.next(create);
    if (next?.kind === 'held') waitForLeave(id, held(next.over));
    else running?.go();
  };

  const waitForLeave = (id: string, { reason, remedy }: ReturnType<typeof held>): void =>
    move(id, 'blocked', reason, 'CREATE_LIMIT', remedy);

  /** Ends an import before everything is sent. */
  const end = (id: string, state: Exclude<EndState, 'completed'>): void => {
    const opened = sending.open(id);
    opened.ledger.leaveRest(`not sent: the import was ${state} first`);
    // Counted at the end: calls that were in flight have brought errors since, and uncertain deliveries count too.
    closings.begin(id, state, state === 'aborted' ? tooManyErrors(opened) : undefined);
  };

  /** Closes an import whose batches have all ended. */
  const close = (id: string, opened: OpenImport): void => {
    if (totalRows(opened.ledger.tallies()).unprocessed === 0) closings.begin(id, 'completed');
    // The rest was ended before, by a process that died before it could close the import.
    else if (stateOf(id) === 'cancelling') closings.begin(id, 'cancelled');
    else closings.begin(id, 'aborted', tooManyErrors(opened) ?? 'it was ended before, and then interrupted');
  };

  const closed = (id: string, { state, reason, code }: Closed): void => {
    sending.close(id);
    if (!isFinal(stateOf(id))) move(id, state, reason, code);
  };

  // Unexpected errors.

  const fault = (id: string, code: FaultCode, error: unknown): void => {
    // The next start continues what is interrupted now.
    if (stopping) return;
    if (isMachineFault(error)) {
      fail(error);
      return;
    }
    try {
      void sending.drop(id);
      const state = catalog.find(id)?.state;
      if (state === undefined || state === 'failed' || isFinal(state)) return;
      // For the log: the sentence in the catalog has no stack.
      events.emit('fault', id, error);
      const reason = faultSentence(code, error);
      if (lastResort.delete(id)) move(id, 'cancelled', `cancelled after it had failed; ${reason}`, code);
      else move(id, 'failed', reason, code);
    } catch (catalogError) {
      fail(catalogError);
    }
  };

  /** Ends the process. */
  const fail = (error: unknown): void => {
    events.emit('failure', error instanceof Error ? error : new Error(String(error)));
  };

  const refuse = (id: string, to: ImportState): never => {
    throw new TransitionError(stateOf(id), to);
  };

  return {
    sending,
    begin,
    takeUp: async (id) => {
      const record = catalog.get(id);
      if (readOptions(record).sandbox !== sandbox) throw new WrongTarget(`import ${id}`, !sandbox);
      const deaths = catalog.deaths(id);
      if (deaths >= DEATHS_ALLOWED) move(id, 'failed', deathSentence(deaths), 'PROCESS_DIED');
      else if (record.state === 'staging') begin(id);
      else {
        target.check(id, sending.open(id));
        if (record.state === 'pausing') await hold(id);
        else await go(id);
      }
    },
    pause: async (id) => {
      const state = stateOf(id);
      if (state === 'pausing' || state === 'paused') return;
      if (state !== 'running') refuse(id, 'pausing');
      move(id, 'pausing');
      await hold(id);
    },
    resume: async (id, changes) => {
      const record = catalog.get(id);
      catalog.setOptions(id, withChanges(record, changes));
      if (isFinal(record.state) || (record.state === 'staged' && closings.isUnderWay(id))) refuse(id, 'running');
      // A person asks for it: earlier deaths of the process no longer count.
      catalog.progressed(id);
      if (record.state === 'failed' && !existsSync(dir.ledger(id))) move(id, 'staging');
      if (stateOf(id) === 'staging') begin(id);
      else await go(id);
    },
    cancel: async (id) => {
      if (stateOf(id) === 'staging') await stagings.abort(id);
      const state = stateOf(id);
      if (state === 'staging' || (state === 'failed' && !existsSync(dir.ledger(id)))) {
        move(id, 'cancelled');
        return;
      }
      if (state === 'failed') lastResort.add(id);
      // It may have been staged, and even started, in the meantime.
      const next = nextStates(state);
      if (!next.includes('cancelling') && !next.includes('cancelled')) refuse(id, 'cancelled');
      try {
        await cancelStaged(id);
      } catch (error) {
        if (!lastResort.has(id)) throw error;
        fault(id, 'RECORDING_FAILED', error);
      }
    },
    isClosing: closings.isUnderWay,
    leave: async (id) => {
      waiting.delete(id);
      await sending.drop(id);
    },
    fault,
    stop: async (deadlineMs) => {
      stopping = true;
      closings.stop();
      await stagings.stop();
      await sending.stop(deadlineMs);
    },
  };
}
