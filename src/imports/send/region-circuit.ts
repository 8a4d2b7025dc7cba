import type { AskServicePayload } from '../../../jobs/ask-service.ts';
import type { BatchPayload } from '../../../jobs/batch-payload.ts';
import type { Unanswered } from '../../../jobs/batch-policy.ts';
import { type CallContext, type CallListener, makeCall, type UnansweredListener } from '../../../jobs/service-call.ts';
import type { CircuitStatus } from '../../api/region-status.ts';
import type { ChatClient } from '../../chat/chat-client.ts';
import { isNoAnswer, judgeReading, type Verdict } from '../../chat/error-policy.ts';
import type { Rate } from '../../chat/rate-headers.ts';
import { BARE_404 } from '../../chat/service/codes.ts';
import { asError } from '../../errors/rollcall-error.ts';
import { type Circuit, type NoAnswer, stateOf } from '../../queue/circuit.ts';
import { type Probe, shareCircuit } from '../../queue/circuit-breaker.ts';
import { type JobRun, NotYet } from '../../queue/job-definition.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import { LOCK_MS } from '../../queue/job-worker.ts';
import { isoTime } from '../../text/wording.ts';
import type { CallRecord } from '../record/batch-result.ts';

type Run = JobRun<BatchPayload | AskServicePayload>;

type CircuitQueue = Pick<JobQueue<BatchPayload>, 'readNote' | 'swapNote' | 'slowDown' | 'endWait'>;

interface RegionCircuitOptions {
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

export type RegionCircuit = ReturnType<typeof createRegionCircuit>;

/** Makes the calls of a region's worker wait while the service does not answer (queue/circuit.ts). */
export function createRegionCircuit(options: RegionCircuitOptions) {
  const { queue, others, chat, changed, onError } = options;
  const each = [queue, ...others];
  const breaker = shareCircuit({
    queue: {
      ...queue,
      slowDown: async (waitMs) => void (await Promise.all(each.map((one) => one.slowDown(waitMs)))),
      endWait: async () => void (await Promise.all(each.map((one) => one.endWait()))),
    },
    changed: (circuit) => changed(statusOf(circuit, Date.now())),
  });
  /** The job that tries whether calls are answered again, when a question was. */
  let trial: { readonly id: string; readonly probe: Probe; readonly answeredAt: number } | undefined;
  let isClosed = false;
  const failed = (error: unknown): void => {
    // The queue closes under what was just noted.
    if (!isClosed) onError(asError(error));
  };

  return {
    /** Wraps each start of a job. @throws NotYet */
    admit: async (run: Run, process: () => Promise<void>): Promise<void> => {
      const takenAt = performance.now();
      // Lets a job go where the circuit cannot be read.
      const admitted = await breaker.admit().catch((error: unknown) => {
        failed(error);
        return 'go' as const;
      });
      if (admitted === 'go') {
        // Another worker may have the job by now: the batch would be sent twice at the same time.
        if (performance.now() - takenAt >= LOCK_MS) throw new NotYet(0);
        return process();
      }
      options.opened();
      if (typeof admitted === 'number') throw new NotYet(admitted);
      try {
        const nothing = await askFirst(run, options);
        if (nothing !== undefined) throw new NotYet((await admitted.failed(nothing)) ?? 0);
        trial = { id: run.id, probe: admitted, answeredAt: Date.now() };
        await process();
      } finally {
        trial = undefined;
        await admitted.leave().catch(failed);
      }
    },
    called: (
      call: CallRecord,
      rate?: Pick<Rate, 'askedMs'>,
      { recovers = false }: Pick<CallContext, 'recovers'> = {},
    ): void => {
      if (!isAnswer(call)) return;
      const asksToWait = call.kind === 'slow-down';
      const waitsUntil = rate?.askedMs === undefined ? null : Date.now() + rate.askedMs;
      const recovered = recovers && !asksToWait && call.kind !== 'again';
      breaker.answered(asksToWait, { waitsUntil, recovered }).catch(failed);
    },
    /** Ms that a job waits whose call was not answered, and that uses no attempt; undefined where it uses one. */
    unanswered: async (...[jobId, verdict, at]: Parameters<UnansweredListener>): Promise<Unanswered> => {
      if (!isNoAnswer(verdict)) return {};
      const nothing = noAnswer(verdict, at);
      try {
        if (trial?.id === jobId) {
          const { probe, answeredAt } = trial;
          // The service answers other calls: this one is the batch's own.
          await probe.failed(nothing);
          return { answeredAt, recoveredAt: breaker.seen().recoveredAt };
        }
        const waitMs = await breaker.unanswered(nothing);
        return waitMs === undefined ? breaker.seen() : { waitMs };
      } catch (error) {
        failed(error);
        return {};
      }
    },
    /** Asks the service about a group: whether it answers, and not with a refusal of the key or the plan. */
    isServed: async (): Promise<boolean> => {
      try {
        await chat.getGroup(PROBE);
        return true;
      } catch (error) {
        const verdict = judgeReading(error);
        return isAnswer(verdict) && verdict.kind !== 'stop-region';
      }
    },
    /** To be called when no job runs any more. */
    close: (): void => {
      isClosed = true;
    },
  };
}

/** A question that changes nothing: a batch would be uncertain after it. */
async function askFirst(
  { payload, attemptsMade, signal }: Run,
  { chat, called }: RegionCircuitOptions,
): Promise<NoAnswer | undefined> {
  const { share, guid } = payload;
  const about = { share, job: PROBE, operation: 'group', attempt: attemptsMade + 1 };
  const look = () => chat.getGroup(guid === '' ? PROBE : guid, { signal });
  const made = await makeCall({ called }, about, look, () => undefined, judgeReading);
  if ('aborted' in made) throw made.aborted;
  return 'answer' in made || isAnswer(made.verdict) ? undefined : noAnswer(made.verdict, made.call.at);
}

/** Whether the service answered a call, even if only to refuse it, or if the answer met a fault of ours. */
function isAnswer(call: Pick<Verdict, 'httpStatus' | 'code'> & { readonly kind: string }): boolean {
  return call.httpStatus !== null && !isNoAnswer(call) && call.code !== BARE_404;
}

/** A message of the service may name a user. Without a reply it is that of the network, or of a fault of ours. */
function noAnswer(
  { code, message, httpStatus }: Pick<Verdict, 'code' | 'message' | 'httpStatus'>,
  at: number,
): NoAnswer {
  return { at, code, message: httpStatus === null ? message : '' };
}

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
