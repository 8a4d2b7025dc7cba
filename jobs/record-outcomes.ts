import { z } from 'zod';
import { type BatchResult, batchResult } from '../src/imports/record/batch-result.ts';
import type { JobDefinition } from '../src/queue/job-definition.ts';

/**
 * record-outcomes: writes the results of workers in other processes into the ledgers of their imports. Its queue is
 * outcomes-<coordinator>, so that results wait while their coordinator is away. A result is never dropped.
 */
const payload = z.object({
  version: z.literal(1),
  results: z.array(z.object({ importId: z.string(), result: batchResult })),
});
export type RecordOutcomesPayload = z.infer<typeof payload>;

/** The ledgers. */
export interface RecordOutcomesPorts {
  /** Resolves when the results of this import are on disk, or it has finished. */
  record(importId: string, results: readonly BatchResult[]): Promise<void>;
}

/** Days of attempts: the ledger's disk may be full over a weekend. */
const ATTEMPTS = 10_000;

export const recordOutcomes: JobDefinition<RecordOutcomesPayload, RecordOutcomesPorts> = {
  name: 'record-outcomes',
  version: 1,
  payload,
  attempts: ATTEMPTS,
  // Recording a result twice changes nothing.
  countsStarts: false,
  backoffMs: (attemptsMade) => Math.min(30_000, 500 * 2 ** Math.min(attemptsMade, 10)),
  process: async ({ payload: { results } }, { record }) => {
    const byImport = Map.groupBy(results, ({ importId }) => importId);
    const recording = Array.from(byImport, ([importId, found]) => {
      const its = found.map(({ result }) => result);
      return record(importId, its);
    });
    await Promise.all(recording);
  },
};
