import { randomUUID } from 'node:crypto';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { type AskServicePayload, askService, questionRefused, type ServiceAnswer } from '../../../jobs/ask-service.ts';
import type { BatchPayload } from '../../../jobs/batch-payload.ts';
import type { ListEntry, Page } from '../../chat/list-client.ts';
import { asError } from '../../errors/rollcall-error.ts';
import type { Region } from '../../membership/membership.ts';
import type { JobQueue, QueuedJob } from '../../queue/job-queue.ts';
import type { GroupPages } from '../ask/group-pages.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import type { FairQueue } from './fair-queue.ts';
import type { OpenRegion } from './region.ts';

/** In ms, or as the process says. */
type Patience = number | 'as-process';

interface GroupReaderOptions {
  readonly openRegion: (region: Region) => Promise<OpenRegion>;
  /** Questions take turns with each other, and with the batches of imports in the same queue. */
  readonly rounds: (queue: OpenRegion['queue']) => Pick<FairQueue, 'ask' | 'answered'>;
  /** Queue of the answers; null when workers are in this process. */
  readonly replyTo: string | null;
  readonly onError: (error: Error) => void;
}

/** A party whose questions share a place in the rounds. */
interface Asker {
  readonly region: Region;
  readonly patience: Patience | undefined;
}

interface Question extends Asker {
  readonly job: QueuedJob<AskServicePayload>;
  readonly bornAt: number;
  settle(answer: ServiceAnswer): void;
}

type AskQueue = JobQueue<BatchPayload | AskServicePayload>;
type Kind = AskServicePayload['ask'];
type AnswerTo<Asked extends Kind> = Extract<ServiceAnswer, { kind: Asked }>;
type Wanted<Asked extends Kind> = { readonly ask: Asked } & Partial<Pick<AskServicePayload, 'guid' | 'uid' | 'page'>>;
type Ask = <Asked extends Kind>(wanted: Wanted<Asked>, signal: AbortSignal | undefined) => Promise<AnswerTo<Asked>>;

export type GroupReader = ReturnType<typeof createGroupReader>;

/**
 * Reads groups of the service through the queues of their regions: within their budgets, and by workers of other
 * processes if these have the keys. A question waits in memory for its answer; if the queue loses it, it is queued again.
 */
export function createGroupReader(options: GroupReaderOptions) {
  const { openRegion } = options;
  /** Prefix of this process's question ids, so that answers to an earlier process's questions are recognised. */
  const session = `read-${randomUUID()}`;
  const waiting = new Map<string, Question>();
  const stopping = new AbortController();
  const withdrawals = withdrawing(options, (id) => id.startsWith(session) && !waiting.has(id));
  let asked = 0;

  const ofRegion = (region: Region) => [...waiting.values()].filter((question) => question.region === region);
  const refuse = ({ region, code, message }: StoppedRegion, isOver: (question: Question) => boolean): void => {
    for (const question of ofRegion(region).filter(isOver)) {
      question.settle({ kind: 'refused', region: true, code, message });
    }
  };
  const askOf =
    (asker: Asker): Ask =>
    async (wanted, given) => {
      const { region, patience } = asker;
      const signal = given === undefined ? stopping.signal : AbortSignal.any([given, stopping.signal]);
      const { queueOf } = await openRegion(region);
      const shared = await queueOf(wanted.ask);
      const queue: AskQueue = shared;
      // Stopped because a key or plan was refused: that may be fixed by now, and if not, the answer says so.
      if (ofRegion(region).length === 0 && (await queue.isPaused())) await queue.resume();
      const round = options.rounds(shared);
      const priority = await round.ask(asker);
      asked += 1;
      const id = `${session}-${asked}`;
      try {
        signal.throwIfAborted();
        const about = { version: 1, requestId: id, replyTo: options.replyTo, region } as const;
        const job = { id, name: askService.name, priority, payload: { ...about, guid: '', page: 1, ...wanted } };
        const { promise, resolve: settle, reject } = Promise.withResolvers<ServiceAnswer>();
        const giveUp = () => reject(signal.reason);
        waiting.set(id, { region, job, patience, bornAt: Date.now(), settle });
        signal.addEventListener('abort', giveUp, { once: true });
        queue.add([job]).catch(reject);
        const answer = await promise.finally(() => signal.removeEventListener('abort', giveUp));
        if (answer.kind === 'refused') throw questionRefused(region, answer);
        if (answer.kind !== wanted.ask) throw new Error(`asked for ${wanted.ask}, and got ${answer.kind}`);
        return answer as AnswerTo<typeof wanted.ask>;
      } finally {
        round.answered(priority);
        // Still there: nobody has answered it.
        if (waiting.delete(id)) withdrawals.begin(region);
      }
    };

  return {
    /**
     * For one asker: all of its questions together have the share of one import.
     * @param patience how long the questions wait for a service that is away. Default: as long as it takes
     */
    pages: (region: Region, patience?: Patience): GroupPages => pagesOf(askOf({ region, patience })),
    /**
     * The service is away: refuses the questions that have waited for long enough.
     * @param awayMs how long it has been away
     * @param limitMs of questions that wait as the process says; undefined: as long as it takes
     */
    giveUp: (stopped: StoppedRegion, awayMs: number, limitMs: number | undefined): void =>
      refuse(stopped, ({ patience, bornAt }) => {
        const limit = patience === 'as-process' ? limitMs : patience;
        return limit !== undefined && Math.min(awayMs, Date.now() - bornAt) >= limit;
      }),
    /** A region refuses every call, as an import found: its questions are refused too, or they would wait forever. */
    stopped: (stopped: StoppedRegion): void => refuse(stopped, () => true),
    /** Takes an answer. It is dropped if the question was asked twice, given up, or asked before a restart. */
    answered: (requestId: string, answer: ServiceAnswer): void => {
      const question = waiting.get(requestId);
      waiting.delete(requestId);
      question?.settle(answer);
    },
    jobsIn: (region: Region): string[] => ofRegion(region).map(({ job }) => job.id),
    isWithdrawing: (): boolean => false,
    /** @param lost ids of their jobs; `all` of the region */
    resend: async (region: Region, lost: ReadonlySet<string> | 'all'): Promise<void> => {
      const { queueOf } = await openRegion(region);
      for (const { job } of ofRegion(region)) {
        if (lost !== 'all' && !lost.has(job.id)) continue;
        const queue: AskQueue = await queueOf(job.payload.ask);
        await queue.again([job], [askService]);
      }
    },
    /** Gives up every question and withdraws it: workers of other processes would still ask it. */
    stop: async (deadlineMs: number): Promise<void> => {
      stopping.abort(new Error('this process stops'));
      // The callers have been notified by then.
      await turn();
      // A queue that does not answer keeps the questions: workers answer them, and no one reads the answers.
      await Promise.race([withdrawals.end(), sleep(deadlineMs, undefined, { ref: false })]);
    },
  };
}

/** Withdraws questions whose callers have given up, those of one turn of the event loop together. */
function withdrawing({ openRegion, onError }: GroupReaderOptions, isGivenUp: (id: string) => boolean) {
  const beginning = new Set<Region>();
  const underWay = new Set<Promise<void>>();
  const withdraw = async (region: Region): Promise<void> => {
    await turn();
    beginning.delete(region);
    const { queue, lists } = await openRegion(region);
    await Promise.all([queue.withdraw(isGivenUp), lists.withdraw(isGivenUp)]);
  };
  return {
    begin: (region: Region): void => {
      if (beginning.has(region)) return;
      beginning.add(region);
      const withdrawn = withdraw(region)
        .catch((error: unknown) => onError(asError(error)))
        .finally(() => underWay.delete(withdrawn));
      underWay.add(withdrawn);
    },
    end: () => Promise.all(underWay),
  };
}

function pagesOf(ask: Ask): GroupPages {
  return {
    listPage: async (kind, guid, page, { signal } = {}) =>
      // The answer has the kind that was asked for.
      (await ask({ ask: kind, guid, page }, signal)) as unknown as Page<ListEntry<typeof kind>>,
    getGroup: async (guid, { signal }) => (await ask({ ask: 'group', guid }, signal)).group,
    getMembership: async (guid, uid, { signal }) => ask({ ask: 'membership', guid, uid }, signal),
    listJoined: async (uid, { signal }) => (await ask({ ask: 'joined', uid }, signal)).groups,
    getUser: async (uid, { signal }) => (await ask({ ask: 'user', uid }, signal)).user,
  };
}
