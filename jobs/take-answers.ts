import { z } from 'zod';
import type { JobDefinition } from '../src/queue/job-definition.ts';
import { type ServiceAnswer, serviceAnswer } from './ask-service.ts';

/**
 * take-answers: hands what a worker in another process has read to the caller that asked for it (ask-service.ts). Its
 * queue is answers-<coordinator>, not that of results, which must be empty before an import continues. What is lost is
 * asked again.
 */
const payload = z.object({ version: z.literal(1), requestId: z.string(), answer: serviceAnswer });
export type TakeAnswersPayload = z.infer<typeof payload>;

/** The asker, which drops an answer that it does not wait for. */
export interface TakeAnswersPorts {
  answered(requestId: string, answer: ServiceAnswer): void;
}

export const takeAnswers: JobDefinition<TakeAnswersPayload, TakeAnswersPorts> = {
  name: 'take-answers',
  version: 1,
  payload,
  attempts: 1,
  countsStarts: false,
  backoffMs: () => 0,
  process: async ({ payload: { requestId, answer } }, { answered }) => answered(requestId, answer),
};
