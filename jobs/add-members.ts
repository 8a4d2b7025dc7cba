import { z } from 'zod';
import type { AddMembersResult, ChatClient } from '../src/chat/client.ts';
import { type AddMembersRequest, MEMBER_LISTS, type MemberList } from '../src/chat/contract.ts';
import { backoffMs, judge, readEntry, refusedOutcome, type Verdict } from '../src/chat/error-policy.ts';
import { CallAborted, ServiceRefusal } from '../src/chat/errors.ts';
import type { Rate } from '../src/chat/rate-headers.ts';
import type { BatchResult, CallRecord, RowOutcome, Sent } from '../src/ledger/batch-result.ts';
import { REGIONS } from '../src/membership/membership.ts';
import type { Outcome } from '../src/membership/outcome.ts';
import { defineJob, type JobRun, SlowDown } from '../src/queue/define-job.ts';

/**
 * add-members: sends one batch to the chat service, once, and gives one outcome per UID.
 *
 * Queue     add-members-<region>-<app>, one per rate limit of the service; each start of a job is one call.
 * Input     the batch, and the calls that were made for it before.
 * Output    a BatchResult through the port `deliver`. Every end is delivered: a batch without a result would be lost.
 * Retries   up to ATTEMPTS calls, with backoff, when no answer came; waiting for the rate limit is not an attempt.
 * Repeats   the same batch may be sent twice (a lost reply, a dead worker). "Already a member" on a repeat says so.
 */
export const ATTEMPTS = 8;

/** Starts of a batch that ended neither in a call that was noted nor in a result: then it is not tried any more. */
const MOST_DEATHS = 10;

export const callRecord = z.object({
  at: z.int(),
  ms: z.int(),
  httpStatus: z.int().nullable(),
  code: z.string(),
  kind: z.enum(['answered', 'again', 'slow-down', 'halve', 'group', 'stop-region', 'final']),
});

/** Rows of a list as [row number, UID]. */
const listed = z.array(z.tuple([z.int(), z.string()]));

const payload = z.object({
  version: z.literal(1),
  importId: z.string(),
  /** Queue of the coordinator that waits for the result; null when it is in the worker's process. */
  replyTo: z.string().nullable(),
  batch: z.int(),
  region: z.enum(REGIONS),
  guid: z.string(),
  onBehalfOf: z.string(),
  /** Why an earlier call for these rows may have been carried out; null when none can have been. */
  doubt: z.string().nullable(),
  lists: z.partialRecord(z.enum(MEMBER_LISTS), listed),
  calls: z.array(callRecord),
  /** Starts that ended before a call was sent, because the worker's process left. */
  handedBack: z.int(),
});
export type AddMembersPayload = z.infer<typeof payload>;

/** Whose result it is. */
export type ResultAddress = Pick<AddMembersPayload, 'importId' | 'replyTo'>;

export interface AddMembersPorts {
  readonly chat: Pick<ChatClient, 'addMembers'>;
  /** Resolves when the result is safe. */
  deliver(to: ResultAddress, result: BatchResult): Promise<void>;
  /** Keeps further calls of this region from starting: its key or plan was refused. */
  stopRegion(): Promise<void>;
  /** Told of every call that ended, with what the reply said about the rate limit. */
  called?(call: CallRecord, rate: Rate | undefined): void;
  /** Told how many rows got which outcome, when that is safe. Batches that are cut or sent again tell it at their end. */
  settled?(outcome: Outcome, rows: number): void;
}

/** Thrown to have the queue send the batch again; `waitMs` where the service said how long to wait. */
export class SendAgain extends Error {
  readonly waitMs: number | undefined;

  constructor({ code, message, waitMs }: Verdict) {
    super(`${code}: ${message}`);
    this.name = 'SendAgain';
    this.waitMs = waitMs;
  }
}

export const addMembers = defineJob<AddMembersPayload, AddMembersPorts>({
  name: 'add-members',
  version: 1,
  payload,
  attempts: ATTEMPTS,
  backoffMs: (attemptsMade, error) =>
    Math.max(backoffMs(attemptsMade, Math.random()), error instanceof SendAgain ? (error.waitMs ?? 0) : 0),
  process: async (job, ports) => {
    const batch = sawWorkerDie(job) ? { ...job.payload, doubt: 'a worker ended in the middle of it' } : job.payload;
    if (unexplainedStarts(job) > MOST_DEATHS) return endPoison(ports, batch);
    const at = Date.now();
    const startedAt = performance.now();
    const noteCall = (kind: CallRecord['kind'], code: string, httpStatus: number | null): CallRecord => ({
      at,
      ms: Math.round(performance.now() - startedAt),
      httpStatus,
      code,
      kind,
    });
    let call: CallRecord;
    let sent: Sent;
    try {
      const reply = await ports.chat.addMembers(batch.guid, requestOf(batch), {
        onBehalfOf: batch.onBehalfOf,
        signal: job.signal,
      });
      call = noteCall('answered', '', reply.httpStatus);
      ports.called?.(call, reply.rate);
      sent = readAnswer(batch, reply);
    } catch (error) {
      if (error instanceof CallAborted) return givenUp(job, batch, error, noteCall('again', error.code, null));
      const verdict = verdictOf(error, batch);
      call = noteCall(verdict.kind, verdict.code, verdict.httpStatus);
      ports.called?.(call, error instanceof ServiceRefusal ? error.rate : undefined);
      return refused(job, ports, batch, verdict, call);
    }
    await deliver(ports, batch, call, sent);
  },
});

/** A batch with which worker after worker died ends as an outcome, never in silence. */
function endPoison(ports: AddMembersPorts, batch: AddMembersPayload): Promise<void> {
  const { region, calls } = batch;
  const message = `${MOST_DEATHS} workers took this batch and ended without a result`;
  const sent: Sent = { kind: 'unanswered', maybeCarriedOut: true, code: 'WORKERS_DIED', message };
  return ports.deliver(batch, { batch: batch.batch, region, calls, doubt: batch.doubt, sent, at: Date.now() });
}

/** A fault of ours is no statement of the service, but a batch must not vanish with it: it ends as unanswered. */
function verdictOf(error: unknown, batch: AddMembersPayload): Verdict {
  try {
    return judge(error, sizeOf(batch), batch.onBehalfOf);
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault);
    return { kind: 'again', code: 'WORKER_FAULT', message, httpStatus: null, maybeCarriedOut: true };
  }
}

/** The process leaves: the batch goes back to where it came from, with the doubt that this call has raised. */
async function givenUp(
  job: JobRun<AddMembersPayload>,
  batch: AddMembersPayload,
  error: CallAborted,
  call: CallRecord,
): Promise<never> {
  const doubt = 'the process that sent it was stopped before an answer came';
  if (error.maybeCarriedOut) await job.update({ ...batch, calls: [...batch.calls, call], doubt });
  else await job.update({ ...batch, handedBack: batch.handedBack + 1 });
  throw error;
}

async function refused(
  job: JobRun<AddMembersPayload>,
  ports: AddMembersPorts,
  batch: AddMembersPayload,
  verdict: Verdict,
  call: CallRecord,
): Promise<void> {
  const { kind, code, message } = verdict;
  const doubt = verdict.maybeCarriedOut ? `an earlier call got no usable answer (${code})` : batch.doubt;
  const calls = [...batch.calls, call];
  switch (kind) {
    case 'slow-down':
      await job.update({ ...batch, calls });
      throw new SlowDown(verdict.waitMs ?? 0);
    case 'again':
      if (job.isLastAttempt) {
        const sent: Sent = { kind: 'unanswered', maybeCarriedOut: doubt !== null, code, message };
        return deliver(ports, { ...batch, doubt }, call, sent);
      }
      await job.update({ ...batch, calls, doubt });
      throw new SendAgain(verdict);
    case 'stop-region':
      await ports.stopRegion();
      return deliver(ports, batch, call, { kind, code, message });
    case 'halve':
    case 'group':
      return deliver(ports, batch, call, { kind, code, message });
    case 'final':
      return deliver(ports, batch, call, { kind: 'refused', outcome: finalOutcome(batch, code), code, message });
  }
}

/** A refusal of one single UID says the same as an entry of a reply would. */
function finalOutcome(batch: AddMembersPayload, code: string): 'failed' | 'already_member' {
  const [list] = MEMBER_LISTS.filter((name) => batch.lists[name] !== undefined);
  return sizeOf(batch) === 1 && list !== undefined ? refusedOutcome(list, code) : 'failed';
}

async function deliver(ports: AddMembersPorts, batch: AddMembersPayload, call: CallRecord, sent: Sent): Promise<void> {
  const calls = [...batch.calls, call];
  const { region } = batch;
  await ports.deliver(batch, { batch: batch.batch, region, calls, doubt: batch.doubt, sent, at: call.at + call.ms });
  if (ports.settled !== undefined) for (const [outcome, rows] of settledBy(batch, sent)) ports.settled(outcome, rows);
}

/** Rows by outcome, as far as this result settles them. */
function settledBy(batch: AddMembersPayload, sent: Sent): Map<Outcome, number> {
  const settled = new Map<Outcome, number>();
  const add = (outcome: Outcome, rows: number) => settled.set(outcome, (settled.get(outcome) ?? 0) + rows);
  if (sent.kind === 'refused') add(sent.outcome, sizeOf(batch));
  if (sent.kind === 'group') add('failed', sizeOf(batch));
  if (sent.kind === 'unanswered') add(sent.maybeCarriedOut ? 'unconfirmed' : 'failed', sizeOf(batch));
  if (sent.kind === 'answered') {
    const unlike = new Set(sent.missing);
    for (const { row, outcome } of sent.others) {
      unlike.add(row);
      add(outcome, 1);
    }
    for (const list of MEMBER_LISTS) {
      const succeeded = (batch.lists[list] ?? []).filter(([row]) => !unlike.has(row)).length;
      if (succeeded > 0) add(list === 'usersToBan' ? 'banned' : 'added', succeeded);
    }
  }
  return settled;
}

/** A worker took this batch, and neither came back nor handed it back. */
function sawWorkerDie(job: JobRun<AddMembersPayload>): boolean {
  return job.payload.doubt === null && unexplainedStarts(job) > 1;
}

/** Starts, this one included, of which the payload knows no end. */
function unexplainedStarts({ starts, payload: { calls, handedBack } }: JobRun<AddMembersPayload>): number {
  return starts - calls.length - handedBack;
}

function requestOf({ lists }: AddMembersPayload): AddMembersRequest {
  const request: Partial<Record<MemberList, string[]>> = {};
  for (const list of MEMBER_LISTS) {
    const rows = lists[list];
    if (rows !== undefined) request[list] = rows.map(([, uid]) => uid);
  }
  return request;
}

function sizeOf({ lists }: AddMembersPayload): number {
  return MEMBER_LISTS.reduce((size, list) => size + (lists[list]?.length ?? 0), 0);
}

/** Reads a reply per UID: only `success === true` is a success, and a UID that is not in it is missing. */
function readAnswer(batch: AddMembersPayload, reply: AddMembersResult): Sent {
  const others: RowOutcome[] = [];
  const missing: number[] = [];
  for (const list of MEMBER_LISTS) {
    for (const [row, uid] of batch.lists[list] ?? []) {
      const found = reply.entries.get(uid.toLowerCase());
      if (found === undefined) {
        missing.push(row);
        continue;
      }
      const { outcome, code, message } = readEntry(list, found.entry);
      if (outcome === 'added' || outcome === 'banned') continue;
      const note =
        outcome === 'already_member' && batch.doubt !== null ? `; it may be by an earlier call: ${batch.doubt}` : '';
      others.push({ row, outcome, code: code ?? '', message: `${message ?? ''}${note}` });
    }
  }
  return { kind: 'answered', others, missing };
}
