import type { AskServicePayload } from '../../../jobs/ask-service.ts';
import type { BatchPayload } from '../../../jobs/batch-payload.ts';
import { type CallContext, type CallListener, makeCall, type UnansweredListener } from '../../../jobs/service-call.ts';
import type { CircuitStatus } from '../../api/region-status.ts';
import type { ChatClient } from '../../chat/chat-client.ts';
import { isNoAnswer, judgeReading, type Verdict } from '../../chat/error-policy.ts';
import type { Rate } from '../../chat/rate-headers.ts';
import { BARE_404 } from '../../chat/service/codes.ts';
import { asError } from '../../errors/message-of.ts';
import { type Circuit, type NoAnswer, stateOf } from '../../queue/circuit.ts';
import { type CircuitBreaker, type Probe, shareCircuit } from '../../queue/circuit-breaker.ts';
import { type JobRun, NotYet } from '../../queue/define-job.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import { LOCK_MS } from '../../queue/job-worker.ts';
import { isoTime } from '../../text/wording.ts';
import type { CallRecord } from '../record/batch-result.ts';

type Run = JobRun<BatchPayload | AskServicePayload>;

type CircuitQueue = Pick<JobQueue<BatchPayload>, 'readCircuit' | 'swapCircuit' | 'slowDown' | 'endWait'>;

interface RegionCircuitOptions {
  /** Keeps the state of the circuit. */
  readonly queue: CircuitQueue;
  /** They wait as that one does. */
  readonly others: readonly Pick<CircuitQueue, 'slowDown' | 'endWait'>[];
  readonly chat: Pick<ChatClient, 'getGroup'>;
  /** The circuit is open: afterwards the worker begins with one call at a time. */
  readonly opened: () => void;
  readonly changed: (status: CircuitStatus) => void;
  readonly called: CallListener;
  readonly onError: (error: Error) => void;
}

const PROBE = 'probe';

/** Makes the calls of a region's worker wait while the service does not answer (queue/circuit.ts). */
export class RegionCircuit {
  readonly #options: RegionCircuitOptions;
  readonly #breaker: CircuitBreaker;
  /** The job that tries whether calls are answered again, when a question was. */
  #trial: { readonly id: string; readonly probe: Probe; readonly answeredAt: number } | undefined;
  #closed = false;

  constructor(options: RegionCircuitOptions) {
    const { queue, others, changed } = options;
    const each = [queue, ...others];
    const all: CircuitQueue = {
      readCircuit: queue.readCircuit,
      swapCircuit: queue.swapCircuit,
      slowDown: async (waitMs) => void (await Promise.all(each.map((one) => one.slowDown(waitMs)))),
      endWait: async () => void (await Promise.all(each.map((one) => one.endWait()))),
    };
    this.#options = options;
    this.#breaker = shareCircuit({ queue: all, changed: (circuit) => changed(statusOf(circuit, Date.now())) });
  }

  /** Wraps each start of a job. @throws NotYet */
  async admit(run: Run, process: () => Promise<void>): Promise<void> {
    const admitted = await this.#admission();
    if (admitted === 'go') return process();
    this.#options.opened();
    if (typeof admitted === 'number') throw new NotYet(admitted);
    try {
      const nothing = await this.#ask(run);
      if (nothing !== undefined) throw new NotYet((await admitted.failed(nothing)) ?? 0);
      this.#trial = { id: run.id, probe: admitted, answeredAt: Date.now() };
      await process();
    } finally {
      this.#trial = undefined;
      await admitted.leave().catch(this.#failed);
    }
  }

  /** Takes note of a call that has ended. */
  called(call: CallRecord, rate?: Pick<Rate, 'askedMs'>, { recovers }: Pick<CallContext, 'recovers'> = {}): void {
    if (!isAnswer(call)) return;
    const { kind } = call;
    const waitsUntil = rate?.askedMs === undefined ? null : Date.now() + rate.askedMs;
    this.#breaker
      .answered(kind === 'slow-down', { waitsUntil, recovered: recovers === true && kind !== 'slow-down' })
      .catch(this.#failed);
  }

  /** Ms that a job waits whose call was not answered, and that uses no attempt; undefined where it uses one. */
  readonly unanswered: UnansweredListener = async (jobId, verdict, at) => {
    if (!isNoAnswer(verdict)) return {};
    const nothing = noAnswer(verdict, at);
    try {
      if (this.#trial?.id === jobId) {
        // The service answers other calls: this one is the batch's own.
        await this.#trial.probe.failed(nothing);
        return { answeredAt: this.#trial.answeredAt, recoveredAt: this.#breaker.recoveredAt() };
      }
      const waitMs = await this.#breaker.unanswered(nothing);
      if (waitMs !== undefined) return { waitMs };
      return { answeredAt: this.#breaker.answeredAt(), recoveredAt: this.#breaker.recoveredAt() };
    } catch (error) {
      this.#failed(error);
      return {};
    }
  };

  /** Asks the service about a group: whether it answers, and not with a refusal of the key or the plan. */
  async isServed(): Promise<boolean> {
    try {
      await this.#options.chat.getGroup(PROBE);
      return true;
    } catch (error) {
      const verdict = judgeReading(error);
      return isAnswer(verdict) && verdict.kind !== 'stop-region';
    }
  }

  /** To be called when no job runs any more. */
  close(): void {
    this.#closed = true;
  }

  readonly #failed = (error: unknown): void => {
    // The queue closes under what was just noted.
    if (!this.#closed) this.#options.onError(asError(error));
  };

  /** Lets a job go where the circuit cannot be read. @throws NotYet where that took so long that another worker may have the job */
  async #admission() {
    const takenAt = performance.now();
    const admitted = await this.#breaker.admit().catch((error: unknown) => {
      this.#failed(error);
      return 'go' as const;
    });
    // The batch would be sent twice at the same time.
    if (admitted === 'go' && performance.now() - takenAt >= LOCK_MS) throw new NotYet(0);
    return admitted;
  }

  /** A question that changes nothing: a batch would be uncertain after it. */
  async #ask({ payload, attemptsMade, signal }: Run): Promise<NoAnswer | undefined> {
    const { chat, called } = this.#options;
    const { share, guid } = payload;
    const about = { share, job: PROBE, operation: 'group', attempt: attemptsMade + 1 };
    const look = async () => ({ ...(await chat.getGroup(guid === '' ? PROBE : guid, { signal })), answer: undefined });
    const made = await makeCall({ called }, about, look, judgeReading);
    if ('aborted' in made) throw made.aborted;
    return 'answer' in made || isAnswer(made.verdict) ? undefined : noAnswer(made.verdict, made.call.at);
  }
}

/** Whether a call that failed, or was refused, was answered by the service. */
function isAnswer({
  kind,
  httpStatus,
  code,
}: Pick<Verdict, 'httpStatus' | 'code'> & { readonly kind: string }): boolean {
  return httpStatus !== null && kind !== 'again' && code !== BARE_404;
}

/** Without a reply the message comes from the network and names no user. */
function noAnswer(
  { code, message, httpStatus }: Pick<Verdict, 'code' | 'message' | 'httpStatus'>,
  at: number,
): NoAnswer {
  return { at, code, message: httpStatus === null ? message : '' };
}

/** Returns the circuit's status for display. */
export function statusOf(circuit: Circuit, now: number): CircuitStatus {
  const { since, nextTryAt, calls, answeredAt, waitsUntil, code, message } = circuit;
  const state = stateOf(circuit, now);
  return {
    state,
    since: isoTime(since),
    nextTryAt: state === 'open' ? isoTime(nextTryAt) : null,
    calls,
    lastAnswerAt: isoTime(answeredAt),
    waitsUntil: isoTime(waitsUntil !== null && waitsUntil > now ? waitsUntil : null),
    code,
    message,
  };
}
