import { z } from 'zod';
import { callsByRegion, count, queryOf, stateReason, surveyProgress, time } from '../../api/fields.ts';
import { operationOfImports } from '../../api/imports.ts';
import { fileOf } from '../../api/operation.ts';
import { VERDICTS } from '../../membership/check-words.ts';
import { CHECKING } from '../../options/sending-options.ts';

/** The result of a check: `check.json`, `--json` of the command line, and part of `GET /v1/imports/{id}/check`. */
export const checkSummary = z
  .strictObject({
    id: z.string(),
    file: z.string().describe('The input as the user named it.'),
    checkedAt: time,
    wouldFail: z
      .boolean()
      .describe(
        'Whether rows would fail, are invalid or could not be checked, or a ceiling of the service would be passed.',
      ),
    rows: z
      .record(z.enum(['read', ...VERDICTS]), count)
      .describe('Rows by what would happen to them; every row of the file counts once.'),
    problems: z.array(
      z.strictObject({
        verdict: z.enum(['fail', 'not_checked', 'invalid']),
        code: z.string(),
        rows: count,
        reason: z.string().describe('A sentence without capital and full stop.'),
        first: z.strictObject({ row: count, guid: z.string(), uid: z.string() }).describe('The first of these rows.'),
      }),
    ),
    create: z
      .strictObject({
        users: count.describe('Users that would be created.'),
        groups: count,
        reactivated: count.describe('Deactivated users who would be made active again.'),
        missing: z
          .strictObject({ users: count, groups: count })
          .describe('Users and groups that count against the limit: also those that cannot be created.'),
        over: z
          .array(z.strictObject({ kind: z.enum(['user', 'group']), missing: count, limit: count }))
          .describe('More are missing than may be created: the import would wait.'),
        rows: z.array(z.strictObject({ code: z.string(), rows: count, reason: z.string() })),
      })
      .nullable()
      .describe('Users and groups that the import would create; null if it may create none.'),
    sentFirst: count.nullable().describe('Rows that are tried first; the others wait. Null: all are sent.'),
    groups: z.strictObject({
      asked: count,
      found: count,
      missing: count,
      failed: count.describe('Could not be read.'),
      full: count.describe('Would have more members than the service allows.'),
      rowsWithoutRoom: count,
    }),
    users: z
      .strictObject({
        asked: count,
        exist: count,
        unknown: count,
        deactivated: count,
        notChecked: count,
        inTooManyGroups: count.describe('The file alone puts them into more groups than the service allows.'),
      })
      .describe('Users of rows, and acting users.'),
    calls: z.strictObject({
      check: count.describe('Calls that the check has made.'),
      send: callsByRegion.describe('Minimum number of calls that sending takes.'),
    }),
    sendingMs: count.describe('Time that sending takes at least, in the region that takes longest.'),
    callsPerMinute: count,
    callMs: count
      .nullable()
      .describe('Time that a call took of late, which sending may take as well; null: none was measured.'),
    messages: z
      .strictObject({ count, groups: count })
      .describe('Messages that changes of members write into the conversations of groups, at most.'),
    ways: z
      .strictObject({
        added: z.strictObject({ messages: count, calls: count, callsPerMinute: count }),
        silent: z.strictObject({ calls: count, callsPerMinute: count }),
      })
      .nullable()
      .describe(
        'Messages and calls of both ways to add these members, with the calls a minute of each; null where rows do not only add.',
      ),
    notes: z.array(z.string()).describe('Facts that could not be found out, and groups that grow beyond 300 members.'),
  })
  .meta({ id: 'CheckSummary' });
export type CheckSummary = z.infer<typeof checkSummary>;

export const checkView = z
  .strictObject({
    importId: z.string(),
    state: z
      .enum(['running', 'priced', 'done', 'stopped'])
      .describe(
        'running: the service is being asked; priced: it takes more calls than were allowed; stopped: the service refuses to be asked.',
      ),
    underWay: z.boolean().describe('False for a check that is running: it was interrupted.'),
    reason: stateReason,
    calls: count.describe('Calls so far.'),
    price: callsByRegion
      .nullable()
      .describe('Calls that are still to be made by region, at most, where that is known.'),
    progress: surveyProgress.nullable(),
    summary: checkSummary.nullable().describe('Null until it is done.'),
  })
  .meta({ id: 'Check' });
export type CheckView = z.infer<typeof checkView>;

const list = {
  answer: fileOf('The list, streamed.', 'text/csv'),
  refusals: ['NO_CHECK_YET'],
} as const;

/** Checks of staged imports: which rows would fail, before anything is sent. */
export const checkOperations = {
  begin: operationOfImports('POST /v1/imports/:id/check', 'operator', {
    audit: 'import.check',
    summary:
      'Ask the service which rows of an import would fail; nothing is sent. Continues a check that waits or stopped',
    query: z.strictObject(queryOf(CHECKING)),
    location: '/v1/imports/:importId/check',
    answer: checkView,
    refusals: ['WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP'],
  }),
  one: operationOfImports('GET /v1/imports/:id/check', 'viewer', {
    summary: 'The progress and result of the check of an import',
    answer: checkView,
    refusals: ['NO_CHECK_YET'],
  }),
  rows: operationOfImports('GET /v1/imports/:id/check/rows', 'viewer', {
    summary: 'Download what a check says of every row, as CSV',
    ...list,
  }),
  groups: operationOfImports('GET /v1/imports/:id/check/groups', 'viewer', {
    summary: 'Download what a check says of every group, as CSV',
    ...list,
  }),
};
