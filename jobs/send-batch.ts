import type { ActingOptions, ReplyMeta } from '../src/chat/call.ts';
import type { ChatClient } from '../src/chat/chat-client.ts';
import { isNoAnswer, MAX_BACKOFF_MS } from '../src/chat/error-policy.ts';
import type { BatchResult, CallRecord, Sent } from '../src/imports/record/batch-result.ts';
import type { Outcome } from '../src/membership/outcome.ts';
import type { AskBeforeRepeat } from '../src/platform/settings.ts';
import { type JobDefinition, type JobRun, SlowDown } from '../src/queue/job-definition.ts';
import { counted, utcTime } from '../src/text/wording.ts';
import type { BatchPayload, ResultAddress } from './batch-payload.ts';
import { afterRefusal, type Ended, endsWorkers, MAX_DEATHS, uncertaintyOf } from './batch-policy.ts';
import { type CallPorts, type CallVerdict, callAgainMs, makeCall, SendAgain, untoldWait } from './service-call.ts';

/**
 * The common part of the jobs of a region's queue: each start makes one call for one batch, and every batch ends in one
 * result. add-members.ts, import-members.ts, edit-member.ts and create-missing.ts say which call it is, and what its answer means.
 *
 * Queue     add-members-<region>-<app>, one per rate limit of the service.
 * Retries   as batch-policy.ts says, with backoff; waiting for the rate limit or for a service that is away counts as no call.
 * Repeats   the same batch may be sent twice (a lost reply, a dead worker): `uncertainty` says why, and so does the outcome.
 */

/** The parts that a batch reports to while it is sent. */
export interface BatchPorts extends CallPorts {
  /** Whether a group is asked before a call is repeated. Absent: never. */
  readonly askBeforeRepeat?: AskBeforeRepeat | undefined;
  /** Resolves when the result is safe. */
  deliver(to: ResultAddress, result: BatchResult): Promise<void>;
  /** Stops further calls of this region: its key or plan was refused. */
  stopRegion(): Promise<void>;
  /** Lets the region wait, in ms. */
  slowDown?(waitMs: number): Promise<void>;
  /** Gets the number of rows for each outcome, once the result is safe. Batches that are split or sent again report at their end. */
  settled?(outcome: Outcome, rows: number): void;
  /** The call of a batch begins. */
  readonly starting?: ((to: ResultAddress) => void) | undefined;
}

/** One kind of call. */
interface BatchCall<Payload extends BatchPayload, Reply extends ReplyMeta = ReplyMeta> {
  readonly name: string;
  readonly payload: JobDefinition<Payload, BatchPorts>['payload'];
  /** The operation of this batch, where it differs between batches. */
  readonly operation?: (batch: Payload) => string;
  /**
   * Called before the call. Resolves with the end of a batch of which nothing more is sent.
   * @throws SlowDown after a question, which takes this start of the job
   */
  readonly settle?: (job: JobRun<Payload>, ports: BatchPorts) => Promise<Sent | undefined>;
  send(chat: ChatClient, batch: Payload, options: ActingOptions): Promise<Reply>;
  judge(batch: Payload, error: unknown): CallVerdict;
  readAnswer(batch: Payload, reply: Reply, ended: Ended): Sent;
  /** Outcome of a refusal that neither a repeat nor waiting would change. */
  readRefusal(batch: Payload, verdict: CallVerdict): Sent;
  /** UIDs of the call: a batch of several can be cut in two. Default: 1. */
  readonly size?: (batch: Payload) => number;
  /** Whether the service can be asked what became of a call: it has the last word where nothing more is sent. Default: yes. */
  readonly asks?: (batch: Payload) => boolean;
  /** A repeat does no harm, and says of each row whether it was carried out before. */
  readonly repeatsSay?: (batch: Payload) => boolean;
  /** Every row, with its outcome if the call succeeds. */
  rows(batch: Payload): readonly (readonly [row: number, success: Outcome])[];
}

/** Attempts of a job that sends a batch. Its policy says when it ends (batch-policy.ts): these are for faults of ours. */
const ATTEMPTS = 1_000;

export function batchJob<Payload extends BatchPayload, Reply extends ReplyMeta>(
  kind: BatchCall<Payload, Reply>,
): JobDefinition<Payload, BatchPorts> {
  return {
    name: kind.name,
    version: 1,
    payload: kind.payload,
    attempts: ATTEMPTS,
    backoffMs: callAgainMs,
    process: async (job, ports) => {
      const { batch, sent, at } = await endOf(kind, job, ports);
      const { region, calls, uncertainty } = batch;
      await ports.deliver(batch, { batch: batch.batch, region, calls, uncertainty, sent, at });
      if (ports.settled !== undefined) {
        for (const [outcome, rows] of settledBy(kind.rows(batch), sent)) ports.settled(outcome, rows);
      }
      if ('again' in sent && sent.again?.slowsDown) await ports.slowDown?.(untoldWait(ports));
    },
  };
}

/** A batch that has ended, with all of its calls. */
interface Ending<Payload> {
  readonly batch: Payload;
  readonly sent: Sent;
  /** End of the last call, in ms since 1970. */
  readonly at: number;
}

/** One start of a job. @throws SlowDown or SendAgain where the batch does not end yet */
async function endOf<Payload extends BatchPayload>(
  kind: BatchCall<Payload>,
  job: JobRun<Payload>,
  ports: BatchPorts,
): Promise<Ending<Payload>> {
  const { payload, starts } = job;
  const batch = { ...payload, uncertainty: uncertaintyOf(payload, starts - 1) };
  // A batch that keeps killing its workers must still end in an outcome.
  if (endsWorkers(batch, starts)) {
    const message = `${MAX_DEATHS} workers took this batch and ended without a result`;
    const sent = { kind: 'unanswered', maybeCarriedOut: true, code: 'WORKERS_DIED', message } as const;
    return { batch, sent, at: Date.now() };
  }
  const run = { ...job, payload: batch };
  if (batch.standing?.notBefore !== undefined) await waitOnce(run);
  const sent = await kind.settle?.(run, ports);
  return sent === undefined ? callOnce(kind, run, ports) : { batch, sent, at: Date.now() };
}

async function callOnce<Payload extends BatchPayload>(
  kind: BatchCall<Payload>,
  job: JobRun<Payload>,
  ports: BatchPorts,
): Promise<Ending<Payload>> {
  const { payload: batch, signal } = job;
  const { importId, share, onBehalfOf, standing, calls } = batch;
  const tries = standing?.tries ?? 0;
  const about = {
    share,
    job: kind.name,
    operation: kind.operation?.(batch) ?? kind.name,
    importId,
    batch: batch.batch,
    attempt: tries + 1,
    recovers: tries > 0 && calls.at(-1)?.kind === 'again',
  };
  ports.starting?.(batch);
  const made = await makeCall(
    ports,
    about,
    () => kind.send(ports.chat, batch, { onBehalfOf, signal }),
    (reply, at) => kind.readAnswer(batch, reply, endedOf(kind, ports, batch, at)),
    (error) => kind.judge(batch, error),
  );
  const { call } = made;
  const called = { ...batch, calls: [...calls, call] };
  if ('answer' in made) return { batch: called, sent: made.answer, at: call.at + call.ms };
  if ('verdict' in made) return refused(kind, job, ports, called, call, made.verdict);
  // The batch goes back into the queue, and notes whether this call may have been carried out.
  const uncertainty = 'the process that sent it was stopped before an answer came';
  await job.update(made.aborted.facts.maybeCarriedOut ? { ...called, uncertainty } : handedBack(batch));
  throw made.aborted;
}

/** @param called the batch with the call */
async function refused<Payload extends BatchPayload>(
  kind: BatchCall<Payload>,
  job: JobRun<Payload>,
  ports: BatchPorts,
  called: Payload,
  call: CallRecord,
  verdict: CallVerdict,
): Promise<Ending<Payload>> {
  const { code, message } = verdict;
  const uncertainty = verdict.maybeCarriedOut ? `an earlier call got no usable answer (${code})` : called.uncertainty;
  const maybeCarriedOut = uncertainty !== null;
  const batch = { ...called, uncertainty };
  const region = verdict.kind === 'again' ? ((await ports.unanswered?.(job.id, verdict, call.at)) ?? {}) : {};
  const ended = endedOf(kind, ports, batch, call.at);
  const next = afterRefusal(verdict, ended, region);
  const endWith = (sent: Sent) => ({ batch, sent, at: call.at + call.ms });
  switch (next.step) {
    case 'wait':
      await job.update({ ...batch, standing: next.standing });
      throw new SlowDown(next.waitMs);
    case 'again':
      await job.update({ ...batch, standing: next.standing });
      throw new SendAgain(verdict, next.standing.tries);
    case 'halve':
      return endWith({ kind: 'halve', standing: next.standing, code, message });
    case 'end': {
      const said = isNoAnswer(verdict) ? unansweredMessage(batch.calls, region.answeredAt ?? 0, message) : message;
      if (!ended.asks || !maybeCarriedOut) return endWith({ kind: 'unanswered', maybeCarriedOut, code, message: said });
      await job.update({ ...batch, standing: { ...next.standing, ended: { code, message: said } } });
      throw new SlowDown(0);
    }
    case 'stop-region':
      await ports.stopRegion();
      return endWith({ kind: 'stop-region', code, message });
    case 'refused':
      return endWith(kind.readRefusal(batch, verdict));
  }
}

function endedOf<Payload extends BatchPayload>(
  { size, asks, repeatsSay }: BatchCall<Payload>,
  ports: BatchPorts,
  batch: Payload,
  at: number,
): Ended {
  return {
    standing: batch.standing,
    at,
    now: Date.now(),
    size: size?.(batch) ?? 1,
    asks: asksGroups(ports) && (asks?.(batch) ?? true),
    repeatsSay: repeatsSay?.(batch),
  };
}

/** Whether a group is asked what became of a call. */
export function asksGroups({ askBeforeRepeat = 'never' }: Pick<BatchPorts, 'askBeforeRepeat'>): boolean {
  return askBeforeRepeat !== 'never';
}

/** Notes a start that made no call of the batch. */
export function handedBack<Payload extends BatchPayload>(batch: Payload): Payload {
  return { ...batch, handedBack: batch.handedBack + 1 };
}

/** Lets a batch wait that must not be sent yet. @throws SendAgain */
async function waitOnce<Payload extends BatchPayload>({ payload, update }: JobRun<Payload>): Promise<void> {
  const { standing } = payload;
  const waitMs = Math.min((standing?.notBefore ?? 0) - Date.now(), MAX_BACKOFF_MS);
  if (standing === undefined || waitMs <= 0) return;
  // It waits once, because clocks differ between machines.
  await update({ ...handedBack(payload), standing: { ...standing, notBefore: undefined } });
  throw new SendAgain({ code: 'NOT_BEFORE', message: 'it is sent later', waitMs }, 0);
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

/** Message for a batch that got no answer until its last attempt. */
function unansweredMessage(calls: readonly CallRecord[], answeredAt: number, message: string): string {
  const unanswered = calls.filter(({ kind }) => kind === 'again');
  const since = unanswered[0]?.at ?? 0;
  const others = answeredAt >= since ? ', while other calls of the region were answered' : '';
  return `${counted(unanswered.length, 'call')} since ${utcTime(since)} got no usable answer${others}; the last one: ${message}`;
}
