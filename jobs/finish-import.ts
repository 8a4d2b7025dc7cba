import { z } from 'zod';
import { defineJob } from '../src/queue/define-job.ts';

/**
 * finish-import: checks that every row has exactly one outcome, writes the reports, and closes the import.
 *
 * Queue     finish-import, in the coordinator's process
 * Input     the id of an import of which nothing is out any more, and the final state that it has earned
 * Output    report files beside the ledger, whose rows are quick to find by UID from now on; the import in its final state
 * Retries   a full disk may be mended meanwhile; until it is, the import stays as it is and `resume` finishes it.
 */
const payload = z.object({
  version: z.literal(1),
  importId: z.string(),
  state: z.enum(['completed', 'cancelled', 'aborted']),
  /** In a sentence, where the state alone does not say it. */
  reason: z.string().optional(),
});
export type FinishImportPayload = z.infer<typeof payload>;

export interface FinishImportPorts {
  /** Writes the report files of an import that is over, and makes its ledger ready for being searched. */
  writeReports(importId: string, state: FinishImportPayload['state']): Promise<void>;
  /** Compares the running totals with the rows; the difference in words, empty when there is none. */
  checkSum(importId: string): Promise<string>;
  close(importId: string, state: FinishImportPayload['state'], reason: string | undefined): void;
  failed(importId: string, error: unknown): void;
}

/** How the reason of an import begins whose totals and rows disagree: promise 1 of design.md is broken. */
export const WRONG_SUM = 'the sum of outcomes does not hold';

export const finishImport = defineJob<FinishImportPayload, FinishImportPorts>({
  name: 'finish-import',
  version: 1,
  payload,
  attempts: 3,
  backoffMs: (attemptsMade) => 1_000 * 2 ** attemptsMade,
  process: async ({ payload: { importId, state, reason }, isLastAttempt }, ports) => {
    try {
      const difference = await ports.checkSum(importId);
      await ports.writeReports(importId, state);
      ports.close(importId, state, difference === '' ? reason : `${WRONG_SUM}: ${difference}`);
    } catch (error) {
      if (!isLastAttempt) throw error;
      ports.failed(importId, error);
    }
  },
});
