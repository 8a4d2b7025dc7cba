import { option, type Words, words } from '../../errors/named-options.ts';
import { isFinal, transition } from '../../membership/import-state.ts';
import { intoOneFile } from '../../platform/sqlite.ts';
import type { Closed, EndState, IdleReason } from '../import-event.ts';
import type { IntakeError } from '../read/intake-error.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import { totalRows } from '../record/counters.ts';
import { BANS_UNKNOWN } from '../send/ban-check.ts';
import { SERVICE_AWAY } from '../send/give-up.ts';
import type { OpenImport } from '../send/open-imports.ts';
import { tooManyErrors } from '../send/sendable.ts';
import { held } from './creating-step.ts';
import type { RequestsOptions } from './import-requests.ts';

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

/** Moves an import from state to state, as what happens to it says. */
export class Steps {
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

  refused(id: string, { what, code, facts }: IntakeError): void {
    this.#parts.states.move(id, 'rejected', what, code, facts.remedy);
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
