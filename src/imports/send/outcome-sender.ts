import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RecordOutcomesPayload, recordOutcomes } from '../../../jobs/record-outcomes.ts';
import type { BatchPorts } from '../../../jobs/send-batch.ts';
import { asError } from '../../errors/message-of.ts';
import type { Backend } from '../../queue/backend.ts';
import type { JobQueue } from '../../queue/job-queue.ts';

/** Sends results of this process's workers to the coordinators that wait for them. */
export interface OutcomeSender {
  /** Resolves when the result is in the coordinator's queue: only then may the batch count as done. */
  readonly deliver: BatchPorts['deliver'];
  close(): Promise<void>;
}

/** Wait before results are handed over again, in ms, after the connection to the queue broke. */
const AGAIN_MS = 500;
/**
 * Results are gathered for this long, in ms: a job for each would cost as much as the batch's own job. Their batches stay
 * with this worker meanwhile, so it must be short compared with a call. There are never more of them than concurrent calls.
 */
const GATHER_MS = 20;

interface Outbox {
  readonly queue: JobQueue<RecordOutcomesPayload>;
  results: RecordOutcomesPayload['results'][number][];
  /** Settles when the gathered results are in the queue. */
  leaving: Promise<void> | undefined;
}

export function createOutcomeSender(backend: Backend, onError: (error: Error) => void): OutcomeSender {
  const outboxes = new Map<string, Outbox>();

  const outboxOf = (replyTo: string): Outbox => {
    let outbox = outboxes.get(replyTo);
    if (outbox === undefined) {
      outbox = { queue: openOutcomesQueue(backend, replyTo, onError), results: [], leaving: undefined };
      outboxes.set(replyTo, outbox);
    }
    return outbox;
  };

  const leave = async (outbox: Outbox): Promise<void> => {
    await sleep(GATHER_MS);
    const { results } = outbox;
    outbox.results = [];
    outbox.leaving = undefined;
    const job = { id: randomUUID(), payload: { version: 1, results } } as const;
    for (;;) {
      try {
        return await outbox.queue.add([job]);
      } catch (error) {
        // Calls whose results are dropped would be made again. The job id stays the same, so results arrive once.
        onError(asError(error));
        await sleep(AGAIN_MS);
      }
    }
  };

  return {
    deliver: ({ importId, replyTo }, result) => {
      if (replyTo === null)
        throw new Error(`batch ${result.batch} of import ${importId} does not say where its result goes`);
      const outbox = outboxOf(replyTo);
      outbox.results.push({ importId, result });
      outbox.leaving ??= leave(outbox);
      return outbox.leaving;
    },
    close: async () => {
      await Promise.all(
        [...outboxes.values()].map(async ({ leaving, queue }) => {
          await leaving;
          await queue.close();
        }),
      );
    },
  };
}

/** The queue that brings results to a coordinator. */
export function openOutcomesQueue(
  backend: Backend,
  name: string,
  onError: (error: Error) => void,
): JobQueue<RecordOutcomesPayload> {
  return backend.openQueue(name, recordOutcomes, onError);
}
