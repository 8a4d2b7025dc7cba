import { z } from 'zod';
import { defineJob } from '../src/queue/define-job.ts';

/**
 * nightly-sync: says that a schedule is due, and has its run begun.
 *
 * Queue     nightly-sync, in the coordinator's process; filled by one job scheduler for each schedule
 * Input     name of a schedule of that coordinator's catalog
 * Output    a run in the catalog, which goes on without this job; none when the catalog knows of no run that is due: it
 *           is the truth, and a job may come late, twice, or for a schedule that is paused or gone
 * Retries   none: what went wrong with a run stands in its record, and the next run is a new job
 */
const payload = z.object({ version: z.literal(1), schedule: z.string() });
export type NightlySyncPayload = z.infer<typeof payload>;

export interface NightlySyncPorts {
  due(schedule: string): void;
}

export const nightlySync = defineJob<NightlySyncPayload, NightlySyncPorts>({
  name: 'nightly-sync',
  version: 1,
  payload,
  attempts: 1,
  backoffMs: () => 0,
  process: async ({ payload: { schedule } }, ports) => ports.due(schedule),
});
