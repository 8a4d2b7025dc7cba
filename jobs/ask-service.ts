import { z } from 'zod';
import { CallAborted, ServiceRefusal } from '../src/chat/call-errors.ts';
import type { DirectoryClient } from '../src/chat/directory-client.ts';
import { judgeReading, type Verdict } from '../src/chat/error-policy.ts';
import type { MemberClient } from '../src/chat/member-client.ts';
import type { Rate } from '../src/chat/rate-headers.ts';
import { groupFacts, userFacts } from '../src/chat/replies.ts';
import { RollcallError } from '../src/errors/rollcall-error.ts';
import type { CallRecord } from '../src/imports/record/batch-result.ts';
import type { Region } from '../src/membership/membership.ts';
import { defineJob, type JobRun, SlowDown } from '../src/queue/define-job.ts';
import { CALL_FIELDS } from './batch-payload.ts';
import { ATTEMPTS } from './batch-policy.ts';
import {
  type CallContext,
  type CallListener,
  requestIdIn,
  SENDING,
  SendAgain,
  type UnansweredListener,
  withWait,
} from './send-batch.ts';

/**
 * ask-service: makes one call that reads, for a caller that waits for the answer: one page of a group's members or of its
 * banned users, or the group itself; one page of the app's users or groups; one user; the groups of a user, or the
 * membership of one user in a group.
 *
 * Queue     add-members-<region>-<app>, whose budget reading and sending share; where the service limits reading on its own,
 *           lists-<region>-<app> (src/imports/send/lists-queue.ts). Each start of a job is one call.
 * Input     what is asked, and who asks.
 * Output    what was read, or why it cannot be read, through the port `answer`. The caller waits for it in memory and asks
 *           again when the answer is lost.
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

/** The answer, or why there is none. */
export const serviceAnswer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('members'),
    /** UID, scope as the service names it, time of joining in seconds since 1970, name. */
    members: z.array(z.tuple([z.string(), z.string(), z.number().nullable(), z.string()])),
    pagination,
  }),
  z.object({ kind: z.literal('banned'), uids: z.array(z.string()), pagination }),
  z.object({ kind: z.literal('group'), group: groupFacts }),
  z.object({ kind: z.literal('membership'), scope: z.string().nullable(), isKnown: z.boolean() }),
  z.object({
    kind: z.literal('joined'),
    /** GUIDs, and whether the service says that the user is a member. */
    groups: z.array(z.tuple([z.string(), z.boolean().nullable()])),
    /** The user's scope in each group; absent in the answer of an older worker. */
    scopes: z.array(z.string().nullable()).optional(),
  }),
  z.object({ kind: z.literal('user'), user: userFacts }),
  z.object({ kind: z.literal('users'), users: z.array(userFacts), pagination }),
  z.object({ kind: z.literal('deactivated'), users: z.array(userFacts), pagination }),
  z.object({ kind: z.literal('groups'), groups: z.array(groupFacts), pagination }),
  z.object({
    kind: z.literal('refused'),
    /** Whether every call of the region is refused. */
    region: z.boolean(),
    code: z.string(),
    message: z.string(),
  }),
]);
export type ServiceAnswer = z.infer<typeof serviceAnswer>;

/** Delivers the answer. */
type AnswerAddress = Pick<AskServicePayload, 'requestId' | 'replyTo'>;

/** The calls with which questions are answered. */
export interface AskServicePorts extends AskingPorts {
  readonly chat: AskingPorts['chat'] & DirectoryClient;
  /** Resolves when the answer is on its way. */
  answer(to: AnswerAddress, answer: ServiceAnswer): Promise<void>;
}

/** Ports of a question about the members of a group, or about a user. */
export interface AskingPorts {
  readonly chat: Pick<MemberClient, 'listMembersPage' | 'listBannedPage'> &
    Pick<DirectoryClient, 'getMembership' | 'getUser'>;
  called?: CallListener;
  unanswered?: UnansweredListener;
  untoldWaitMs?(): number;
}

const NAME = 'ask-service';

export const askService = defineJob<AskServicePayload, AskServicePorts>({
  name: NAME,
  version: 1,
  payload,
  ...SENDING,
  attempts: ATTEMPTS,
  process: async (job, ports) => {
    const answer = await askedOnce(job, ports, () => askOnce(ports.chat, job));
    await ports.answer(job.payload, answer);
  },
});

type Asked = Pick<AskServicePayload, 'ask' | 'guid' | 'uid' | 'page' | 'share'>;
type AnsweredCall = { readonly answer: ServiceAnswer; readonly httpStatus: number; readonly rate: Rate };
type Asking = Pick<JobRun<Asked>, 'id' | 'payload' | 'attemptsMade' | 'isLastAttempt' | 'signal'>;

/**
 * One call that reads, within a start of a job.
 * @throws SlowDown or SendAgain where the job is to be started again for it, and CallAborted when the process stops
 */
async function askedOnce(
  job: Asking,
  ports: Pick<AskingPorts, 'called' | 'unanswered' | 'untoldWaitMs'>,
  ask: () => Promise<AnsweredCall>,
): Promise<ServiceAnswer> {
  const at = Date.now();
  const startedAt = performance.now();
  const noteCall = (
    kind: CallRecord['kind'],
    code: string,
    httpStatus: number | null,
    rate: Rate | undefined,
    said: Pick<CallContext, 'message' | 'waitMs' | 'requestId'>,
  ) =>
    ports.called?.({ at, ms: Math.round(performance.now() - startedAt), httpStatus, code, kind }, rate, {
      share: job.payload.share,
      job: NAME,
      operation: job.payload.ask,
      attempt: job.attemptsMade + 1,
      recovers: job.attemptsMade > 0,
      ...said,
    });
  try {
    const { httpStatus, rate, answer } = await ask();
    noteCall('answered', '', httpStatus, rate, { message: '', requestId: null });
    return answer;
  } catch (error) {
    // The process stops: the question goes back into the queue.
    if (error instanceof CallAborted) throw error;
    const { ask, uid } = job.payload;
    const verdict = withWait(verdictOf(error, ask === 'membership' || ask === 'joined' ? uid : ''), ports);
    const rate = error instanceof ServiceRefusal ? error.rate : undefined;
    const { message: text, waitMs } = verdict;
    const said = { message: text, waitMs, requestId: requestIdIn(error) };
    noteCall(verdict.kind, verdict.code, verdict.httpStatus, rate, said);
    if (verdict.kind === 'slow-down') throw new SlowDown(verdict.waitMs ?? 0);
    const untilNext = verdict.kind === 'again' ? await ports.unanswered?.(job.id, verdict, at) : undefined;
    if (untilNext?.waitMs !== undefined) throw new SlowDown(untilNext.waitMs);
    if (verdict.kind === 'again' && !job.isLastAttempt) throw new SendAgain(verdict, job.attemptsMade + 1);
    const { code, message } = verdict;
    return { kind: 'refused', region: verdict.kind === 'stop-region', code, message };
  }
}

const WITHIN_A_JOB = { members: membersPage, banned: bannedPage, membership, user };

/** A question about who is in a group, or whether a user is active, for the start of another job. @throws as askedOnce */
export function askWithin(
  job: Omit<Asking, 'payload'>,
  ports: AskingPorts,
  payload: Asked & { readonly ask: keyof typeof WITHIN_A_JOB },
): Promise<ServiceAnswer> {
  const run = { ...job, payload };
  return askedOnce(run, ports, () => WITHIN_A_JOB[payload.ask](ports.chat, run));
}

type Listed = Extract<ServiceAnswer, { kind: 'members' }>['members'][number];

type Listing = Pick<Asking, 'payload' | 'signal'>;

async function membersPage(
  chat: AskingPorts['chat'],
  { payload: { guid, page }, signal }: Listing,
): Promise<AnsweredCall> {
  const { members, pagination: said, ...meta } = await chat.listMembersPage(guid, page, { signal });
  const listed = members.map((member): Listed => [member.uid, member.scope, member.joinedAt, member.name ?? '']);
  return { ...meta, answer: { kind: 'members', members: listed, pagination: said } };
}

async function bannedPage(
  chat: AskingPorts['chat'],
  { payload: { guid, page }, signal }: Listing,
): Promise<AnsweredCall> {
  const { uids, pagination: said, ...meta } = await chat.listBannedPage(guid, page, { signal });
  return { ...meta, answer: { kind: 'banned', uids: [...uids], pagination: said } };
}

async function membership(
  chat: AskingPorts['chat'],
  { payload: { guid, uid = '' }, signal }: Listing,
): Promise<AnsweredCall> {
  const { scope, isKnown, ...meta } = await chat.getMembership(guid, uid, { signal });
  return { ...meta, answer: { kind: 'membership', scope, isKnown } };
}

async function user(chat: AskingPorts['chat'], { payload: { uid = '' }, signal }: Listing): Promise<AnsweredCall> {
  const { user: facts, ...meta } = await chat.getUser(uid, { signal });
  return { ...meta, answer: { kind: 'user', user: facts } };
}

async function askOnce(chat: AskServicePorts['chat'], job: JobRun<AskServicePayload>): Promise<AnsweredCall> {
  const {
    payload: { guid, uid = '', ask, page },
    signal,
  } = job;
  switch (ask) {
    case 'members':
      return membersPage(chat, job);
    case 'banned':
      return bannedPage(chat, job);
    case 'group': {
      const { rate, httpStatus, ms: _, ...group } = await chat.getGroup(guid, { signal });
      return { rate, httpStatus, answer: { kind: 'group', group } };
    }
    case 'membership':
      return membership(chat, job);
    case 'joined': {
      const { groups, ...meta } = await chat.listJoined(uid, { signal });
      const listed = groups.map(({ guid: name, hasJoined }): [string, boolean | null] => [name, hasJoined]);
      return { ...meta, answer: { kind: 'joined', groups: listed, scopes: groups.map(({ scope }) => scope) } };
    }
    case 'user':
      return user(chat, job);
    case 'users':
    case 'deactivated': {
      const {
        entries,
        pagination: said,
        ...meta
      } = await chat.listUsersPage(page, {
        signal,
        onlyDeactivated: ask === 'deactivated',
      });
      return { ...meta, answer: { kind: ask, users: [...entries], pagination: said } };
    }
    case 'groups': {
      const { entries, pagination: said, ...meta } = await chat.listGroupsPage(page, { signal });
      return { ...meta, answer: { kind: 'groups', groups: [...entries], pagination: said } };
    }
  }
}

/** A fault of ours says nothing about the service, but the caller must still get an answer. */
function verdictOf(error: unknown, onBehalfOf: string | undefined): Verdict {
  try {
    return judgeReading(error, onBehalfOf);
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault);
    return { kind: 'again', code: 'WORKER_FAULT', message, httpStatus: null, maybeCarriedOut: false };
  }
}

/** A question that was not answered with what was asked for. */
export class QuestionRefused extends RollcallError {
  /** The service's code if it gave one, else HTTP_<status>, else the code of the failure (chat/call-errors.ts). */
  declare readonly code: string;
  /** Whether every call of the region is refused: its key or plan was. */
  readonly ofRegion: boolean;
  readonly region: Region;

  /**
   * Returns the sentence that says why nothing more is asked of the region.
   * @param what what the service refuses: to be asked, to be read
   */
  stopSentence(what: string): string {
    if (this.code === 'SERVICE_AWAY') return this.message;
    return `the service refuses to be ${what}: ${this.code}: ${this.message}`;
  }

  constructor(region: Region, { code, message, region: ofRegion }: Extract<ServiceAnswer, { kind: 'refused' }>) {
    super(code, message, { exit: ofRegion ? 3 : 4 });
    this.ofRegion = ofRegion;
    this.region = region;
  }
}
