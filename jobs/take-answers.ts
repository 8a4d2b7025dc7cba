import { z } from 'zod';
import { defineJob } from '../src/queue/define-job.ts';
import { type GroupAnswer, groupAnswer } from './read-group.ts';

/**
 * take-answers: gives what a worker of another process has read to the one who asked for it (read-group.ts).
 *
 * Queue     answers-<coordinator>: not that of results, which must be empty before an import goes on
 * Input     an answer, and to which question
 * Output    handed to whoever waits for it: nobody any more, where it was asked twice or before a restart
 * Retries   none: what is lost is asked again.
 */
const payload = z.object({ version: z.literal(1), requestId: z.string(), answer: groupAnswer });
export type TakeAnswersPayload = z.infer<typeof payload>;

export interface TakeAnswersPorts {
  answered(requestId: string, answer: GroupAnswer): void;
}

export const takeAnswers = defineJob<TakeAnswersPayload, TakeAnswersPorts>({
  name: 'take-answers',
  version: 1,
  payload,
  attempts: 1,
  backoffMs: () => 0,
  process: async ({ payload: { requestId, answer } }, { answered }) => answered(requestId, answer),
});
