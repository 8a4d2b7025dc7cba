import { z } from 'zod';
import { defineJob } from '../src/queue/define-job.ts';
import { type ServiceAnswer, serviceAnswer } from './ask-service.ts';

/**
 * take-answers: hands what a worker in another process has read to the caller that asked for it (ask-service.ts).
 *
 * Queue     answers-<coordinator>: not the queue of results, which must be empty before an import continues
 * Input     an answer, and the id of its question
 * Output    handed to the caller that waits for it; dropped if it was asked twice or before a restart
 * Retries   none: what is lost is asked again.
 */
const payload = z.object({ version: z.literal(1), requestId: z.string(), answer: serviceAnswer });
export type TakeAnswersPayload = z.infer<typeof payload>;

/** The asker, which gets answers that come from other processes. */
export interface TakeAnswersPorts {
  answered(requestId: string, answer: ServiceAnswer): void;
}

export const takeAnswers = defineJob<TakeAnswersPayload, TakeAnswersPorts>({
  name: 'take-answers',
  version: 1,
  payload,
  attempts: 1,
  countsStarts: false,
  backoffMs: () => 0,
  process: async ({ payload: { requestId, answer } }, { answered }) => answered(requestId, answer),
});
