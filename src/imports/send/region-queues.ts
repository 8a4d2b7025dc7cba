import { addMembers } from '../../../jobs/add-members.ts';
import { askService, isReading } from '../../../jobs/ask-service.ts';
import type { BatchPayload } from '../../../jobs/batch-payload.ts';
import type { CreateMissingPayload } from '../../../jobs/create-missing.ts';
import { importMembers } from '../../../jobs/import-members.ts';
import type { Rate } from '../../chat/rate-headers.ts';
import type { Region } from '../../membership/membership.ts';
import type { Backend } from '../../queue/backend.ts';
import type { JobQueue, QueueDepth, QueuedJob } from '../../queue/job-queue.ts';
import { sumOf } from '../../text/wording.ts';

/** All workers of a region and app share one queue, and so one budget of calls; questions and the data import may have others. */
export function openRegionQueue(
  backend: Backend,
  region: Region,
  appId: string,
  onError: (error: Error) => void,
): JobQueue<BatchPayload> {
  return backend.openQueue(`add-members-${region}-${appId}`, addMembers, onError);
}

/** The queue of calls that send, that of calls that only read, where they have a budget of their own, and that of the data import. */
export type RegionQueues = Readonly<Record<'queue' | 'lists' | 'silent', JobQueue<BatchPayload>>>;

export async function closeQueues({ queue, lists, silent }: RegionQueues): Promise<void> {
  await Promise.all([queue.close(), lists.close(), silent.close()]);
}

/**
 * The queues of a region. Those that send stand still together: a refused key or plan refuses the calls of both. The calls of the
 * data import have a budget of their own (docs/chat-service.md, 72).
 *
 * The service may count calls that only read in a budget of their own too (docs/chat-service.md, 39). Then questions have a queue
 * of their own, `lists`, and with it a rate and waits that nothing else shares. It is in use while a rate is set for it: by the
 * settings, or by the first worker that is told two different limits.
 */
export function openRegionQueues(
  backend: Backend,
  region: Region,
  appId: string,
  onError: (error: Error) => void,
): RegionQueues {
  const sending = openRegionQueue(backend, region, appId, onError);
  const silent = backend.openQueue<BatchPayload>(`data-import-${region}-${appId}`, importMembers, onError);
  const both = <Answer>(ask: (one: JobQueue<BatchPayload>) => Promise<Answer>) =>
    Promise.all([ask(sending), ask(silent)]);
  const queue: JobQueue<BatchPayload> = {
    ...sending,
    pause: async () => void (await both((one) => one.pause())),
    resume: async () => void (await both((one) => one.resume())),
    isPaused: async () => (await both((one) => one.isPaused())).includes(true),
  };
  return { queue, lists: backend.openQueue(`lists-${region}-${appId}`, askService, onError), silent };
}

/**
 * Jobs carry the host that they are meant for, because two services may have the same app id, and the share of the budget
 * that they may use.
 */
export function meantFor(
  { host = '' }: { readonly host?: string | undefined },
  share: number | undefined,
  queue: JobQueue<BatchPayload>,
): JobQueue<BatchPayload> {
  if (host === '' && share === undefined) return queue;
  const about = { ...(host !== '' && { host }), ...(share !== undefined && { share }) };
  const told = (jobs: readonly QueuedJob<BatchPayload>[]) =>
    jobs.map((job) => ({ ...job, payload: { ...job.payload, ...about } }));
  return {
    ...queue,
    add: (jobs) => queue.add(told(jobs)),
    again: (jobs, kinds) => queue.again(told(jobs), kinds),
  };
}

function isOfDataImport(
  name: string | undefined,
  payload: BatchPayload & Partial<Pick<CreateMissingPayload, 'create'>>,
) {
  return name === importMembers.name || payload.create?.what === 'import';
}

/** The queue of a silent import: its calls of the data import go into one, and all others into that of the region. */
export function inSilence(queue: JobQueue<BatchPayload>, silent: JobQueue<BatchPayload>): JobQueue<BatchPayload> {
  const divided = async (
    jobs: readonly QueuedJob<BatchPayload>[],
    put: (into: JobQueue<BatchPayload>, some: readonly QueuedJob<BatchPayload>[]) => Promise<void>,
  ) => {
    const parts = Map.groupBy(jobs, ({ name, payload }) => (isOfDataImport(name, payload) ? silent : queue));
    await Promise.all(Array.from(parts, ([into, some]) => put(into, some)));
  };
  return {
    ...silent,
    add: (jobs) => divided(jobs, (into, some) => into.add(some)),
    again: (jobs, kinds) => divided(jobs, (into, some) => into.again(some, kinds)),
    withdraw: async (chosen) => (await Promise.all([queue.withdraw(chosen), silent.withdraw(chosen)])).flat(),
  };
}

export async function depthOf({ queue, lists, silent }: RegionQueues): Promise<QueueDepth> {
  return totalDepth(await Promise.all([queue, lists, silent].map((one) => one.depth())));
}

/**
 * The same, with the budgets of the queues, and the one by which the waiting calls of all of them may start. `limitedForMs` is the
 * time until the rate limit lets one of them start; where none waits, that of the calls that send.
 */
export async function limitedDepthOf({ queue, lists, silent }: RegionQueues) {
  const read = async (one: typeof queue) =>
    Promise.all([one.depth(), one.limitedForMs(), one.callsPerMinute()] as const);
  const all = await Promise.all([read(queue), read(lists), read(silent)]);
  const [[, ofSending, sending], [, , reading], [imported, , importing]] = all;
  const waiting = all.filter(([{ waiting: jobs }]) => jobs > 0);
  return {
    depth: {
      ...totalDepth(all.map(([depth]) => depth)),
      limitedForMs: waiting.length === 0 ? ofSending : Math.min(...waiting.map(([, ms]) => ms)),
    },
    sending,
    reading,
    importing: jobsIn([imported]) > 0 ? importing : undefined,
    together: waiting.length === 0 ? sending : sumOf(waiting.map(([, , budget = 0]) => budget)),
  };
}

function totalDepth(depths: readonly QueueDepth[]): QueueDepth {
  const sum = (of: keyof QueueDepth) => sumOf(depths.map((depth) => depth[of]));
  return { waiting: sum('waiting'), delayed: sum('delayed'), active: sum('active'), setAside: sum('setAside') };
}

type Rated = Pick<JobQueue<BatchPayload>, 'callsPerMinute' | 'setCallsPerMinute'>;

/** A result is reused for so long, in ms. */
const LOOK_MS = 2_000;

/**
 * Tells whether questions go through the queue of lists.
 * @param perMinute as the settings say; a wiped queue is told again
 * @param share undefined where the settings say how many calls there are: then workers decide nothing
 */
export function listsOnTheirOwn(
  lists: Rated,
  perMinute: number | undefined,
  share: number | undefined,
): () => Promise<boolean> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let found = false;
  return async () => {
    if (perMinute === undefined && share === undefined) return false;
    if (performance.now() - lookedAt < LOOK_MS) return found;
    const set = await lists.callsPerMinute();
    if (set === undefined && perMinute !== undefined) await lists.setCallsPerMinute(perMinute);
    found = set !== undefined || perMinute !== undefined;
    lookedAt = performance.now();
    return found;
  };
}

/** To be told of each reply: sets a rate for lists once they turn out to have another limit than other calls. */
export function watchLimits(
  lists: Rated,
  onError: (error: Error) => void,
): (rate: Pick<Rate, 'limit'>, share: number | undefined, operation: string) => void {
  let ofLists: number | undefined;
  let ofOthers: number | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return ({ limit }, share, operation) => {
    if (limit === undefined || share === undefined) return;
    if (isReading(operation)) ofLists = limit;
    else ofOthers = limit;
    if (ofLists === undefined || ofOthers === undefined || ofLists === ofOthers) return;
    if (performance.now() - lookedAt < LOOK_MS) return;
    lookedAt = performance.now();
    const allowed = Math.max(1, Math.floor((ofLists * share) / 100));
    lists
      .callsPerMinute()
      .then(async (set) => {
        // From here on, the budget of that queue follows its own replies.
        if (set === undefined) await lists.setCallsPerMinute(allowed);
      })
      .catch(onError);
  };
}

/** Jobs that are not over. */
export function jobsIn(depths: readonly QueueDepth[]): number {
  return sumOf(depths.map(({ waiting, active, delayed }) => waiting + active + delayed));
}
