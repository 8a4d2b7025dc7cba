import type { AskServicePorts } from '../../../jobs/ask-service.ts';
import { type TakeAnswersPayload, takeAnswers } from '../../../jobs/take-answers.ts';
import type { Backend } from '../../queue/backend.ts';
import type { JobQueue } from '../../queue/job-queue.ts';

/** Sends the answers that this process's workers have read to the coordinators that wait for them. */
export interface AnswerSender {
  /** Rejects when the answer cannot be handed over; then it is read again. */
  readonly answer: AskServicePorts['answer'];
  close(): Promise<void>;
}

export function createAnswerSender(backend: Backend, onError: (error: Error) => void): AnswerSender {
  const queues = new Map<string, JobQueue<TakeAnswersPayload>>();
  return {
    answer: async ({ requestId, replyTo }, answer) => {
      if (replyTo === null) throw new Error(`question ${requestId} does not say where its answer goes`);
      const queue = queues.get(replyTo) ?? openAnswersQueue(backend, replyTo, onError);
      queues.set(replyTo, queue);
      await queue.add([{ id: `${requestId}-answer`, payload: { version: 1, requestId, answer } }]);
    },
    close: async () => {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

/** The queue that brings answers to a coordinator. */
export function openAnswersQueue(
  backend: Backend,
  name: string,
  onError: (error: Error) => void,
): JobQueue<TakeAnswersPayload> {
  return backend.openQueue(name, takeAnswers, onError);
}
