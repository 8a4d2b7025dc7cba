import { type IQueueBackend, Queue, Worker } from 'bullmq';
import type { BullQueue, BullWorker, Driver } from './backend.ts';
import { memoryBackends } from './memory/memory-backend.ts';
import { QueueState } from './memory/queue-state.ts';

/**
 * The embedded queue: jobs in the memory of this process, lost when it ends. What to send is in the ledger, which is
 * the truth; the queue is a cache of it. Each opened backend has its own queues.
 */
export function openMemory(): Driver {
  const states = new Map<string, QueueState>();
  const stateOf = (name: string) => {
    const state = states.get(name) ?? new QueueState();
    states.set(name, state);
    return state;
  };
  const backends = memoryBackends(stateOf);
  // BullMQ wants one, also where nothing is connected to.
  const connection = {};
  return {
    kind: 'embedded',
    shared: false,
    queue: (name, options) =>
      new Queue<unknown, void, string, unknown, void, string, IQueueBackend>(
        name,
        { ...options, connection },
        backends,
      ) as unknown as BullQueue,
    worker: (name, process, options) =>
      new Worker<unknown, void, string, IQueueBackend>(
        name,
        process as never,
        { ...options, connection },
        backends,
      ) as unknown as BullWorker,
    lengthenWait: async ({ name }, waitMs) => {
      const { limit } = stateOf(name);
      const now = Date.now();
      limit.hold(Math.max(waitMs, limit.leftMs(now)), now);
    },
    takeOut: async ({ name }, id) => {
      const state = stateOf(name);
      const job = state.jobs.get(id);
      // A worker has it.
      if (job === undefined || job.place === 'active') return undefined;
      state.forget(job);
      const { data, attemptsStarted, progress } = job.json();
      return { data: JSON.parse(data), attemptsStarted, progress };
    },
    readNote: async ({ name }, note) => stateOf(name).meta.get(note) ?? '',
    swapNote: async ({ name }, note, before, after) => {
      const { meta } = stateOf(name);
      const found = meta.get(note) ?? '';
      if (found !== before) return found;
      meta.set(note, after);
      return after;
    },
    warnings: async () => [],
    close: async () => {
      for (const { waiters } of states.values()) waiters.cancelAll();
      states.clear();
    },
  };
}
