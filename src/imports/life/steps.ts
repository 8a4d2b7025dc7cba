import { option, type Words, words } from '../../errors/named-options.ts';
import { type ImportState, isFinal, transition } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { intoOneFile } from '../../platform/sqlite.ts';
import type { Catalog } from '../catalog.ts';
import type { Closed, EndState, FaultCode, IdleReason } from '../import-event.ts';
import type { IntakeError } from '../read/intake-error.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import { totalRows } from '../record/counters.ts';
import { BANS_UNKNOWN } from '../send/ban-check.ts';
import { SERVICE_AWAY } from '../send/give-up.ts';
import type { OpenImport } from '../send/open-imports.ts';
import { type targetOf, tooManyErrors } from '../send/sendable.ts';
import type { Sending } from '../send/sending.ts';
import type { Stagings } from '../stage/staging.ts';
import type { Closings } from './closing.ts';
import { held } from './creating-step.ts';

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

/** The states of imports, as the catalog has them. */
export interface States {
  of(id: string): ImportState;
  /** Moves an import to another state, and says so. */
  move(...how: Parameters<Catalog['move']>): void;
}

/** The parts that do the work of imports. */
export interface StepParts {
  readonly dir: DataDir;
  readonly states: States;
  readonly stagings: Stagings;
  readonly sending: Sending;
  readonly closings: Closings;
  readonly target: ReturnType<typeof targetOf>;
  readonly fault: (id: string, code: FaultCode, error: unknown) => void;
}

/** Ends imports whose last call has answered, or that a person or too many errors end. */
function endingsOf({ states, sending, closings, fault }: StepParts) {
  /** Ends an import before everything is sent. */
  const end = (id: string, state: Exclude<EndState, 'completed'>) => {
    const opened = sending.open(id);
    opened.ledger.leaveRest(`not sent: the import was ${state} first`);
    // Counted at the end: calls that were in flight have brought errors since, and uncertain deliveries count too.
    closings.begin(id, state, state === 'aborted' ? tooManyErrors(opened) : undefined);
  };

  /** Rows in flight may be members: their groups know. Then the import is ended. */
  const askRest = async (id: string, opened: OpenImport) => {
    opened.restAsked = true;
    try {
      const message = 'sent, and the import was ended before an answer came';
      const ended = { code: 'NO_ANSWER', message, absent: 'unprocessed' as const };
      const asks = opened.ledger.askRest({ tries: 0, since: Date.now(), ended });
      if (!asks || !(await sending.askRest(id))) end(id, 'cancelled');
    } catch (error) {
      fault(id, 'SENDING_FAILED', error);
    }
  };

  const close = (id: string, opened: OpenImport) => {
    if (totalRows(opened.ledger.counters()).unprocessed === 0) closings.begin(id, 'completed');
    // The rest was ended before, by a process that died before it could close the import.
    else if (states.of(id) === 'cancelling') closings.begin(id, 'cancelled');
    else closings.begin(id, 'aborted', tooManyErrors(opened) ?? 'it was ended before, and then interrupted');
  };

  return { end, askRest, close };
}

export type Steps = ReturnType<typeof stepsOf>;

/** Moves an import from state to state, as what happens to it says. */
export function stepsOf(parts: StepParts) {
  const { dir, states, stagings, sending, target, fault } = parts;
  const { end, askRest, close } = endingsOf(parts);
  /** Imports that are not to start when they are staged. */
  const waiting = new Set<string>();

  const waitForLeave = (id: string, { reason, remedy }: ReturnType<typeof held>) =>
    states.move(id, 'blocked', reason, 'CREATE_LIMIT', remedy);

  /** Everything else is sent: creates what rows wait for, or asks a person. */
  const createMissing = (id: string, { ledger, running }: OpenImport) => {
    const next = ledger.creating?.next();
    if (next?.kind === 'held') waitForLeave(id, held(next.over));
    else running?.start();
  };

  return {
    // Its input is read, and it starts unless a person must look at it first.

    begin: (id: string, start = true) => {
      if (!start) waiting.add(id);
      stagings.begin(id);
    },
    refused: (id: string, { what, code, facts }: IntakeError) => states.move(id, 'rejected', what, code, facts.remedy),
    staged: async (id: string) => {
      const start = !waiting.has(id);
      const opened = sending.open(id);
      if (tooManyErrors(opened) !== undefined) return end(id, 'aborted');
      const obstacle = target.obstacleOf(id, opened);
      if (obstacle !== undefined || !start) {
        // It may wait for days, and so may others: keep no ledger open.
        sending.close(id);
        states.move(id, 'staged', obstacle?.reason, obstacle?.code, obstacle?.remedy);
        waiting.delete(id);
        return;
      }
      states.move(id, 'staged');
      states.move(id, 'running');
      await sending.run(id);
    },

    // It is sent, as far as it may be.

    /** Looks at the errors that were recorded: it may have too many now. */
    recorded: (id: string) => {
      const opened = sending.open(id);
      if (opened.ending !== undefined || opened.running === undefined || tooManyErrors(opened) === undefined) return;
      opened.ending = 'aborted';
      sending.pause(id).catch((error: unknown) => fault(id, 'SENDING_FAILED', error));
    },

    // Nothing of it is in flight any more: it has finished, or waits.

    idle: (id: string, why: IdleReason) => {
      const opened = sending.open(id);
      const { ledger, ending } = opened;
      const isWaiting = (ledger.creating?.waiting() ?? 0) > 0;
      const isDone = ledger.openRegions().size === 0 && !isWaiting;
      if (isDone && ledger.laterBatches() === 0) close(id, opened);
      else if (ending === 'cancelled' && states.of(id) === 'cancelling' && !opened.restAsked) void askRest(id, opened);
      else if (ending !== undefined) end(id, ending);
      else if (isDone) states.move(id, 'paused', transition('running', 'paused'), 'FIRST_ROWS');
      else if (why === 'blocked') states.move(id, 'blocked', ...whyStopped(ledger.stoppedRegions()));
      else if (states.of(id) === 'pausing') states.move(id, 'paused');
      else if (why === 'completed') createMissing(id, opened);
    },
    waitForLeave,
    end,
    closed: (id: string, { state, reason, code }: Closed) => {
      sending.close(id);
      intoOneFile(dir.ledger(id));
      if (!isFinal(states.of(id))) states.move(id, state, reason, code);
    },
    /** Stops all work on an import that is about to be deleted. */
    leave: async (id: string) => {
      waiting.delete(id);
      await sending.drop(id);
    },
  };
}
