import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AskServicePorts } from '../../../jobs/ask-service.ts';
import type { ResultAddress } from '../../../jobs/batch-payload.ts';
import { type RecordOutcomesPayload, type RecordOutcomesPorts, recordOutcomes } from '../../../jobs/record-outcomes.ts';
import { type TakeAnswersPayload, type TakeAnswersPorts, takeAnswers } from '../../../jobs/take-answers.ts';
import { asError } from '../../errors/rollcall-error.ts';
import type { Backend } from '../../queue/backend.ts';
import type { JobDefinition } from '../../queue/job-definition.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import { closeWithin, type JobWorker } from '../../queue/job-worker.ts';
import { AGAIN_MS } from '../../queue/patience.ts';
import { counted, utcTime } from '../../text/wording.ts';
import type { BatchResult } from '../record/batch-result.ts';

type Ports = RecordOutcomesPorts & TakeAnswersPorts;

/** Jobs with results that are recorded at the same time, mostly in one transaction. */
const OUTCOME_JOBS = 50;
/** Answers that are taken at the same time: each takes a moment. */
const ANSWER_JOBS = 10;

/** Results that wait for so long without one being taken are stuck, in ms. */
const STUCK_MS = 60_000;

/**
 * Opens the queues through which results of workers in other processes come. Undefined when all workers are in this process.
 * @param owner names the queues after this coordinator, because others may share the server
 */
export function openResultQueues(backend: Backend, owner: string, onError: (error: Error) => void) {
  if (backend.kind === 'embedded') return undefined;
  const outcomes = backend.openQueue<RecordOutcomesPayload>(`outcomes-${owner}`, recordOutcomes, onError);
  const answers = backend.openQueue<TakeAnswersPayload>(`answers-${owner}`, takeAnswers, onError);
  const workers: JobWorker[] = [];
  /** The time since which results wait and none was taken, in ms since 1970. */
  let waitingSince: number | undefined;
  return {
    outcomes,
    answers,
    start: (given: Ports) => {
      const ports: Ports = {
        record: async (...results) => {
          await given.record(...results);
          waitingSince = undefined;
        },
        answered: (...answer) => {
          waitingSince = undefined;
          return given.answered(...answer);
        },
      };
      workers.push(
        backend.startWorker({
          queue: outcomes,
          definitions: [recordOutcomes],
          ports,
          concurrency: OUTCOME_JOBS,
          onError,
        }),
        backend.startWorker({ queue: answers, definitions: [takeAnswers], ports, concurrency: ANSWER_JOBS, onError }),
      );
    },
    /** False where results have waited for a minute, as far as this was asked, and none of them was taken. */
    areTaken: async () => {
      const depths = await Promise.all([outcomes.depth(), answers.depth()]);
      if (depths.every(({ waiting, active }) => waiting + active === 0)) waitingSince = undefined;
      else waitingSince ??= Date.now();
      return waitingSince === undefined || Date.now() - waitingSince < STUCK_MS;
    },
    /** Takes no more and resolves when the running jobs are done; does not wait longer than `deadlineMs` for a server that is away. */
    close: async (deadlineMs: number) => {
      // The next start does what these jobs had to do.
      await closeWithin(deadlineMs, workers);
      await Promise.all([outcomes.close(), answers.close()]);
    },
  };
}

/** Longest wait for waiting results to be recorded, in ms: there are at most as many as batches in flight. */
const RECORDING_MS = 60_000;
/** A wait longer than this, in ms, is said. */
const NOTABLE_WAIT_MS = 10_000;

/** Resolves when no result waits any more, when the process stops, or after RECORDING_MS. `onError` gets that, and a wait of more than 10 s. */
export async function resultsRecorded(
  outcomes: Pick<JobQueue<RecordOutcomesPayload>, 'name' | 'depth'>,
  stopping: () => boolean,
  onError: (error: Error) => void,
): Promise<void> {
  const begun = Date.now();
  const until = begun + RECORDING_MS;
  let isSaid = false;
  while (!stopping()) {
    const { waiting, active } = await outcomes.depth();
    if (waiting + active === 0) return;
    if (Date.now() >= until) {
      const count = waiting + active;
      return onError(
        new Error(
          `${count} results still wait in the queue ${outcomes.name} after ${RECORDING_MS / 1_000} s; the import continues without them, and their batches are sent again if no result comes`,
        ),
      );
    }
    if (!isSaid && Date.now() - begun >= NOTABLE_WAIT_MS) {
      isSaid = true;
      const count = counted(waiting + active, 'result');
      onError(new Error(`waiting since ${utcTime(begun)} for ${count} in the queue ${outcomes.name} to be recorded`));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Results are gathered for this long, in ms: a job for each would cost as much as the batch's own job. Their batches stay
 * with this worker meanwhile, so it must be short compared with a call. There are never more of them than concurrent calls.
 */
const GATHER_MS = 20;

interface Outbox {
  readonly results: RecordOutcomesPayload['results'][number][];
  /** Settles when they are in its queue. */
  readonly leaving: Promise<void>;
}

/** Sends results and answers of this process's workers to the coordinators that wait for them. */
export function createResultSender(backend: Backend, onError: (error: Error) => void) {
  const queues = new Map<string, JobQueue<never>>();
  const outboxes = new Map<JobQueue<RecordOutcomesPayload>, Outbox>();

  /** @param what names what is being sent, for the message of an error */
  const queueOf = <Payload>(
    replyTo: string | null,
    definition: JobDefinition<Payload, never>,
    what: string,
  ): JobQueue<Payload> => {
    if (replyTo === null) throw new Error(`${what} does not say where it is to go`);
    const queue = queues.get(replyTo) ?? backend.openQueue(replyTo, definition, onError);
    queues.set(replyTo, queue);
    return queue;
  };

  const gather = (queue: JobQueue<RecordOutcomesPayload>): Outbox => {
    const results: Outbox['results'] = [];
    const leave = async (): Promise<void> => {
      await sleep(GATHER_MS);
      outboxes.delete(queue);
      const job = { id: randomUUID(), payload: { version: 1, results } } as const;
      for (;;) {
        try {
          return await queue.add([job]);
        } catch (error) {
          // Calls whose results are dropped would be made again. The job id stays the same, so results arrive once.
          onError(asError(error));
          await sleep(AGAIN_MS);
        }
      }
    };
    const outbox = { results, leaving: leave() };
    outboxes.set(queue, outbox);
    return outbox;
  };

  return {
    /** Resolves when the result is in the coordinator's queue: only then may the batch count as done. */
    deliver: ({ importId, replyTo }: ResultAddress, result: BatchResult) => {
      const queue = queueOf(replyTo, recordOutcomes, `the result of batch ${result.batch} of import ${importId}`);
      const { results, leaving } = outboxes.get(queue) ?? gather(queue);
      results.push({ importId, result });
      return leaving;
    },
    /** Rejects when the answer cannot be handed over; then it is read again. */
    answer: async (...[{ requestId, replyTo }, answer]: Parameters<AskServicePorts['answer']>) =>
      queueOf(replyTo, takeAnswers, `the answer to question ${requestId}`).add([
        { id: `${requestId}-answer`, payload: { version: 1, requestId, answer } },
      ]),
    close: async () => {
      await Promise.all(outboxes.values().map(({ leaving }) => leaving));
      await Promise.all(queues.values().map((queue) => queue.close()));
    },
  };
}
