import { z } from 'zod';
import { IMPORT_STATES } from '../membership/import-state.ts';
import { count, inputNote, rowCounts, sentTo, stateCode, time } from './fields.ts';

const path = z.string().nullable();

const regionCounts = z.strictObject({
  calls: count,
  retries: count,
  rateLimited: count.describe('Calls that the service answered with "slow down" (429).'),
  banQuestions: z
    .strictObject({ asked: count, of: count })
    .optional()
    .describe('Groups that were asked who is banned from them, and of how many; absent if none has to be asked.'),
  rows: rowCounts,
});
export type RegionCounts = z.infer<typeof regionCounts>;

const created = z.strictObject({ users: count, groups: count, reactivated: count });

const writes = z.strictObject({ messages: count, groups: count });

const ways = z.strictObject({
  added: z.strictObject({ messages: count, calls: count }),
  silent: z.strictObject({ calls: count }),
});

/** The summary of an import, as `--json` prints it and `summary.json` keeps it. */
export const importSummary = z
  .strictObject({
    id: z.string().describe('Id of the import, as every command takes it.'),
    state: z.enum(IMPORT_STATES),
    // Any text: a client may be older than its server.
    code: stateCode,
    file: z.string().describe('The input as the user named it; "-" is standard input.'),
    target: sentTo
      .optional()
      .describe(
        'Host and apps to which it is sent: it never continues with others. Absent for a sandbox, and without settings.',
      ),
    rows: rowCounts,
    inputRows: count
      .optional()
      .describe(
        'Rows of the file, where a row may give several memberships or none; `rows` counts the memberships then, and the rows without any.',
      ),
    regions: z.record(z.string(), regionCounts),
    created: created
      .optional()
      .describe('Users and groups that were created, and users made active again; absent where there are none.'),
    writes: writes
      .optional()
      .describe(
        'Messages that it writes into conversations at most, one for each change, and into how many groups; absent before the file is read.',
      ),
    ways: ways
      .optional()
      .describe(
        'Messages and calls of both ways to send it, added and in silence; absent before the file is read, and where rows do not only add.',
      ),
    calls: count.describe('Calls to the chat service, repeated ones included.'),
    banQuestions: count
      .optional()
      .describe('Groups that were asked who is banned from them: calls in addition to `calls`; absent for none.'),
    retries: count.describe('Calls that repeated an earlier one.'),
    startedAt: time.nullable().describe('Start of sending, ISO 8601 in UTC; null before it.'),
    finishedAt: time.nullable().describe('End of the import; null until it has finished.'),
    notes: z.array(inputNote).optional(),
    reports: z
      .strictObject({ all: path, failed: path, retry: path, created: path })
      .describe('Paths of the report files; null for one that was not written.'),
  })
  .meta({ title: 'Summary of an import' });
export type ImportSummary = z.infer<typeof importSummary>;

export function summaryIn(view: ImportSummary) {
  const own = Object.entries(view).filter(([name]) => Object.hasOwn(importSummary.shape, name));
  return Object.fromEntries(own) as ImportSummary;
}

/** Counters of an import, of its rows and its calls. They are final when it has ended. */
export type ImportTotals = Omit<
  ImportSummary,
  'id' | 'state' | 'code' | 'file' | 'target' | 'startedAt' | 'finishedAt' | 'reports'
>;
