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
    file: z.string().meta({ description: 'The input as the user named it.' }),
    checkedAt: time,
    wouldFail: z.boolean().meta({
      description:
        'Whether rows would fail, are invalid or could not be checked, or a ceiling of the service would be passed.',
    }),
    rows: z
      .strictObject({ read: count, ...(Object.fromEntries(VERDICTS.map((verdict) => [verdict, count])) as Verdicts) })
      .meta({ description: 'Rows by what would happen to them; every row of the file counts once.' }),
    problems: z.array(
      z.strictObject({
        verdict: z.enum(['fail', 'not_checked', 'invalid']),
        code: z.string(),
        rows: count,
        reason: z.string().meta({ description: 'A sentence without capital and full stop.' }),
        first: z
          .strictObject({ row: count, guid: z.string(), uid: z.string() })
          .meta({ description: 'The first of these rows.' }),
      }),
    ),
    create: z
      .strictObject({
        users: count.meta({ description: 'Users that would be created.' }),
        groups: count,
        reactivated: count.meta({ description: 'Deactivated users who would be made active again.' }),
        missing: z
          .strictObject({ users: count, groups: count })
          .meta({ description: 'Users and groups that count against the limit: also those that cannot be created.' }),
        over: z
          .array(z.strictObject({ kind: z.enum(['user', 'group']), missing: count, limit: count }))
          .meta({ description: 'More are missing than may be created: the import would wait.' }),
        rows: z.array(z.strictObject({ code: z.string(), rows: count, reason: z.string() })),
      })
      .nullable()
      .meta({ description: 'Users and groups that the import would create; null if it may create none.' }),
    sentFirst: count
      .nullable()
      .meta({ description: 'Rows that are tried first; the others wait. Null: all are sent.' }),
    groups: z.strictObject({
      asked: count,
      found: count,
      missing: count,
      failed: count.meta({ description: 'Could not be read.' }),
      full: count.meta({ description: 'Would have more members than the service allows.' }),
      rowsWithoutRoom: count,
    }),
    users: z
      .strictObject({
        asked: count,
        exist: count,
        unknown: count,
        deactivated: count,
        notChecked: count,
        inTooManyGroups: count.meta({
          description: 'The file alone puts them into more groups than the service allows.',
        }),
      })
      .meta({ description: 'Users of rows, and acting users.' }),
    calls: z.strictObject({
      check: count.meta({ description: 'Calls that the check has made.' }),
      send: callsByRegion.meta({ description: 'Minimum number of calls that sending takes.' }),
    }),
    sendingMs: count.meta({ description: 'Time that sending takes at least, in the region that takes longest.' }),
    callsPerMinute: count,
    callMs: count.nullable().meta({
      description: 'Time that a call took of late, which sending may take as well; null: none was measured.',
    }),
    messages: z
      .strictObject({ count, groups: count })
      .meta({ description: 'Messages that changes of members write into the conversations of groups, at most.' }),
    ways: z
      .strictObject({
        added: z.strictObject({ messages: count, calls: count, callsPerMinute: count }),
        silent: z.strictObject({ calls: count, callsPerMinute: count }),
      })
      .nullable()
      .meta({
        description:
          'Messages and calls of both ways to add these members, with the calls a minute of each; null where rows do not only add.',
      }),
    notes: z
      .array(z.string())
      .meta({ description: 'Facts that could not be found out, and groups that grow beyond 300 members.' }),
  })
  .meta({ id: 'CheckSummary' });
type Verdicts = { [Verdict in (typeof VERDICTS)[number]]: typeof count };
export type CheckSummary = z.infer<typeof checkSummary>;

/** `GET /v1/imports/{id}/check` */
export const checkView = z
  .strictObject({
    importId: z.string(),
    state: z.enum(['running', 'priced', 'done', 'stopped']).meta({
      description:
        'running: the service is being asked; priced: it takes more calls than were allowed; stopped: the service refuses to be asked.',
    }),
    underWay: z.boolean().meta({ description: 'False for a check that is running: it was interrupted.' }),
    reason: stateReason,
    calls: count.meta({ description: 'Calls so far.' }),
    price: callsByRegion
      .nullable()
      .meta({ description: 'Calls that are still to be made by region, at most, where that is known.' }),
    progress: surveyProgress.nullable(),
    summary: checkSummary.nullable().meta({ description: 'Null until it is done.' }),
  })
  .meta({ id: 'Check' });
export type CheckView = z.infer<typeof checkView>;

/** `POST /v1/imports/{id}/check` */
const checkQuery = z.strictObject(queryOf(CHECKING));

const list = {
  answer: fileOf('The list, streamed.', 'text/csv'),
  refusals: ['UNKNOWN_IMPORT', 'NO_CHECK_YET'],
} as const;

/** Checks of staged imports: which rows would fail, before anything is sent. */
export const checkOperations = {
  begin: operationOfImports('POST /v1/imports/:id/check', 'operator', {
    audit: 'import.check',
    summary:
      'Ask the service which rows of an import would fail; nothing is sent. Continues a check that waits or stopped',
    query: checkQuery,
    status: 202,
    location: '/v1/imports/:importId/check',
    answer: checkView,
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP'],
  }),
  one: operationOfImports('GET /v1/imports/:id/check', 'viewer', {
    summary: 'The progress and result of the check of an import',
    answer: checkView,
    refusals: ['UNKNOWN_IMPORT', 'NO_CHECK_YET'],
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
