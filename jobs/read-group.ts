import { z } from 'zod';
import type { CreateClient } from '../src/chat/create-client.ts';
import type { DirectoryClient } from '../src/chat/directory-client.ts';
import { groupFacts, userFacts } from '../src/chat/directory-operations.ts';
import type { Verdict } from '../src/chat/error-policy.ts';
import { CallAborted, ServiceRefusal } from '../src/chat/errors.ts';
import type { MemberClient } from '../src/chat/member-client.ts';
import { judgeReading } from '../src/chat/member-policy.ts';
import type { Rate } from '../src/chat/rate-headers.ts';
import { RollcallError } from '../src/errors/rollcall-error.ts';
import type { CallRecord } from '../src/imports/record/batch-result.ts';
import { REGIONS } from '../src/membership/membership.ts';
import { defineJob, type JobRun, SlowDown } from '../src/queue/define-job.ts';
import { type CallContext, type CallListener, requestIdIn, SENDING, SendAgain } from './send-batch.ts';

/**
 * read-group: reads one page of a group's members or of its banned users, or the group itself; one page of the app's users
 * or groups; one user; or what a group is to one user. It also deletes a user or a group that an import has created: whoever
 * asks waits for the answer in the same way, and a repeat finds it gone.
 *
 * Queue     add-members-<region>-<app>: reading and sending have one budget; each start of a job is one call.
 * Input     which page, and who asks.
 * Output    what was read, or why it cannot be, through the port `answer`. Whoever asks waits for it in memory, and asks
 *           again what was lost.
 * Retries   as for sending a batch, when no answer came; waiting for the rate limit is not an attempt. A refused key or
 *           plan stops nothing here: it is told to the one who asks, who takes back its other questions.
 */
const payload = z.object({
  version: z.literal(1),
  /** Unique among all that any coordinator asks. */
  requestId: z.string(),
  /** Queue of the coordinator that waits for the answer; null when it is in the worker's process. */
  replyTo: z.string().nullable(),
  region: z.enum(REGIONS),
  /** Host of the service that it is meant for; absent where any worker may make the call. */
  host: z.string().optional(),
  /** As of a batch: the share of the budget that may be used. */
  share: z.number().optional(),
  /** Empty where no group is asked about. */
  guid: z.string(),
  /** Of the user who is asked about. */
  uid: z.string().optional(),
  read: z.enum([
    'members',
    'banned',
    'group',
    'membership',
    'user',
    'users',
    'deactivated',
    'groups',
    'deleted-user',
    'deleted-group',
  ]),
  /** Of a list, from 1. */
  page: z.int(),
});
export type ReadGroupPayload = z.infer<typeof payload>;

const number = z.number().optional();
const pagination = z.object({ total: number, count: number, perPage: number, totalPages: number }).optional();

/** What was read, or why it cannot be. */
export const groupAnswer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('members'),
    /** UID and scope as the service says it, time of joining in seconds since 1970, name. */
    members: z.array(z.tuple([z.string(), z.string(), z.number().nullable(), z.string()])),
    pagination,
  }),
  z.object({ kind: z.literal('banned'), uids: z.array(z.string()), pagination }),
  z.object({ kind: z.literal('group'), group: groupFacts }),
  z.object({ kind: z.literal('membership'), scope: z.string().nullable(), told: z.boolean() }),
  z.object({ kind: z.literal('user'), user: userFacts }),
  z.object({ kind: z.literal('users'), users: z.array(userFacts), pagination }),
  z.object({ kind: z.literal('deactivated'), users: z.array(userFacts), pagination }),
  z.object({ kind: z.literal('groups'), groups: z.array(groupFacts), pagination }),
  z.object({ kind: z.enum(['deleted-user', 'deleted-group']) }),
  z.object({
    kind: z.literal('refused'),
    /** Whether it is true of every call of the region. */
    region: z.boolean(),
    code: z.string(),
    message: z.string(),
  }),
]);
export type GroupAnswer = z.infer<typeof groupAnswer>;

/** Whose question it was. */
type AnswerAddress = Pick<ReadGroupPayload, 'requestId' | 'replyTo'>;

export interface ReadGroupPorts {
  readonly chat: Pick<MemberClient, 'listMembersPage' | 'listBannedPage'> &
    DirectoryClient &
    Pick<CreateClient, 'deleteUser' | 'deleteGroup'>;
  /** Resolves when the answer is on its way. */
  answer(to: AnswerAddress, answer: GroupAnswer): Promise<void>;
  called?: CallListener;
}

const NAME = 'read-group';

export const readGroup = defineJob<ReadGroupPayload, ReadGroupPorts>({
  name: NAME,
  version: 1,
  payload,
  ...SENDING,
  process: async (job, ports) => {
    const at = Date.now();
    const startedAt = performance.now();
    const told = (
      kind: CallRecord['kind'],
      code: string,
      httpStatus: number | null,
      rate: Rate | undefined,
      said: Pick<CallContext, 'message' | 'waitMs' | 'requestId'>,
    ) =>
      ports.called?.({ at, ms: Math.round(performance.now() - startedAt), httpStatus, code, kind }, rate, {
        ...{ share: job.payload.share, job: NAME, attempt: job.attemptsMade + 1, isLastAttempt: job.isLastAttempt },
        ...said,
      });
    let answer: GroupAnswer;
    try {
      const { httpStatus, rate, ...found } = await readOnce(ports.chat, job);
      told('answered', '', httpStatus, rate, { message: '', requestId: null });
      answer = found.answer;
    } catch (error) {
      // The process leaves: the question goes back into the queue.
      if (error instanceof CallAborted) throw error;
      const verdict = verdictOf(error, job.payload.read === 'membership' ? job.payload.uid : '');
      const rate = error instanceof ServiceRefusal ? error.rate : undefined;
      const { message: text, waitMs } = verdict;
      const said = { message: text, waitMs, requestId: requestIdIn(error) };
      told(verdict.kind, verdict.code, verdict.httpStatus, rate, said);
      if (verdict.kind === 'slow-down') throw new SlowDown(verdict.waitMs ?? 0);
      if (verdict.kind === 'again' && !job.isLastAttempt) throw new SendAgain(verdict);
      const { code, message } = verdict;
      answer = { kind: 'refused', region: verdict.kind === 'stop-region', code, message };
    }
    await ports.answer(job.payload, answer);
  },
});

type Listed = Extract<GroupAnswer, { kind: 'members' }>['members'][number];

async function readOnce(
  chat: ReadGroupPorts['chat'],
  { payload: { guid, uid = '', read, page }, signal }: JobRun<ReadGroupPayload>,
): Promise<{ readonly answer: GroupAnswer; readonly httpStatus: number; readonly rate: Rate }> {
  switch (read) {
    case 'members': {
      const { members, pagination: said, ...told } = await chat.listMembersPage(guid, page, { signal });
      const listed = members.map((member): Listed => [member.uid, member.scope, member.joinedAt, member.name ?? '']);
      return { ...told, answer: { kind: 'members', members: listed, pagination: said } };
    }
    case 'banned': {
      const { uids, pagination: said, ...told } = await chat.listBannedPage(guid, page, { signal });
      return { ...told, answer: { kind: 'banned', uids: [...uids], pagination: said } };
    }
    case 'group': {
      const { rate, httpStatus, ms: _, ...group } = await chat.getGroup(guid, { signal });
      return { rate, httpStatus, answer: { kind: 'group', group } };
    }
    case 'membership': {
      const { scope, told: isTold, ...told } = await chat.getMembership(guid, uid, { signal });
      return { ...told, answer: { kind: 'membership', scope, told: isTold } };
    }
    case 'user': {
      const { user, ...told } = await chat.getUser(uid, { signal });
      return { ...told, answer: { kind: 'user', user } };
    }
    case 'users':
    case 'deactivated': {
      const {
        entries,
        pagination: said,
        ...told
      } = await chat.listUsersPage(page, {
        signal,
        onlyDeactivated: read === 'deactivated',
      });
      return { ...told, answer: { kind: read, users: [...entries], pagination: said } };
    }
    case 'deleted-user': {
      const told = await chat.deleteUser(uid, { signal });
      return { ...told, answer: { kind: 'deleted-user' } };
    }
    case 'deleted-group': {
      const told = await chat.deleteGroup(guid, { signal });
      return { ...told, answer: { kind: 'deleted-group' } };
    }
    case 'groups': {
      const { entries, pagination: said, ...told } = await chat.listGroupsPage(page, { signal });
      return { ...told, answer: { kind: 'groups', groups: [...entries], pagination: said } };
    }
  }
}

/** A fault of ours is no statement of the service; whoever asks must hear of it all the same. */
function verdictOf(error: unknown, onBehalfOf: string | undefined): Verdict {
  try {
    return judgeReading(error, onBehalfOf);
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault);
    return { kind: 'again', code: 'WORKER_FAULT', message, httpStatus: null, maybeCarriedOut: false };
  }
}

/** A question that was not answered with what was asked for. */
export class ReadingRefused extends RollcallError {
  /** The service's code if it gave one, else HTTP_<status>, else the code of the failure (chat/errors.ts). */
  declare readonly code: string;
  /** Whether it is true of every call of the region: a refused key or plan. */
  readonly ofRegion: boolean;

  constructor({ code, message, region }: Extract<GroupAnswer, { kind: 'refused' }>) {
    super(code, message, { kind: region ? 'stopped' : 'fatal' });
    this.ofRegion = region;
  }
}
