import type { ActingOptions, ReplyMeta } from '../src/chat/call.ts';
import {
  backoffMs,
  type EditVerdict,
  isNoAnswer,
  MAX_BACKOFF_MS,
  MIN_WAIT_MS,
  type Verdict,
} from '../src/chat/error-policy.ts';
import type { Rate } from '../src/chat/rate-headers.ts';
import { isError, type RollcallError } from '../src/errors/rollcall-error.ts';
import type { BatchResult, CallRecord, Sent } from '../src/imports/record/batch-result.ts';
import type { Outcome } from '../src/membership/outcome.ts';
import { defineJob, type JobDefinition, type JobRun, SlowDown } from '../src/queue/define-job.ts';
import { counted, utcTime } from '../src/text/wording.ts';
import { type BatchPayload, endsWorkers, MAX_DEATHS, type ResultAddress, uncertaintyOf } from './batch-payload.ts';
import { afterRefusal, type Ended, type Unanswered } from './batch-policy.ts';

/**
 * The common part of the jobs of a region's queue: each start makes one call for one batch, and every batch ends in one
 * result. add-members.ts, import-members.ts, edit-member.ts and create-missing.ts say which call it is, and what its answer means.
 *
 * Queue     add-members-<region>-<app>, one per rate limit of the service; each start of a job is one call.
 * Output    a BatchResult through the port `deliver`, however the batch ends: without a result it would be lost.
 * Retries   as batch-policy.ts says, with backoff; waiting for the rate limit or for a service that is away counts as no call.
 * Repeats   the same batch may be sent twice (a lost reply, a dead worker): `uncertainty` says why, and so does the outcome.
 */

/** Gets every call when it has ended, with what the reply said about the rate limit. */
export type CallListener = (call: CallRecord, rate: Rate | undefined, about: CallContext) => void;

/** A call, its purpose and the service's answer. */
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

/** The parts that every kind of batch reports to while it is sent. */
export interface BatchPorts {
  /** Resolves when the result is safe. */
  deliver(to: ResultAddress, result: BatchResult): Promise<void>;
  /** Stops further calls of this region: its key or plan was refused. */
  stopRegion(): Promise<void>;
  /** Lets the region wait, in ms. */
  slowDown?(waitMs: number): Promise<void>;
  /** Returns the wait in ms after a refusal for too many calls that names none. */
  untoldWaitMs?(): number;
  called?: CallListener;
  unanswered?: UnansweredListener;
  /** Gets the number of rows for each outcome, once the result is safe. Batches that are split or sent again report at their end. */
  settled?(outcome: Outcome, rows: number): void;
  /** The call of a batch begins. */
  starting?(to: ResultAddress): void;
}

type CallVerdict = Verdict | EditVerdict;

/** One kind of call. */
export interface BatchCall<Payload extends BatchPayload, Ports extends BatchPorts, Reply extends ReplyMeta> {
  /** Name of the job. */
  readonly name: string;
  /** The operation of this batch, where it differs between batches. */
  readonly operation?: (batch: Payload) => string;
  send(ports: Ports, batch: Payload, options: ActingOptions): Promise<Reply>;
  judge(batch: Payload, error: unknown): CallVerdict;
  readAnswer(batch: Payload, reply: Reply, ended: Ended): Sent;
  /** Outcome of a refusal that neither a repeat nor waiting would change. */
  readRefusal(batch: Payload, verdict: CallVerdict): Sent;
  /** UIDs of the call: a batch of several can be cut in two. Default: 1. */
  readonly size?: (batch: Payload) => number;
  /** Whether the service can be asked what became of a call: it has the last word where nothing more is sent. */
  readonly asks?: (ports: Ports, batch: Payload) => boolean;
  /** A repeat does no harm, and says of each row whether it was carried out before. */
  readonly repeatsSay?: (batch: Payload) => boolean;
  /** Every row, with its outcome if the call succeeds. */
  rows(batch: Payload): readonly (readonly [row: number, success: Outcome])[];
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

/** Settings of a job that sends a batch. Its policy says when it ends (batch-policy.ts): the queue's attempts are for faults of ours. */
export const SENDING = {
  attempts: 1_000,
  backoffMs: (attemptsMade: number, error: Error | undefined): number => {
    if (!(error instanceof SendAgain)) return backoffMs(attemptsMade, Math.random());
    return Math.max(backoffMs(error.tries, Math.random()), error.waitMs ?? 0);
  },
};

/** Defines the job of a kind of call. A batch that keeps killing its workers must still end in an outcome; `process` starts any other. */
export function batchJob<Payload extends BatchPayload, Ports extends BatchPorts>(
  kind: Pick<BatchCall<Payload, never, never>, 'name' | 'rows'>,
  payload: JobDefinition<Payload, Ports>['payload'],
  process: JobDefinition<Payload, Ports>['process'],
) {
  return defineJob<Payload, Ports>({
    name: kind.name,
    version: 1,
    payload,
    ...SENDING,
    process: async (job, ports) => {
      const { payload: stored, starts } = job;
      const batch = { ...stored, uncertainty: uncertaintyOf(stored, starts - 1) };
      if (!endsWorkers(batch, starts)) return process({ ...job, payload: batch }, ports);
      const message = `${MAX_DEATHS} workers took this batch and ended without a result`;
      const sent = { kind: 'unanswered', maybeCarriedOut: true, code: 'WORKERS_DIED', message } as const;
      return endBatch(kind, ports, batch, sent);
    },
  });
}

/** One start of a job: makes one call, and delivers the result unless the batch is sent again. */
export async function sendBatch<Payload extends BatchPayload, Ports extends BatchPorts, Reply extends ReplyMeta>(
  kind: BatchCall<Payload, Ports, Reply>,
  job: JobRun<Payload>,
  ports: Ports,
): Promise<void> {
  const { payload: batch } = job;
  const at = Date.now();
  const startedAt = performance.now();
  const noteCall = (means: CallRecord['kind'], code: string, httpStatus: number | null): CallRecord => ({
    at,
    ms: Math.round(performance.now() - startedAt),
    httpStatus,
    code,
    kind: means,
  });
  let call: CallRecord;
  let sent: Sent;
  ports.starting?.(batch);
  try {
    // In a function of its own: the reply, with an object for each UID, must not stay until its outcome is written.
    [call, sent] = await kind
      .send(ports, batch, { onBehalfOf: batch.onBehalfOf, signal: job.signal })
      .then((reply): [CallRecord, Sent] => {
        const answered = noteCall('answered', '', reply.httpStatus);
        ports.called?.(answered, reply.rate, contextOf(kind, job));
        return [answered, kind.readAnswer(batch, reply, endedOf(kind, ports, batch, at))];
      });
  } catch (error) {
    if (isError(error, 'ABORTED')) return givenUp(job, batch, error, noteCall('again', error.code, null));
    const verdict = withWait(verdictOf(kind, batch, error), ports);
    // "It is so already" counts as an answer; the row keeps the code.
    call =
      verdict.kind === 'in-place'
        ? noteCall('answered', '', verdict.httpStatus)
        : { ...noteCall(verdict.kind, verdict.code, verdict.httpStatus), ...saidOf(verdict, error) };
    ports.called?.(
      call,
      isError(error, 'REFUSED') ? error.facts.rate : undefined,
      contextOf(kind, job, verdict, error),
    );
    return refused(kind, job, ports, batch, verdict, call);
  }
  await endBatch(kind, ports, { ...batch, calls: [...batch.calls, call] }, sent, endOf(call));
  if ('again' in sent && sent.again?.slowsDown) await ports.slowDown?.(untoldWait(ports));
}

/** The same verdict; one for too many calls has a wait. */
export function withWait<Judged extends Pick<CallVerdict, 'kind' | 'waitMs'>>(
  verdict: Judged,
  ports: Pick<BatchPorts, 'untoldWaitMs'>,
): Judged {
  const isUntold = verdict.kind === 'slow-down' && verdict.waitMs === undefined;
  return isUntold ? { ...verdict, waitMs: untoldWait(ports) } : verdict;
}

function untoldWait({ untoldWaitMs }: Pick<BatchPorts, 'untoldWaitMs'>): number {
  return untoldWaitMs?.() ?? MIN_WAIT_MS;
}

/** Lets a batch wait that must not be sent yet. @throws SendAgain */
export async function startLater<Payload extends BatchPayload>({ payload, update }: JobRun<Payload>): Promise<void> {
  const { standing: before, handedBack } = payload;
  const waitMs = Math.min((before?.notBefore ?? 0) - Date.now(), MAX_BACKOFF_MS);
  if (before === undefined || waitMs <= 0) return;
  // It waits once, because clocks differ between machines.
  await update({ ...payload, handedBack: handedBack + 1, standing: { ...before, notBefore: undefined } });
  throw new SendAgain({ code: 'NOT_BEFORE', message: 'it is sent later', waitMs }, 0);
}

function endedOf<Payload extends BatchPayload, Ports extends BatchPorts>(
  { size, asks, repeatsSay }: Pick<BatchCall<Payload, Ports, never>, 'size' | 'asks' | 'repeatsSay'>,
  ports: Ports,
  batch: Payload,
  at: number,
): Ended {
  return {
    standing: batch.standing,
    at,
    now: Date.now(),
    size: size?.(batch) ?? 1,
    asks: asks?.(ports, batch) ?? false,
    repeatsSay: repeatsSay?.(batch),
  };
}

function contextOf<Payload extends BatchPayload>(
  { name, operation }: Pick<BatchCall<Payload, never, never>, 'name' | 'operation'>,
  { payload }: JobRun<Payload>,
  verdict?: CallVerdict,
  error?: unknown,
): CallContext {
  const { importId, batch, share, calls, standing } = payload;
  const tries = standing?.tries ?? 0;
  return {
    share,
    job: name,
    operation: operation?.(payload) ?? name,
    importId,
    batch,
    attempt: tries + 1,
    recovers: tries > 0 && calls.at(-1)?.kind === 'again',
    message: verdict?.message ?? '',
    waitMs: verdict?.waitMs,
    requestId: requestIdIn(error),
  };
}

/** Characters of the service's message that are kept with a refused call. */
const MAX_SAID = 300;

function saidOf({ message }: CallVerdict, error: unknown): Pick<CallRecord, 'message' | 'requestId'> {
  const requestId = requestIdIn(error);
  return {
    ...(message !== '' && { message: message.slice(0, MAX_SAID) }),
    ...(requestId !== null && { requestId }),
  };
}

export function requestIdIn(error: unknown): string | null {
  return isError(error, 'REFUSED') ? (error.facts.requestId ?? null) : null;
}

/** Ends a batch with the calls that its payload has. @param at of the end, in ms since 1970 */
export async function endBatch<Payload extends BatchPayload>(
  kind: Pick<BatchCall<Payload, never, never>, 'rows'>,
  ports: BatchPorts,
  batch: Payload,
  sent: Sent,
  at = Date.now(),
): Promise<void> {
  const { region, calls, uncertainty } = batch;
  await ports.deliver(batch, { batch: batch.batch, region, calls, uncertainty, sent, at });
  if (ports.settled === undefined) return;
  for (const [outcome, rows] of settledBy(kind.rows(batch), sent)) ports.settled(outcome, rows);
}

/** A fault of ours says nothing about the batch, but the batch must not be lost: it ends as unanswered. */
function verdictOf<Payload extends BatchPayload>(
  kind: Pick<BatchCall<Payload, never, never>, 'judge'>,
  batch: Payload,
  error: unknown,
): CallVerdict {
  try {
    return kind.judge(batch, error);
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault);
    return { kind: 'again', code: 'WORKER_FAULT', message, httpStatus: null, maybeCarriedOut: true };
  }
}

/** The process stops: the batch goes back into the queue, and notes whether this call may have been carried out. */
async function givenUp<Payload extends BatchPayload>(
  job: JobRun<Payload>,
  batch: Payload,
  error: RollcallError<'ABORTED'>,
  call: CallRecord,
): Promise<never> {
  const uncertainty = 'the process that sent it was stopped before an answer came';
  if (error.facts.maybeCarriedOut) await job.update({ ...batch, calls: [...batch.calls, call], uncertainty });
  else await job.update({ ...batch, handedBack: batch.handedBack + 1 });
  throw error;
}

async function refused<Payload extends BatchPayload, Ports extends BatchPorts, Reply extends ReplyMeta>(
  kind: BatchCall<Payload, Ports, Reply>,
  job: JobRun<Payload>,
  ports: Ports,
  batch: Payload,
  verdict: CallVerdict,
  call: CallRecord,
): Promise<void> {
  const { code, message } = verdict;
  const uncertainty = verdict.maybeCarriedOut ? `an earlier call got no usable answer (${code})` : batch.uncertainty;
  const region = verdict.kind === 'again' ? ((await ports.unanswered?.(job.id, verdict, call.at)) ?? {}) : {};
  const next = afterRefusal(verdict, endedOf(kind, ports, batch, call.at), region);
  const noted = { ...batch, calls: [...batch.calls, call], uncertainty };
  switch (next.step) {
    case 'wait':
      await job.update({ ...noted, standing: next.standing });
      throw new SlowDown(next.waitMs);
    case 'again':
      await job.update({ ...noted, standing: next.standing });
      throw new SendAgain(verdict, next.standing.tries);
    case 'halve':
      return endBatch(kind, ports, noted, { kind: 'halve', standing: next.standing, code, message }, endOf(call));
    case 'end': {
      const said = isNoAnswer(verdict) ? unansweredMessage(noted.calls, region.answeredAt ?? 0, message) : message;
      if (kind.asks?.(ports, noted) && uncertainty !== null) {
        await job.update({ ...noted, standing: { ...next.standing, ended: { code, message: said } } });
        throw new SlowDown(0);
      }
      const maybeCarriedOut = uncertainty !== null;
      return endBatch(kind, ports, noted, { kind: 'unanswered', maybeCarriedOut, code, message: said }, endOf(call));
    }
    case 'stop-region':
      await ports.stopRegion();
      return endBatch(kind, ports, noted, { kind: 'stop-region', code, message }, endOf(call));
    case 'refused':
      return endBatch(kind, ports, noted, kind.readRefusal(noted, verdict), endOf(call));
  }
}

function endOf({ at, ms }: CallRecord): number {
  return at + ms;
}

/** Number of rows by outcome, as far as this result settles them. */
function settledBy(rows: readonly (readonly [row: number, success: Outcome])[], sent: Sent): Map<Outcome, number> {
  const settled = new Map<Outcome, number>();
  const add = (outcome: Outcome, count: number) => settled.set(outcome, (settled.get(outcome) ?? 0) + count);
  if (sent.kind === 'refused') add(sent.outcome, rows.length);
  if (sent.kind === 'group') add('failed', rows.length);
  if (sent.kind === 'unanswered') add(sent.maybeCarriedOut ? 'unconfirmed' : 'failed', rows.length);
  if (sent.kind === 'answered' || (sent.kind === 'made' && sent.outcome === 'created' && sent.code === '')) {
    const unlike = new Set(sent.missing);
    for (const { row, outcome } of sent.others) {
      unlike.add(row);
      add(outcome, 1);
    }
    for (const [row, success] of rows) if (!unlike.has(row)) add(success, 1);
  }
  return settled;
}

/** Called before a call that was not answered is repeated. */
export type UnansweredListener = (jobId: string, verdict: UnansweredCall, at: number) => Promise<Unanswered>;

type UnansweredCall = Pick<CallVerdict, 'kind' | 'code' | 'message' | 'httpStatus'>;

/** Message for a batch that got no answer until its last attempt. */
function unansweredMessage(calls: readonly CallRecord[], answeredAt: number, message: string): string {
  const unanswered = calls.filter(({ kind }) => kind === 'again');
  const since = unanswered[0]?.at ?? 0;
  const others = answeredAt >= since ? ', while other calls of the region were answered' : '';
  return `${counted(unanswered.length, 'call')} since ${utcTime(since)} got no usable answer${others}; the last one: ${message}`;
}
