import { randomUUID } from 'node:crypto';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { type AskServicePayload, askService, questionRefused, type ServiceAnswer } from '../../../jobs/ask-service.ts';
import type { BatchPayload } from '../../../jobs/batch-payload.ts';
import type { ListEntry, Page } from '../../chat/list-client.ts';
import { asError } from '../../errors/message-of.ts';
import type { Region } from '../../membership/membership.ts';
import type { JobQueue, QueuedJob } from '../../queue/job-queue.ts';
import type { GroupPages } from '../ask/group-pages.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import type { RunningImport } from './dispatcher.ts';
import type { FairQueue } from './fair-queue.ts';
import type { OpenRegion } from './region.ts';

/** In ms, or as the process says. */
type Patience = number | 'as-process';

interface GroupReaderOptions {
  readonly openRegion: (region: Region) => Promise<OpenRegion>;
  /** Questions take turns with each other, and with the batches of imports in the same queue. */
  readonly rounds: (queue: OpenRegion['queue']) => Pick<FairQueue, 'ask' | 'answered'>;
  /** Queue that brings answers from other processes; null when workers are in this one. */
  readonly replyTo: string | null;
  readonly onError: (error: Error) => void;
}

interface Question {
  readonly region: Region;
  readonly job: QueuedJob<AskServicePayload>;
  readonly patience: Patience | undefined;
  readonly bornAt: number;
  settle(answer: ServiceAnswer): void;
}

/** A party whose questions share a place in the rounds. */
interface AskerIn {
  readonly region: Region;
  readonly patience: Patience | undefined;
}

type AskQueue = JobQueue<BatchPayload | AskServicePayload>;
type Wanted = Pick<AskServicePayload, 'guid' | 'uid' | 'ask' | 'page'>;
type AnswerTo<Asked extends AskServicePayload['ask']> = Extract<ServiceAnswer, { kind: Asked }>;

/**
 * Reads groups of the service through the queues of their regions: within their budgets, and by workers of other
 * processes if these have the keys. A question waits in memory for its answer; if the queue loses it, it is queued again.
 */
export class GroupReader implements Pick<RunningImport, 'jobsIn' | 'isWithdrawing' | 'resend'> {
  readonly #options: GroupReaderOptions;
  /** Prefix of this process's question ids, so that answers to an earlier process's questions are recognised. */
  readonly #session = `read-${randomUUID()}`;
  readonly #waiting = new Map<string, Question>();
  readonly #stopping = new AbortController();
  /** Regions whose questions are being withdrawn, because their callers have given up; several at a time. */
  readonly #leaving = new Set<Region>();
  readonly #withdrawals = new Set<Promise<void>>();
  #asked = 0;

  constructor(options: GroupReaderOptions) {
    this.#options = options;
  }

  /**
   * For one asker: all of its questions together have the share of one import.
   * @param patience how long the questions wait for a service that is away. Default: as long as it takes
   */
  pages(region: Region, patience?: Patience): GroupPages {
    const asker = { region, patience };
    return pagesOf((wanted, signal) => this.#ask(asker, wanted, signal));
  }

  /**
   * The service is away: refuses the questions that have waited for long enough.
   * @param awayMs how long it has been away
   * @param limitMs of questions that wait as the process says; undefined: as long as it takes
   */
  giveUp({ region, code, message }: StoppedRegion, awayMs: number, limitMs: number | undefined): void {
    for (const { patience, bornAt, settle } of this.#ofRegion(region)) {
      const limit = patience === 'as-process' ? limitMs : patience;
      if (limit === undefined || Math.min(awayMs, Date.now() - bornAt) < limit) continue;
      settle({ kind: 'refused', region: true, code, message });
    }
  }

  /** Takes an answer. It is dropped if the question was asked twice, given up, or asked before a restart. */
  answered(requestId: string, answer: ServiceAnswer): void {
    const question = this.#waiting.get(requestId);
    this.#waiting.delete(requestId);
    question?.settle(answer);
  }

  /** A region refuses every call, as an import found: its questions are refused too, or they would wait forever. */
  stopped({ region, code, message }: StoppedRegion): void {
    for (const question of this.#ofRegion(region)) question.settle({ kind: 'refused', region: true, code, message });
  }

  jobsIn(region: Region): string[] {
    return this.#ofRegion(region).map(({ job }) => job.id);
  }

  isWithdrawing(): boolean {
    return false;
  }

  async resend(region: Region, lost: ReadonlySet<string> | 'all'): Promise<void> {
    const { queueOf } = await this.#options.openRegion(region);
    for (const { job } of this.#ofRegion(region)) {
      if (lost !== 'all' && !lost.has(job.id)) continue;
      const queue: AskQueue = await queueOf(job.payload.ask);
      await queue.again([job], [askService]);
    }
  }

  /** Gives up every question and withdraws it: workers of other processes would still ask it. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopping.abort(new Error('this process stops'));
    // The callers have been notified by then.
    await turn();
    // A queue that does not answer keeps the questions: workers answer them, and no one reads the answers.
    await Promise.race([Promise.all(this.#withdrawals), sleep(deadlineMs, undefined, { ref: false })]);
  }

  #ofRegion(region: Region): Question[] {
    return [...this.#waiting.values()].filter((question) => question.region === region);
  }

  async #ask<Asked extends AskServicePayload['ask']>(
    asker: AskerIn,
    wanted: Wanted & { readonly ask: Asked },
    given: AbortSignal | undefined,
  ): Promise<AnswerTo<Asked>> {
    const { openRegion, rounds, replyTo } = this.#options;
    const { region, patience } = asker;
    const stopping = this.#stopping.signal;
    const signal = given === undefined ? stopping : AbortSignal.any([given, stopping]);
    const { queueOf } = await openRegion(region);
    const shared = await queueOf(wanted.ask);
    const queue: AskQueue = shared;
    // Stopped because a key or plan was refused: that may be fixed by now, and if not, the answer says so.
    if (this.#ofRegion(region).length === 0 && (await queue.isPaused())) await queue.resume();
    const round = rounds(shared);
    const priority = await round.ask(asker);
    this.#asked += 1;
    const id = `${this.#session}-${this.#asked}`;
    try {
      signal.throwIfAborted();
      const payload: AskServicePayload = { version: 1, requestId: id, replyTo, region, ...wanted };
      const job = { id, name: askService.name, priority, payload };
      const { promise, resolve, reject } = Promise.withResolvers<ServiceAnswer>();
      const giveUp = () => reject(signal.reason);
      this.#waiting.set(id, { region, job, patience, bornAt: Date.now(), settle: resolve });
      signal.addEventListener('abort', giveUp, { once: true });
      queue.add([job]).catch(reject);
      const answer = await promise.finally(() => signal.removeEventListener('abort', giveUp));
      if (answer.kind === 'refused') throw questionRefused(region, answer);
      if (answer.kind !== wanted.ask) throw new Error(`asked for ${wanted.ask}, and got ${answer.kind}`);
      return answer as AnswerTo<Asked>;
    } finally {
      round.answered(priority);
      // Still there: nobody has answered it.
      if (this.#waiting.delete(id)) this.#leave(region);
    }
  }

  #leave(region: Region): void {
    if (this.#leaving.has(region)) return;
    this.#leaving.add(region);
    const withdrawn = turn()
      .then(() => {
        this.#leaving.delete(region);
        return this.#withdraw(region);
      })
      .catch((error: unknown) => this.#options.onError(asError(error)))
      .finally(() => this.#withdrawals.delete(withdrawn));
    this.#withdrawals.add(withdrawn);
  }

  async #withdraw(region: Region): Promise<void> {
    const { queue, lists } = await this.#options.openRegion(region);
    const isGivenUp = (id: string) => id.startsWith(this.#session) && !this.#waiting.has(id);
    await Promise.all([queue.withdraw(isGivenUp), lists.withdraw(isGivenUp)]);
  }
}

type Ask = <Asked extends AskServicePayload['ask']>(
  wanted: Wanted & { readonly ask: Asked },
  signal: AbortSignal | undefined,
) => Promise<AnswerTo<Asked>>;

/** The pages of groups, asked for by `ask`. */
function pagesOf(ask: Ask): GroupPages {
  return {
    listPage: async (kind, guid, page, { signal } = {}) => {
      // The answer has the kind that was asked for.
      return (await ask({ guid, ask: kind, page }, signal)) as unknown as Page<ListEntry<typeof kind>>;
    },
    getGroup: async (guid, { signal }) => (await ask({ guid, ask: 'group', page: 1 }, signal)).group,
    getMembership: async (guid, uid, { signal }) => ask({ guid, uid, ask: 'membership', page: 1 }, signal),
    listJoined: async (uid, { signal }) => (await ask({ guid: '', uid, ask: 'joined', page: 1 }, signal)).groups,
    getUser: async (uid, { signal }) => (await ask({ guid: '', uid, ask: 'user', page: 1 }, signal)).user,
  };
}
