import type { Backend, QueueTelemetry } from './backend.ts';
import type { JobQueue } from './job-queue.ts';
import { type JobRunner, type JobWorker, jobRunner, LEFT_JOB_WAIT_MS, type NextStep } from './job-worker.ts';
import { limitWindow } from './limits.ts';
import { type MemoryJob, MemoryQueue } from './memory-queue.ts';

/**
 * The embedded queue: jobs in the memory of this process, lost when it ends. The ledger has the work, and is the truth;
 * the queue is a cache of it. Each opened backend has its own queues.
 */
export function openMemory(telemetry?: QueueTelemetry): Backend {
  const queues = new Map<string, MemoryQueue>();
  const queueOf = (name: string) => {
    const queue = queues.get(name) ?? new MemoryQueue();
    queues.set(name, queue);
    return queue;
  };
  return {
    kind: 'embedded',
    shared: false,
    openQueue: (name, definition) => {
      const queue = queueOf(name);
      return {
        name,
        add: (jobs) =>
          traced(telemetry, 'add', name, undefined, async (trace) => {
            for (const { id, payload: data, name: kind = definition.name, priority = 0 } of jobs) {
              queue.add({ id, data, name: kind, priority, attempts: definition.attempts, trace });
            }
          }),
        ...operationsOf(queue),
      };
    },
    startWorker: (options) => {
      const runner = jobRunner(options);
      return startWorker(queueOf(options.queue.name), options.concurrency, runner, (job) =>
        traced(telemetry, 'process', options.queue.name, job.trace, () =>
          runner.run({
            ...job,
            read: () => job.data as never,
            update: async (changed) => {
              job.data = changed;
            },
          }),
        ),
      );
    },
    warnings: async () => [],
    close: async () => {
      for (const queue of queues.values()) {
        queue.workers.clear();
        queue.stir();
      }
      queues.clear();
    },
  };
}

function operationsOf<Payload>(queue: MemoryQueue): Omit<JobQueue<Payload>, 'name' | 'add'> {
  return {
    withdraw: async (chosen) =>
      queue
        .withdraw(chosen)
        .map(({ id, data, starts }) => ({ id, payload: data as Payload, ...(starts > 0 && { starts }) })),
    clear: async () => queue.clear(),
    pause: async () => {
      queue.isPaused = true;
    },
    resume: async () => {
      queue.isPaused = false;
      queue.stir();
    },
    isPaused: async () => queue.isPaused,
    setCallsPerMinute: async (callsPerMinute) => {
      queue.window = limitWindow(callsPerMinute);
      queue.stir();
    },
    callsPerMinute: async () => queue.window && Math.round((queue.window.max / queue.window.duration) * 60_000),
    slowDown: async (waitMs) => queue.limit.hold(performance.now() + Math.max(1, Math.ceil(waitMs))),
    endWait: async () => {
      queue.limit.lift();
      queue.stir();
    },
    readCircuit: async () => queue.circuit,
    swapCircuit: async (before, after) => {
      if (queue.circuit === before) queue.circuit = after;
      return queue.circuit;
    },
    limitedForMs: async () => Math.ceil(queue.limitedForMs(performance.now())),
    firstPriority: async () => {
      const [running] = queue.active;
      return (queue.waiting.find(({ priority }) => priority > 0) ?? running)?.priority ?? 0;
    },
    depth: async () => ({
      waiting: queue.waiting.length,
      delayed: queue.delayed.length,
      active: queue.active.size,
      setAside: 0,
    }),
    // A worker in this process loses no job.
    look: async () => ({ nextAddedAt: queue.waiting[0]?.addedAt, stalled: 0 }),
    workers: async () => queue.workers.size,
    close: async () => {},
  };
}

function startWorker(
  queue: MemoryQueue,
  concurrency: number,
  { backoffMs, givenUp, ending }: JobRunner,
  run: (job: MemoryJob) => Promise<NextStep>,
): JobWorker {
  const running = new Set<Promise<void>>();
  let most = concurrency;
  const work = async (job: MemoryJob): Promise<void> => {
    try {
      const next = await run(job);
      if (next === 'left' || next === 'untried') job.starts -= 1;
      if (next === 'done') queue.remove(job);
      else if (next === 'left') queue.delay(job, LEFT_JOB_WAIT_MS);
      else queue.putBack(job);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      job.attemptsMade += 1;
      if (job.attemptsMade < job.attempts) return queue.delay(job, backoffMs(job, job.attemptsMade, error));
      queue.remove(job);
      givenUp(job, error);
    }
  };
  const worker = {
    hasRoom: () => running.size < most,
    start: (job: MemoryJob) => {
      const begun = work(job).finally(() => {
        running.delete(begun);
        queue.stir();
      });
      running.add(begun);
    },
  };
  queue.workers.add(worker);
  queue.stir();
  return {
    setConcurrency: (changed) => {
      most = changed;
      queue.stir();
    },
    ...ending(async () => {
      queue.workers.delete(worker);
      queue.stir();
      await Promise.all(running);
    }),
  };
}

/** Runs `work` in a span, like BullMQ. @param trace that of who added the job @param work gets that of the new span */
async function traced<Result>(
  telemetry: QueueTelemetry | undefined,
  operation: 'add' | 'process',
  queue: string,
  trace: string | undefined,
  work: (trace: string | undefined) => Promise<Result>,
): Promise<Result> {
  if (telemetry === undefined) return work(undefined);
  const { tracer, contextManager } = telemetry;
  const active = contextManager.active();
  const around = trace === undefined ? active : contextManager.fromMetadata(active, trace);
  // OpenTelemetry's kinds: a producer and a consumer.
  const span = tracer.startSpan(`${operation} ${queue}`, { kind: operation === 'add' ? 3 : 4 }, around);
  const context = span.setSpanOnContext(around);
  try {
    return await contextManager.with(context, () => work(contextManager.getMetadata(context)));
  } catch (error) {
    span.recordException(error as Error);
    throw error;
  } finally {
    span.end();
  }
}
