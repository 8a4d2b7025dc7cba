import { z } from 'zod';
import { RUN_STATES } from '../membership/sync-state.ts';
import { count, nextSteps } from './fields.ts';
import { importView } from './imports.ts';
import { operationsOf } from './operation.ts';
import { syncEntry } from './sync-entry.ts';

const running = importView.extend({
  etaSeconds: z.number().nullable().describe('Seconds until it has finished; null while that is not known.'),
  rowsPerSecond: z.number().nullable().describe('Over the last seconds; null until a second was measured.'),
  stoppedRegions: z
    .array(z.string())
    .describe('Regions that it still has calls for, and whose key or plan the service refused.'),
  unansweredRegions: z
    .array(z.string())
    .describe('Regions that it still has calls for, and in which the service does not answer.'),
});
export type RunningImport = z.infer<typeof running>;

const failedRun = z.strictObject({
  schedule: z.string().describe('Name of the schedule.'),
  state: z.enum(RUN_STATES),
  reason: z.string(),
  sync: z.string().nullable().describe('Id of the sync that it began.'),
  unsuccessful: count.describe('Runs since the last one that succeeded.'),
  sentence: z.string().describe('The reason why it did not succeed, in a sentence.'),
  next: nextSteps(['run']),
});
export type FailedRun = z.infer<typeof failedRun>;

const overview = z
  .strictObject({
    imports: count.describe('All that there are.'),
    running: z.array(running).describe('Imports that send, newest first, at most 20; then those being read.'),
    queued: count.describe('Imports whose files wait for their turn to be read.'),
    waiting: z
      .array(importView)
      .describe(
        'Imports that cannot continue without a person: blocked, failed or held; failed ones first, then the newest, at most 20.',
      ),
    attention: z
      .array(importView)
      .describe(
        'Imports that are over, with rows that need attention: failed, invalid, unconfirmed or not sent. Without those whose rows were sent again, taken back, or dismissed, those that were cancelled, and runs of a schedule that a later one has replaced. Those with most such rows first, at most 20.',
      ),
    ready: z
      .strictObject({ imports: z.array(importView), syncs: z.array(syncEntry) })
      .describe(
        'Imports and syncs that a person may continue, without urgency: files that were only checked, imports that were paused, plans that were made to be looked at. Newest first, at most 5 of each.',
      ),
    recent: z.array(importView).describe('The ten finished imports that were created last.'),
    syncs: z
      .array(syncEntry)
      .describe(
        'Syncs that wait for a decision: held by a guard, or the last plan of a schedule that does not apply its plans; newest first, at most 20.',
      ),
    syncsUnderWay: z.array(syncEntry).describe('Syncs that are planned or applied now, at most 20.'),
    schedules: count.describe('All that there are.'),
    failedRuns: z
      .array(failedRun)
      .describe('The last runs of schedules that are not paused, where they failed or were missed.'),
    unknownFolders: z
      .strictObject({ count, names: z.array(z.string()).describe('At most 20 of them.') })
      .optional()
      .describe(
        'Folders in `imports` of the data directory that hold data of imports which the list of imports did not know when the server started. Absent: there are none.',
      ),
    needs: z
      .strictObject({ imports: count, syncs: count, schedules: count })
      .describe('Numbers of those that need a person, for a badge.'),
  })
  .meta({ id: 'Overview' });
export type Overview = z.infer<typeof overview>;

/** Apart from the operations of the service, because commands load those and not this one. */
export const overviewOperations = {
  overview: operationsOf('service')('GET /v1/overview', 'viewer', {
    summary: 'Overview: running imports, decisions that wait for a person, the last run of each schedule',
    answer: overview,
  }),
};
