import type { ReplyMeta } from '../src/chat/call.ts';
import type { ChatClient } from '../src/chat/chat-client.ts';
import { backoffMs, type EditVerdict, MIN_WAIT_MS, type Verdict } from '../src/chat/error-policy.ts';
import type { Rate } from '../src/chat/rate-headers.ts';
import { isError, messageOf, type RollcallError } from '../src/errors/rollcall-error.ts';
import type { CallRecord } from '../src/imports/record/batch-result.ts';
import type { Unanswered } from './batch-policy.ts';

/** One call of a job of a region's queue: it is made, its end is judged, and those who watch are told. */

/** Gets every call when it has ended. */
export type CallListener = (call: CallRecord, rate: Rate | undefined, about: CallContext) => void;

/** The purpose of a call, and what the service said. */
export interface CallContext {
  /** The share of the budget, from the payload. */
  readonly share: number | undefined;
  /** Name of the job's definition. */
  readonly job: string;
  /** The operation that was called: operations may have budgets of their own. */
  readonly operation: string;
  /** Absent for a call that only reads. */
  readonly importId?: string;
  readonly batch?: number;
  /** From 1; waiting for the rate limit is not an attempt. */
  readonly attempt: number;
  /** Its last call got no answer, while others did. */
  readonly recovers?: boolean;
  /** The service's explanation of the refusal, which may name UIDs; empty when the call was answered. */
  readonly message: string;
  /** The wait that the service asks for, in ms. */
  readonly waitMs?: number | undefined;
  /** The service's id of the request; null if it gives none. */
  readonly requestId: string | null;
}

/** Called before a call that was not answered is repeated. */
export type UnansweredListener = (
  jobId: string,
  verdict: Pick<CallVerdict, 'kind' | 'code' | 'message' | 'httpStatus'>,
  at: number,
) => Promise<Unanswered>;

/** The client that every job calls with, and those who follow its calls. */
export interface CallPorts {
  readonly chat: ChatClient;
  called?: CallListener;
  unanswered?: UnansweredListener;
  /** Returns the wait in ms after a refusal for too many calls that names none. */
  untoldWaitMs?(): number;
}

export type CallVerdict = Verdict | EditVerdict;

/** A call that has ended: `answer` is what was read in its reply. */
type Made<Answer, Judged> = { readonly call: CallRecord } & (
  | { readonly answer: Answer }
  | { readonly verdict: Judged }
  /** The process stops. */
  | { readonly aborted: RollcallError<'ABORTED'> }
);

/** Makes one call, reads its reply, which is large and not kept, and tells of it. @param read gets the start of the call, in ms since 1970 */
export async function makeCall<
  Reply extends Pick<ReplyMeta, 'httpStatus' | 'rate'>,
  Answer,
  Judged extends CallVerdict,
>(
  ports: Pick<CallPorts, 'called' | 'untoldWaitMs'>,
  about: Omit<CallContext, 'message' | 'waitMs' | 'requestId'>,
  send: () => Promise<Reply>,
  read: (reply: Reply, at: number) => Answer,
  judge: (error: unknown) => Judged,
): Promise<Made<Answer, Judged | Verdict>> {
  const at = Date.now();
  const startedAt = performance.now();
  const ended = (kind: CallRecord['kind'], code: string, httpStatus: number | null): CallRecord => ({
    at,
    ms: Math.round(performance.now() - startedAt),
    httpStatus,
    code,
    kind,
  });
  let reply: Reply | undefined;
  let answer: Answer;
  try {
    reply = await send();
    answer = read(reply, at);
  } catch (error) {
    if (isError(error, 'ABORTED')) return { call: ended('again', error.code, null), aborted: error };
    const verdict = withWait(judged(judge, error, reply?.httpStatus ?? null), ports);
    const { kind, code, message, httpStatus, waitMs } = verdict;
    const { rate, requestId = null } = isError(error, 'REFUSED') ? error.facts : { rate: reply?.rate };
    const call =
      // "It is so already" counts as an answer; the row keeps the code.
      kind === 'in-place'
        ? ended('answered', '', httpStatus)
        : {
            ...ended(kind, code, httpStatus),
            ...(message !== '' && { message: message.slice(0, MAX_SAID) }),
            ...(requestId !== null && { requestId }),
          };
    ports.called?.(call, rate, { ...about, message, waitMs, requestId });
    return { call, verdict };
  }
  const call = ended('answered', '', reply.httpStatus);
  ports.called?.(call, reply.rate, { ...about, message: '', requestId: null });
  return { call, answer };
}

/** Characters of the service's message that are kept with a refused call. */
const MAX_SAID = 300;

/** A fault of ours says nothing about the call, but its job must not be lost: it ends as unanswered. */
function judged<Judged>(
  judge: (error: unknown) => Judged,
  error: unknown,
  httpStatus: number | null,
): Judged | Verdict {
  try {
    return judge(error);
  } catch (fault) {
    return { kind: 'again', code: 'WORKER_FAULT', message: messageOf(fault), httpStatus, maybeCarriedOut: true };
  }
}

/** A refusal for too many calls has a wait. */
export function withWait<Judged extends Pick<CallVerdict, 'kind' | 'waitMs'>>(
  verdict: Judged,
  ports: Pick<CallPorts, 'untoldWaitMs'>,
): Judged {
  const isUntold = verdict.kind === 'slow-down' && verdict.waitMs === undefined;
  return isUntold ? { ...verdict, waitMs: untoldWait(ports) } : verdict;
}

export function untoldWait({ untoldWaitMs }: Pick<CallPorts, 'untoldWaitMs'>): number {
  return untoldWaitMs?.() ?? MIN_WAIT_MS;
}

/** Thrown so that the queue starts the job again. */
export class SendAgain extends Error {
  /** Calls so far that count; the wait grows with them. */
  readonly tries: number;
  /** The shortest wait, if there is one. */
  readonly waitMs: number | undefined;

  constructor({ code, message, waitMs }: Pick<CallVerdict, 'code' | 'message' | 'waitMs'>, tries: number) {
    super(`${code}: ${message}`);
    this.name = 'SendAgain';
    this.tries = tries;
    this.waitMs = waitMs;
  }
}

/** Wait before a job calls again, in ms. */
export function callAgainMs(attemptsMade: number, error: Error | undefined): number {
  if (!(error instanceof SendAgain)) return backoffMs(attemptsMade, Math.random());
  return Math.max(backoffMs(error.tries, Math.random()), error.waitMs ?? 0);
}
