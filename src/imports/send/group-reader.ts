import { randomUUID } from 'node:crypto';
import { type GroupAnswer, type ReadGroupPayload, ReadingRefused, readGroup } from '../../../jobs/read-group.ts';
import type { BatchPayload } from '../../../jobs/send-batch.ts';
import type { GroupsPages, UsersPages } from '../../chat/directory-list.ts';
import type { GroupFacts, UserFacts } from '../../chat/directory-operations.ts';
import type { BannedPages, MembersPages } from '../../chat/member-list.ts';
import type { Region } from '../../membership/membership.ts';
import type { JobQueue, QueuedJob } from '../../queue/job-queue.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import type { RunningImport } from './dispatcher.ts';
import type { RegionLine } from './region.ts';

/**
 * Reads groups of the service through the queues of their regions: within their budgets, and by workers elsewhere where
 * these have the keys. A question waits in memory for its answer; one that the queue has lost is put there again.
 */
export interface GroupReader extends Pick<RunningImport, 'outIn' | 'leaves' | 'resend'> {
  pages(region: Region): GroupPages;
  /** Takes an answer. Nobody waits for one that was asked for twice, given up, or asked for before a restart. */
  answered(requestId: string, answer: GroupAnswer): void;
  /** A region refuses every call, as an import found out: questions to it would wait for ever. */
  stopped(region: StoppedRegion): void;
  /** Gives up every question. */
  stop(): void;
}

/** Calls of the client that read, in its own shapes. They throw ReadingRefused, or the signal's reason. */
export interface GroupPages extends MembersPages, BannedPages, UsersPages, GroupsPages {
  /** Where the owner is null, anybody may be it. */
  getGroup(guid: string, options: AskOptions): Promise<GroupFacts>;
  /** Whether a user is a member, and with which scope; `told` is false when the service does not say. */
  getMembership(guid: string, uid: string, options: AskOptions): Promise<{ scope: string | null; told: boolean }>;
  getUser(uid: string, options: AskOptions): Promise<UserFacts>;
  /** Deletes it for good. Refused with the service's code where it is not there (any more). */
  deleteUser(uid: string, options: AskOptions): Promise<void>;
  deleteGroup(guid: string, options: AskOptions): Promise<void>;
}

interface AskOptions {
  readonly signal?: AbortSignal | undefined;
}

interface GroupReaderOptions {
  readonly line: (region: Region) => Promise<RegionLine>;
  /** The round that the region's queue is serving (rounds.ts): questions take their turn among the imports' batches. */
  readonly roundOf: (line: RegionLine) => number;
  /** Queue that brings answers from other processes; null when workers are in this one. */
  readonly replyTo: string | null;
  readonly onError: (error: Error) => void;
}

interface Question {
  readonly region: Region;
  readonly job: QueuedJob<ReadGroupPayload>;
  /** When it was last put into the queue, ms since 1970. */
  askedAt: number;
  settle(answer: GroupAnswer): void;
}

type Wanted = Pick<ReadGroupPayload, 'guid' | 'uid' | 'read' | 'page'>;
type AnswerTo<Read extends ReadGroupPayload['read']> = Extract<GroupAnswer, { kind: Read }>;

export function createGroupReader({ line, roundOf, replyTo, onError }: GroupReaderOptions): GroupReader {
  /** Ids of this process's questions begin with it, so that answers to those of an earlier one are told apart. */
  const session = `read-${randomUUID()}`;
  const waiting = new Map<string, Question>();
  const stopping = new AbortController();
  let asked = 0;

  const ofRegion = (region: Region) => [...waiting.values()].filter((question) => question.region === region);

  /** The queue of a region's batches takes questions as well: by their names the workers tell which is which. */
  const queueOf = async (
    region: Region,
  ): Promise<{ queue: JobQueue<BatchPayload | ReadGroupPayload>; round: number }> => {
    const opened = await line(region);
    return { queue: opened.queue, round: roundOf(opened) };
  };

  /** Takes questions out of the queue that nobody waits for any more; several at a time. */
  const leaving = new Set<Region>();
  const leave = (region: Region): void => {
    if (leaving.has(region)) return;
    leaving.add(region);
    setImmediate(async () => {
      leaving.delete(region);
      try {
        const { queue } = await queueOf(region);
        await queue.withdraw((id) => id.startsWith(session) && !waiting.has(id));
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
      }
    });
  };

  const ask = async <Read extends ReadGroupPayload['read']>(
    region: Region,
    wanted: Wanted & { readonly read: Read },
    given: AbortSignal | undefined,
  ): Promise<AnswerTo<Read>> => {
    const signal = given === undefined ? stopping.signal : AbortSignal.any([given, stopping.signal]);
    const { queue, round } = await queueOf(region);
    // Stopped by somebody whose key or plan was refused: it may be mended, and if not, the answer says so.
    if (ofRegion(region).length === 0 && (await queue.isPaused())) await queue.resume();
    signal.throwIfAborted();
    const id = `${session}-${++asked}`;
    const payload: ReadGroupPayload = { version: 1, requestId: id, replyTo, region, ...wanted };
    const job = { id, name: readGroup.name, round, payload };
    const { promise, resolve, reject } = Promise.withResolvers<GroupAnswer>();
    const giveUp = () => reject(signal.reason);
    waiting.set(id, { region, job, askedAt: Date.now(), settle: resolve });
    signal.addEventListener('abort', giveUp, { once: true });
    queue.add([job]).catch(reject);
    const answer = await promise.finally(() => {
      signal.removeEventListener('abort', giveUp);
      const answered = waiting.get(id) === undefined;
      waiting.delete(id);
      if (!answered && !stopping.signal.aborted) leave(region);
    });
    if (answer.kind === 'refused') throw new ReadingRefused(answer);
    if (answer.kind !== wanted.read) throw new Error(`asked for ${wanted.read}, and got ${answer.kind}`);
    return answer as AnswerTo<Read>;
  };

  return {
    pages: (region) => ({
      listMembersPage: async (guid, page, { signal }) => {
        const { members, pagination } = await ask(region, { guid, read: 'members', page }, signal);
        return { members: members.map(([uid, scope, joinedAt, name]) => ({ uid, scope, joinedAt, name })), pagination };
      },
      listBannedPage: async (guid, page, { signal }) => {
        const { uids, pagination } = await ask(region, { guid, read: 'banned', page }, signal);
        return { uids, pagination };
      },
      getGroup: async (guid, { signal }) => (await ask(region, { guid, read: 'group', page: 1 }, signal)).group,
      getMembership: async (guid, uid, { signal }) => ask(region, { guid, uid, read: 'membership', page: 1 }, signal),
      getUser: async (uid, { signal }) => (await ask(region, { guid: '', uid, read: 'user', page: 1 }, signal)).user,
      deleteUser: async (uid, { signal }) =>
        void (await ask(region, { guid: '', uid, read: 'deleted-user', page: 1 }, signal)),
      deleteGroup: async (guid, { signal }) =>
        void (await ask(region, { guid, read: 'deleted-group', page: 1 }, signal)),
      listUsersPage: async (page, { signal, onlyDeactivated }) => {
        const read = onlyDeactivated ? 'deactivated' : 'users';
        const { users, pagination } = await ask(region, { guid: '', read, page }, signal);
        return { entries: users, pagination };
      },
      listGroupsPage: async (page, { signal }) => {
        const { groups, pagination } = await ask(region, { guid: '', read: 'groups', page }, signal);
        return { entries: groups, pagination };
      },
    }),
    answered: (requestId, answer) => {
      const question = waiting.get(requestId);
      waiting.delete(requestId);
      question?.settle(answer);
    },
    stopped: ({ region, code, message }) => {
      for (const question of ofRegion(region)) question.settle({ kind: 'refused', region: true, code, message });
    },
    outIn: (region) => ofRegion(region).length,
    leaves: () => false,
    resend: async (region, before) => {
      const unheard = ofRegion(region).filter(({ askedAt }) => askedAt < before);
      if (unheard.length === 0) return;
      const { queue } = await queueOf(region);
      for (const question of unheard) question.askedAt = Date.now();
      await queue.add(unheard.map(({ job }) => job));
    },
    stop: () => stopping.abort(new Error('this process stops')),
  };
}
