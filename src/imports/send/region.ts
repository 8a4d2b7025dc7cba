import { addMembers } from '../../../jobs/add-members.ts';
import { type AskServicePayload, type AskServicePorts, askService, isReading } from '../../../jobs/ask-service.ts';
import type { BatchPayload } from '../../../jobs/batch-payload.ts';
import { createMissing } from '../../../jobs/create-missing.ts';
import { editMember } from '../../../jobs/edit-member.ts';
import { importMembers } from '../../../jobs/import-members.ts';
import type { BatchPorts } from '../../../jobs/send-batch.ts';
import type { RegionStatus } from '../../api/region-status.ts';
import type { ChatClient } from '../../chat/chat-client.ts';
import type { Rate } from '../../chat/rate-headers.ts';
import type { Region } from '../../membership/membership.ts';
import type { Config } from '../../platform/config.ts';
import { isSameHost } from '../../platform/hosts.ts';
import type { Backend } from '../../queue/backend.ts';
import { readCircuit } from '../../queue/circuit.ts';
import { readFlow } from '../../queue/flow.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import type { JobWorker } from '../../queue/job-worker.ts';
import type { CallObserver } from './call-observer.ts';
import { createRegionCircuit, statusOf } from './region-circuit.ts';
import { createRegionFlow } from './region-flow.ts';
import { paceOf } from './region-pace.ts';
import {
  closeQueues,
  inSilence,
  limitedDepthOf,
  listsOnTheirOwn,
  meantFor,
  openRegionQueues,
  type RegionQueues,
  watchLimits,
} from './region-queues.ts';

/** One app of the service in one region, as the coordinator sees it: its queue, and its worker if one is in this process. */
export type OpenRegion = Awaited<ReturnType<typeof openRegion>>;

/** Opens a region; results and answers of its calls go to `to`. */
export type RegionOpener = (
  region: Region,
  backend: Backend,
  to: Pick<RegionWorkerOptions, 'deliver' | 'answer' | 'starting'>,
) => Promise<OpenRegion>;

/** `host`: the calls are meant for it; empty where any worker may make them. */
interface RegionOptions extends Pick<RegionWorkerOptions, 'region' | 'host' | 'backend' | 'onError'> {
  readonly appId: string;
  readonly config: Pick<Config, 'callsPerMinute' | 'importsPerMinute' | 'budgetShare' | 'listsPerMinute'> &
    RegionWorkerOptions['config'];
  /** Absent: other processes send. */
  readonly worker: Pick<RegionWorkerOptions, 'chat' | 'deliver' | 'answer' | 'starting' | 'observer'> | undefined;
}

export async function openRegion(options: RegionOptions) {
  const { region, appId, backend, config, onError } = options;
  const { budgetShare, listsPerMinute } = config;
  const opened = openRegionQueues(backend, region, appId, onError);
  const queue = meantFor(options, budgetShare, opened.queue);
  const listsShare = listsPerMinute === undefined ? budgetShare : undefined;
  const lists = meantFor(options, listsShare, opened.lists);
  const silent = meantFor(options, budgetShare, opened.silent);
  await queue.setCallsPerMinute(config.callsPerMinute);
  await silent.setCallsPerMinute(config.importsPerMinute);
  if (listsPerMinute !== undefined) await lists.setCallsPerMinute(listsPerMinute);
  const ownLists = listsOnTheirOwn(lists, listsPerMinute, listsShare);
  const worker = options.worker && startRegionWorker({ ...options, ...options.worker, queue, lists, silent });
  const circuit = async () => statusOf(readCircuit(await queue.readNote('circuit')), Date.now());
  return {
    region,
    queue,
    lists,
    silent,
    /** The queue of imports that are sent in silence. */
    forSilent: inSilence(queue, silent),
    /** The queue that a question belongs into at this moment. */
    queueOf: async (ask: AskServicePayload['ask']) => (isReading(ask) && (await ownLists()) ? lists : queue),
    circuit,
    /** @param fullGroup a group that has as many calls as it may */
    status: async (fullGroup?: string): Promise<RegionStatus> => {
      const [status, { depth, sending, reading, importing, together }, stopped, apart, workers, flow] =
        await Promise.all([
          circuit(),
          limitedDepthOf({ queue, lists, silent }),
          queue.isPaused(),
          ownLists(),
          queue.workers(),
          queue.readNote('flow'),
        ]);
      const { state, since, code, message } = status;
      const away = state !== 'closed' || stopped;
      return {
        region,
        ...depth,
        stopped,
        unanswered: state === 'closed' || since === null ? null : { since, code, message },
        circuit: status,
        callsPerMinute: sending ?? null,
        pace: paceOf({ ...depth, flow: readFlow(flow), away, callsPerMinute: together, fullGroup }),
        listsPerMinute: apart ? (reading ?? null) : null,
        importsPerMinute: importing ?? null,
        workers,
        key: worker?.keyFingerprint() ?? null,
      };
    },
    /** Sets the budget again where a wiped queue has forgotten it. */
    keepBudget: async () => {
      if ((await queue.callsPerMinute()) !== undefined) return;
      await queue.setCallsPerMinute(config.callsPerMinute);
      await silent.setCallsPerMinute(config.importsPerMinute);
    },
    /** Undefined where the calls are made elsewhere. */
    worker,
    close: async () => {
      await worker?.close();
      await closeQueues(opened);
    },
  };
}

export type RegionWorker = ReturnType<typeof startRegionWorker>;

/** The worker of a region. */
export interface RegionWorkerOptions extends RegionQueues {
  readonly region: Region;
  /** Host of the service that it calls: jobs that are meant for another are left to other workers. */
  readonly host?: string | undefined;
  readonly backend: Backend;
  readonly chat: ChatClient;
  readonly config: Pick<Config, 'concurrency' | 'askBeforeRepeat'>;
  readonly deliver: BatchPorts['deliver'];
  readonly answer: AskServicePorts['answer'];
  /** Called before each call of a batch, if the queue is in this process. */
  readonly starting?: BatchPorts['starting'] | undefined;
  readonly observer: Required<CallObserver>;
  readonly onError: (error: Error) => void;
}

export function startRegionWorker(options: RegionWorkerOptions) {
  const { region, host, backend, config, queue, lists, silent, chat, deliver, answer, observer, onError } = options;
  const seesLimit = watchLimits(lists, onError);
  const waits = untoldWaits();
  const circuit = createRegionCircuit({
    queue,
    others: [lists, silent],
    chat,
    opened: () => flow.restart(),
    changed: (status) => observer.circuit(region, status),
    called: (...call) => observer.called(region, ...call),
    onError,
  });
  const work = (from: JobQueue<BatchPayload>): JobWorker => {
    const budget = budgetWatch(from, onError);
    return backend.startWorker<BatchPayload | AskServicePayload, BatchPorts & AskServicePorts>({
      queue: from,
      definitions: [addMembers, editMember, createMissing, importMembers, askService],
      ports: {
        chat,
        deliver,
        answer,
        askBeforeRepeat: config.askBeforeRepeat,
        starting: options.starting,
        settled: (...rows) => observer.settled(region, ...rows),
        stopRegion: () => queue.pause(),
        slowDown: (waitMs) => queue.slowDown(waitMs),
        untoldWaitMs: waits.next,
        unanswered: circuit.unanswered,
        called: (call, rate, about) => {
          observer.called(region, call, rate, about);
          circuit.called(call, rate, about);
          flow.called(call);
          if (call.kind === 'answered') waits.answered(call.at);
          if (rate === undefined) return;
          budget(rate, about.share, about.operation);
          // Their limit says nothing about that of other calls.
          if (from !== silent) seesLimit(rate, about.share, about.operation);
        },
      },
      // The flow sets how many.
      concurrency: 1,
      around: (run, process, addedAt) => {
        const observed = async () => {
          if (run.starts === 1) observer.begun(region, Date.now() - addedAt);
          await observer.around(region, run, process);
        };
        return circuit.admit(run, () => flow.count(observed));
      },
      notForUs: ({ host: meant }) => {
        if (meant === undefined || host === undefined || isSameHost(meant, host)) return undefined;
        return `it is meant for the chat service at ${meant}, and this worker calls ${host}; set ROLLCALL_HOST to the same on both sides (an import whose own host was corrected takes it up with \`rollcall pause\` and \`rollcall resume\`)`;
      },
      onError,
    });
  };
  const workers = [work(queue), work(lists), work(silent)];
  const flow = createRegionFlow({
    queue,
    most: config.concurrency,
    limit: (concurrency) => {
      for (const worker of workers) worker.setConcurrency(concurrency);
    },
    onError,
  });
  return {
    /** Sets the most concurrent calls: a job makes one at a time. */
    setConcurrency: flow.setMost,
    keyFingerprint: chat.keyFingerprint,
    renewKey: chat.renewKey,
    takesCalls: circuit.isServed,
    /** Takes no more jobs; resolves when running ones have finished. */
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      circuit.close();
      flow.close();
      await chat.close();
    },
    /** Gives up the calls in flight; their batches go back into the queue. */
    abort: () => {
      for (const worker of workers) worker.abort();
    },
  };
}

/** Another process may have changed the budget (a restarted coordinator): it is compared again after this time, in ms. */
const COMPARE_MS = 2_000;
/** Wait when other programs have used up the share that is left to them, in ms; replies do not say when the minute ends. */
const ROOM_MS = 1_000;
/** A budget is cut into short windows, which rounds it: differences up to this share do not count. */
const ROUNDING = 0.02;
/** The weight of one call in what is known of the last ones: some hundred. */
const CALL_WEIGHT = 0.02;
/** Operations whose calls are so few are forgotten. */
const MIN_WEIGHT = CALL_WEIGHT / 10;
/** A budget that gets fewer of the calls counts as if it got this share: who stops reading may send at once. */
const MIN_PART = 0.5;
/** Differences up to this share of the calls are not news. */
const NEWS = 0.05;

type Budget = Pick<JobQueue<BatchPayload>, 'callsPerMinute' | 'setCallsPerMinute' | 'slowDown'>;

/**
 * Returns the function that divides all calls among budgets of single operations (docs/chat-service.md, 39): the
 * replies of reading have another limit than those of sending. As the queue gives calls out in turns, each budget is
 * used by its part of the calls. Operations with the same limit share one budget.
 */
function separateBudgets(): (operation: string, limit: number, allowedOf: (limit: number) => number) => number {
  const operations = new Map<string, { limit: number; weight: number }>();
  return (operation, limit, allowedOf) => {
    for (const [name, seen] of operations) {
      seen.weight *= 1 - CALL_WEIGHT;
      if (seen.weight < MIN_WEIGHT) operations.delete(name);
    }
    operations.set(operation, { limit, weight: (operations.get(operation)?.weight ?? 0) + CALL_WEIGHT });
    const weights = new Map<number, number>();
    let all = 0;
    for (const { limit: of, weight } of operations.values()) {
      weights.set(of, (weights.get(of) ?? 0) + weight);
      all += weight;
    }
    // Calls that are not known yet may belong to any budget.
    const partOf = (weight: number) => Math.max(weight + 1 - all, MIN_PART);
    return Math.round(Math.min(...[...weights].map(([of, weight]) => allowedOf(of) / partOf(weight))));
  };
}

/**
 * Follows what replies say about the rate limit. Without a share, the budget is the configured one, and is only lowered
 * if the service allows less. With a share, it is that share of the service's limit, and the rest stays free for others:
 * if they use more than that, nothing is sent for a moment. `operation` says what was called.
 */
export function budgetWatch(
  queue: Budget,
  onError: (error: Error) => void,
): (rate: Pick<Rate, 'limit' | 'remaining'>, share: number | undefined, operation: string) => void {
  const together = separateBudgets();
  let comparedAt = Number.NEGATIVE_INFINITY;
  let last = Number.POSITIVE_INFINITY;
  let waitsUntil = 0;

  const leaveRoom = (limit: number, allowed: number, remaining: number): void => {
    const now = performance.now();
    if (remaining >= limit - allowed || now < waitsUntil) return;
    waitsUntil = now + ROOM_MS;
    queue.slowDown(ROOM_MS).catch(onError);
  };

  return ({ limit, remaining }, share, operation) => {
    if (limit === undefined) return;
    const allowedOf = (of: number) => (share === undefined ? of : Math.max(1, Math.floor((of * share) / 100)));
    if (share !== undefined && remaining !== undefined) leaveRoom(limit, allowedOf(limit), remaining);
    const allowed = together(operation, limit, allowedOf);
    const now = performance.now();
    const isNews = share === undefined ? allowed < last * (1 - NEWS) : Math.abs(allowed - last) > last * NEWS;
    if (!isNews && now - comparedAt < COMPARE_MS) return;
    comparedAt = now;
    last = allowed;
    queue
      .callsPerMinute()
      .then(async (set = Number.POSITIVE_INFINITY) => {
        const isWrong = share === undefined ? set > allowed : Math.abs(set - allowed) > allowed * ROUNDING;
        if (isWrong) await queue.setCallsPerMinute(allowed);
      })
      .catch(onError);
  };
}

/** Waits after a 429 that does not say how long, in ms: the first one, and the longest. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** The waits of one region after such replies: each is twice as long as the one before, until a call is answered. */
export function untoldWaits(now: () => number = Date.now) {
  let lastMs = 0;
  let until = 0;
  return {
    /** The wait in ms. Calls that were in flight together get the same one. */
    next: () => {
      const left = until - now();
      // A clock that was set back makes nothing wait longer.
      if (left > 0 && left <= lastMs) return left;
      lastMs = Math.min(MAX_WAIT_MS, Math.max(FIRST_WAIT_MS, lastMs * 2));
      until = now() + lastMs;
      return lastMs;
    },
    /** A call that began at `at` (ms since 1970) was answered. */
    answered: (at: number) => {
      if (at >= until) lastMs = 0;
    },
  };
}
