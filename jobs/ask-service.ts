import { z } from 'zod';
import type { ReplyMeta } from '../src/chat/call.ts';
import type { ChatClient } from '../src/chat/chat-client.ts';
import { judgeReading } from '../src/chat/error-policy.ts';
import { LISTS, type ListKind } from '../src/chat/list-client.ts';
import { groupFacts, joinedGroup, userFacts } from '../src/chat/replies.ts';
import type { Said } from '../src/errors/entry.ts';
import { RollcallError } from '../src/errors/rollcall-error.ts';
import type { Region } from '../src/membership/membership.ts';
import { type JobDefinition, type JobRun, SlowDown } from '../src/queue/job-definition.ts';
import { CALL_FIELDS } from './batch-payload.ts';
import { ATTEMPTS } from './batch-policy.ts';
import { type CallPorts, callAgainMs, makeCall, SendAgain } from './service-call.ts';

/**
 * ask-service: makes one call that reads (`ask`), for a caller that waits for the answer in memory and asks again when
 * it is lost.
 *
 * Queue     add-members-<region>-<app>, whose budget reading and sending share; where the service limits reading on its
 *           own, lists-<region>-<app> (src/imports/send/region-queues.ts). Each start of a job is one call.
 * Retries   as for sending a batch, when no answer came; waiting for the rate limit is not an attempt. A refused key or
 *           plan stops nothing here: the caller gets the refusal, and withdraws its other questions.
 */
const payload = z.object({
  version: z.literal(1),
  /** Unique across all coordinators. */
  requestId: z.string(),
  /** Queue of the coordinator that waits for the answer; null when it is in the worker's process. */
  replyTo: z.string().nullable(),
  ...CALL_FIELDS,
  /** Empty when the question is not about a group. */
  guid: z.string(),
  /** Set when the question is about a user. */
  uid: z.string().optional(),
  ask: z.enum(['members', 'banned', 'group', 'membership', 'joined', 'user', 'users', 'deactivated', 'groups']),
  /** The page of the list, from 1. */
  page: z.int(),
});
export type AskServicePayload = z.infer<typeof payload>;

/** Whether a call of this operation, as in CallContext, only reads. */
export function isReading(operation: string): boolean {
  return (payload.shape.ask.options as readonly string[]).includes(operation);
}

const number = z.number().optional();
const pagination = z.object({ total: number, count: number, perPage: number, totalPages: number }).optional();

function page<Kind extends ListKind>(kind: Kind) {
  return z.object({
    kind: z.literal(kind),
    entries: z.array(LISTS[kind].entry as (typeof LISTS)[Kind]['entry']),
    pagination,
  });
}

/** The answer, or why there is none. */
export const serviceAnswer = z.discriminatedUnion('kind', [
  page('members'),
  page('banned'),
  page('users'),
  page('deactivated'),
  page('groups'),
  z.object({ kind: z.literal('group'), group: groupFacts }),
  z.object({ kind: z.literal('membership'), scope: z.string().nullable(), isKnown: z.boolean() }),
  z.object({ kind: z.literal('joined'), groups: z.array(joinedGroup) }),
  z.object({ kind: z.literal('user'), user: userFacts }),
  z.object({
    kind: z.literal('refused'),
    /** Whether every call of the region is refused. */
    region: z.boolean(),
    code: z.string(),
    message: z.string(),
  }),
]);
export type ServiceAnswer = z.infer<typeof serviceAnswer>;

/** Ports of a job that asks. */
export interface AskServicePorts extends CallPorts {
  /** Resolves when the answer is on its way. */
  answer(to: Pick<AskServicePayload, 'requestId' | 'replyTo'>, answer: ServiceAnswer): Promise<void>;
}

const NAME = 'ask-service';

export const askService: JobDefinition<AskServicePayload, AskServicePorts> = {
  name: NAME,
  version: 1,
  payload,
  attempts: ATTEMPTS,
  backoffMs: callAgainMs,
  process: async (job, ports) => {
    await ports.answer(job.payload, await askOnce(job, ports));
  },
};

export type Asked = Pick<AskServicePayload, 'ask' | 'guid' | 'uid' | 'page' | 'share'>;
type Asking = Pick<JobRun<Asked>, 'id' | 'payload' | 'attemptsMade' | 'isLastAttempt' | 'signal'>;

/**
 * Makes one call that reads, within a start of a job.
 * @throws SlowDown or SendAgain to have the job run again; ABORTED when the process stops
 */
export async function askOnce(job: Asking, ports: CallPorts): Promise<ServiceAnswer> {
  const { id, payload, attemptsMade, isLastAttempt } = job;
  const { ask, uid, share } = payload;
  const about = { share, job: NAME, operation: ask, attempt: attemptsMade + 1, recovers: attemptsMade > 0 };
  const made = await makeCall(
    ports,
    about,
    () => send(ports.chat, job),
    ({ httpStatus: _, rate: __, ms: ___, ...said }) => ({ kind: ask, ...said }) as ServiceAnswer,
    (error) => judgeReading(error, ask === 'membership' || ask === 'joined' ? uid : ''),
  );
  if ('answer' in made) return made.answer;
  // The question goes back into the queue.
  if ('aborted' in made) throw made.aborted;
  const { call, verdict } = made;
  const { kind, code, message } = verdict;
  if (kind === 'slow-down') throw new SlowDown(verdict.waitMs ?? 0);
  if (kind === 'again') {
    const untilNext = await ports.unanswered?.(id, verdict, call.at);
    if (untilNext?.waitMs !== undefined) throw new SlowDown(untilNext.waitMs);
    if (!isLastAttempt) throw new SendAgain(verdict, attemptsMade + 1);
  }
  return { kind: 'refused', region: kind === 'stop-region', code, message };
}

function send(chat: ChatClient, { payload, signal }: Asking): Promise<ReplyMeta> {
  const { ask, guid, uid = '', page } = payload;
  switch (ask) {
    case 'group':
      return chat
        .getGroup(guid, { signal })
        .then(({ httpStatus, rate, ms, ...group }) => ({ httpStatus, rate, ms, group }));
    case 'membership':
      return chat.getMembership(guid, uid, { signal });
    case 'joined':
      return chat.listJoined(uid, { signal });
    case 'user':
      return chat.getUser(uid, { signal });
    default:
      return chat.listPage(ask, guid, page, { signal });
  }
}

/**
 * A question that was not answered with what was asked for. The code is the service's if it gave one, else HTTP_<status>, else that
 * of the failure.
 */
export function questionRefused(region: Region, refused: Extract<ServiceAnswer, { kind: 'refused' }>) {
  const { code, message: what, region: ofRegion } = refused;
  return new RollcallError<string>(code, { what, exit: ofRegion ? 3 : 4, region, ofRegion }) as QuestionRefused;
}

export interface QuestionRefused extends RollcallError<string> {
  /** `ofRegion`: every call of the region is refused, because its key or plan was. */
  readonly facts: Said & { readonly ofRegion: boolean; readonly region: Region };
}

export function isQuestionRefused(error: unknown): error is QuestionRefused {
  return error instanceof RollcallError && 'ofRegion' in (error.facts as Said);
}

/** @returns the sentence that says why nothing more is asked of the region  @param what what the service refuses: to be asked, to be read */
export function stopSentence({ code, message }: QuestionRefused, what: string): string {
  return code === 'SERVICE_AWAY' ? message : `the service refuses to be ${what}: ${code}: ${message}`;
}
