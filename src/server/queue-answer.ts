import { Problem } from './problem.ts';

/** Time in which the queue must answer, in ms. */
const SOON_MS = 2_000;

/** Waits for an answer of the queue, which may hold it back for as long as its server is away. @throws Problem BUSY */
export async function answersSoon<Value>(answer: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const remedy = 'Check that its server runs; imports continue when it is back.';
    late.reject(new Problem('BUSY', 'The queue does not answer.', { remedy }));
  }, SOON_MS);
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
}
