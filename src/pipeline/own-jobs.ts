import { type FinishImportPayload, type FinishImportPorts, finishImport } from '../../jobs/finish-import.ts';
import { type RecordOutcomesPayload, type RecordOutcomesPorts, recordOutcomes } from '../../jobs/record-outcomes.ts';
import { type StageImportPayload, type StageImportPorts, stageImport } from '../../jobs/stage-import.ts';
import { type TakeAnswersPayload, type TakeAnswersPorts, takeAnswers } from '../../jobs/take-answers.ts';
import type { Backend } from '../queue/backend.ts';
import { type JobQueue, openJobQueue } from '../queue/job-queue.ts';
import { type JobWorker, startJobWorker } from '../queue/job-worker.ts';
import { openAnswersQueue } from './answer-sender.ts';
import { openOutcomesQueue } from './outcome-sender.ts';
import { STAGINGS } from './staging.ts';

/** The jobs of the coordinator's own process: it reads inputs, writes down what workers elsewhere found, and ends imports. */
export interface OwnJobs {
  /** Brings results from other processes; undefined when all workers are in this one. */
  readonly outcomes: JobQueue<RecordOutcomesPayload> | undefined;
  /** Brings what other processes have read; undefined when all workers are in this one. */
  readonly answers: JobQueue<TakeAnswersPayload> | undefined;
  start(ports: OwnPorts): void;
  stage(importId: string): Promise<void>;
  /** Ends an import. Until `ended` is told of it the job is put back wherever a wiped queue has lost it. */
  end(payload: FinishImportPayload): Promise<void>;
  isEnding(importId: string): boolean;
  ended(importId: string): void;
  /** Takes no more and resolves when the jobs under way are done; a server that is away is left after `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}

interface OwnPorts {
  readonly stage: StageImportPorts;
  readonly record: RecordOutcomesPorts['record'];
  readonly answered: TakeAnswersPorts['answered'];
  readonly finish: FinishImportPorts;
}

/** Jobs with results that are recorded at the same time, most of them in one transaction. */
const OUTCOME_JOBS = 50;
/** Imports that are ended at the same time: a small one does not wait for the reports of ten million rows. */
const ENDINGS = 4;
/** Answers that are taken at the same time: it is done in a moment. */
const ANSWER_JOBS = 10;
/** How often jobs that a wiped queue has lost are put there again, in ms. */
const KEEP_MS = 5_000;

/** @param owner names the queues after this coordinator, because others may share the server */
export async function openOwnJobs(backend: Backend, owner: string, onError: (error: Error) => void): Promise<OwnJobs> {
  const stagings = openJobQueue<StageImportPayload>(backend, `stage-import-${owner}`, stageImport, onError);
  const closings = openJobQueue<FinishImportPayload>(backend, `finish-import-${owner}`, finishImport, onError);
  // Leftovers of an earlier process: what is still to do is in the ledger.
  await Promise.all([stagings.clear(), closings.clear()]);
  const outcomes = backend.shared ? openOutcomesQueue(backend, `outcomes-${owner}`, onError) : undefined;
  const answers = backend.shared ? openAnswersQueue(backend, `answers-${owner}`, onError) : undefined;
  const workers: JobWorker[] = [];
  /** Imports that are over but for their reports. */
  const ending = new Map<string, FinishImportPayload>();

  /** Job ids stay the same, so that what is still queued is not queued twice. */
  const queueEnding = (): Promise<void> =>
    closings.add([...ending.values()].map((payload) => ({ id: `finish-${payload.importId}`, payload })));

  const keepEnding = setInterval(() => {
    if (backend.shared && ending.size > 0) queueEnding().catch(onError);
  }, KEEP_MS);

  return {
    outcomes,
    answers,
    start: ({ stage, record, answered, finish }) => {
      const common = { backend, onError };
      if (outcomes !== undefined) {
        const definitions = [recordOutcomes];
        const ports = { record };
        workers.push(startJobWorker({ ...common, queue: outcomes, definitions, ports, concurrency: OUTCOME_JOBS }));
      }
      if (answers !== undefined) {
        const definitions = [takeAnswers];
        const ports = { answered };
        workers.push(startJobWorker({ ...common, queue: answers, definitions, ports, concurrency: ANSWER_JOBS }));
      }
      workers.push(
        startJobWorker({ ...common, queue: stagings, definitions: [stageImport], ports: stage, concurrency: STAGINGS }),
        startJobWorker({
          ...common,
          queue: closings,
          definitions: [finishImport],
          ports: finish,
          concurrency: ENDINGS,
        }),
      );
    },
    stage: (importId) => stagings.add([{ id: `stage-${importId}`, payload: { version: 1, importId } }]),
    end: (payload) => {
      ending.set(payload.importId, payload);
      return queueEnding();
    },
    isEnding: (importId) => ending.has(importId),
    ended: (importId) => void ending.delete(importId),
    close: async (deadlineMs) => {
      clearInterval(keepEnding);
      // What these jobs had to do, the next start does.
      const leave = backend.shared
        ? setTimeout(() => {
            for (const worker of workers) worker.abort();
          }, deadlineMs)
        : undefined;
      await Promise.all(workers.map((worker) => worker.close()));
      clearTimeout(leave);
      await Promise.all([stagings.close(), closings.close(), outcomes?.close(), answers?.close()]);
    },
  };
}
