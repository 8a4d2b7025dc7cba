import { z } from 'zod';
import { defineJob } from '../src/queue/define-job.ts';

/**
 * deliver-reports: writes the reports of an import that is over where its options say (`--report-to`).
 *
 * Queue     reports-<coordinator>, in the coordinator's process
 * Input     the id of an import; which reports are still to be delivered is in the catalog, so that a wiped queue loses nothing
 * Output    the files are there, and the catalog says so
 * Retries   after 2 s, 4 s and so on, at most ten minutes apart, until they are there or the import is removed
 */
const payload = z.object({ version: z.literal(1), importId: z.string() });
export type ReportsPayload = z.infer<typeof payload>;

interface ReportsPorts {
  /** Does nothing where they were delivered before. Rejects when it must be repeated. */
  deliver(importId: string, signal: AbortSignal): Promise<void>;
}

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 600_000;

export const deliverReports = defineJob<ReportsPayload, ReportsPorts>({
  name: 'deliver-reports',
  version: 1,
  payload,
  // For ever, as people see it: nineteen years. Afterwards it is queued again.
  attempts: 1_000_000,
  backoffMs: (attemptsMade) => Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attemptsMade - 1, 20)),
  process: ({ payload: { importId }, signal }, ports) => ports.deliver(importId, signal),
});
