import { z } from 'zod';
import { CALL_KINDS } from '../chat/service/codes.ts';
import { OUTCOMES } from '../membership/outcome.ts';
import { ROW_COLUMNS } from '../membership/row-columns.ts';
import { INPUTS } from '../options/input-kinds.ts';
import { ROW_FILTER } from '../options/row-filter.ts';
import { count, nextCursor, original, pageOptions, queryOf, rowNumber, time } from './fields.ts';
import { reportQuery } from './imports.ts';
import { fileOf, operationsOf } from './operation.ts';

const outcome = z.enum(OUTCOMES);

const KINDS = {
  text: z.string(),
  integer: z.int(),
  maybeInteger: z.int().nullable(),
  count,
  maybeCount: count.nullable(),
  maybeTime: time.nullable(),
  outcome,
};
type Columns = typeof ROW_COLUMNS;
type SchemaOf<Column extends keyof Columns> = (typeof KINDS)[Columns[Column][1]];

/** The schemas of the columns of reports. */
export const ROW_SCHEMAS = Object.fromEntries(
  Object.entries<readonly [field: string, kind: keyof typeof KINDS, description?: string]>(ROW_COLUMNS).map(
    ([name, [, kind, description]]) => {
      const schema = KINDS[kind];
      return [name, description === undefined ? schema : schema.describe(description)];
    },
  ),
) as { readonly [Column in keyof Columns]: SchemaOf<Column> };

const rowFields = Object.fromEntries(
  Object.entries(ROW_SCHEMAS).map(([name, schema]) => [ROW_COLUMNS[name as keyof Columns][0], schema]),
) as { [Column in keyof Columns as Columns[Column][0]]: SchemaOf<Column> };

const rowView = z
  .strictObject({
    row: rowNumber,
    ...rowFields,
    original: original.describe('The row as the input had it, by column.'),
    check: z
      .string()
      .optional()
      .describe(
        'Result of the check before sending: a verdict, with a code behind a colon where there is one, such as `fail:BANNED`. Only in lists of rows, and only where it was checked.',
      ),
  })
  .meta({ id: 'Row', description: 'Texts are empty where there is nothing to say.' });
export type RowView = z.infer<typeof rowView>;

export const ROW_SORTS = ['row', 'uid', 'guid', 'outcome', 'code', 'finished'] as const;
/** Sort keys of rows. Rows with equal keys keep the order of the input. */
export type RowSort = (typeof ROW_SORTS)[number];

const rowsQuery = z.strictObject({
  ...queryOf(ROW_FILTER),
  sort: z
    .enum(ROW_SORTS)
    .optional()
    .describe('Default: row, the order of the input. Outcomes are sorted in the order of their list.'),
  order: z.enum(['asc', 'desc']).optional().describe('Default: asc.'),
  ...pageOptions(100, 1_000),
});
const rowsPage = z.strictObject({
  rows: z.array(rowView),
  total: count.nullable().describe('Rows that pass the filter; null on pages behind the first.'),
  nextCursor,
});
export type RowsPage = z.infer<typeof rowsPage>;

/** Rows with the same outcome and code, with some of them as examples. */
const problemCount = z.strictObject({
  status: outcome,
  code: z.string(),
  column: z.string().optional().describe('The column with the wrong value, for invalid rows.'),
  count,
  examples: z
    .array(
      z.strictObject({
        line: z.int(),
        value: z.string().describe("The row's value at the place of the problem: the UID, or the cell."),
        message: z.string(),
        rows: count
          .optional()
          .describe('For invalid rows: the number of values of the same shape, if there are several shapes.'),
      }),
    )
    .min(1)
    .max(3)
    .describe(
      'The first row, and the last and another one where they have other values. Of invalid rows with values of several shapes (anna@example.org and bo@example.org are one): a row of each, the most frequent first.',
    ),
  examined: count
    .optional()
    .describe('The `rows` of the examples are of the first so many rows of the problem. Absent: of all.'),
});
export type ProblemCount = z.infer<typeof problemCount>;

const problemView = problemCount.extend({
  retryable: z.boolean().describe('Whether `retry` sends these rows again.'),
  advice: z.string().describe('Advice about them.'),
  corrected: z
    .strictObject({
      left: count.describe('Rows that are still to be corrected.'),
      ready: count.describe('Rows that are corrected and not sent yet.'),
      sent: count,
    })
    .optional()
    .describe('If people have edited rows of the import: what was done about these rows.'),
});
export type ProblemView = z.infer<typeof problemView>;

const callRate = z.strictObject({ at: time, calls: z.number().nullable(), rateLimited: z.number().nullable() });
export type CallRate = z.infer<typeof callRate>;

const text = z.string().nullable();

const batchFacts = z.strictObject({
  id: z.int(),
  uids: count.describe('UIDs that are sent in one call.'),
  dispatchedAt: time.nullable().describe('Time at which it was last put into the queue.'),
  finishedAt: time.nullable(),
  uncertainty: text.describe('The reason why an earlier call may have been carried out.'),
});

const callFacts = z.strictObject({
  batch: z.int().describe('May be an earlier, larger batch that the batch of the row was split from.'),
  at: time,
  ms: count,
  httpStatus: z.int().nullable().describe('Null where there was no reply.'),
  kind: z
    .enum(CALL_KINDS)
    .describe('answered, or what the refusal meant: `again` is sent again, `slow-down` waits for the rate limit.'),
  code: z.string(),
  message: text.describe("The service's message about a refused call."),
  requestId: text.describe('The id that the service gave a refused request, for its support.'),
});

const creationFacts = z.strictObject({
  kind: z.enum(['user', 'group']),
  outcome: z.string(),
  code: text,
  message: text,
  at: time.nullable(),
});

const rowDetailFacts = z.strictObject({
  action: text.describe('add, change, remove or unban; null where the row is not sent.'),
  onBehalfOf: z.string(),
  batch: batchFacts.nullable(),
  calls: z.array(callFacts).describe('Every call that was made for it, in order.'),
  creations: z.array(creationFacts).describe('Users and groups that were looked for or created for it.'),
});
export type RowDetailFacts = z.infer<typeof rowDetailFacts>;

export const rowDetail = rowDetailFacts.extend({ row: rowView }).meta({ id: 'RowDetail' });
export type RowDetail = z.infer<typeof rowDetail>;

const operation = operationsOf('rows', z.object({ id: z.string() }), ['NO_ROWS_YET']);

/** Rows, problems and calls of an import, and its report: a file with the outcome of every row. */
export const rowOperations = {
  rows: operation('GET /v1/imports/:id/rows', 'viewer', {
    summary: 'Rows with their outcomes, in the order of the input or sorted',
    description: 'A page may hold fewer rows than `limit` and have a next one: where rows are very long.',
    query: rowsQuery,
    answer: rowsPage,
  }),
  row: operation('GET /v1/imports/:id/rows/:row', 'viewer', {
    summary: 'One row with its batch and every call that was made for it',
    params: z.object({
      id: z.string(),
      row: z
        .string()
        .regex(/^\d{1,15}$/, 'allowed is the number of a row: `row` in the list of rows')
        .describe('Number of the row in the order of the input: `row` in the list of rows.'),
    }),
    answer: rowDetail,
    refusals: ['BAD_OPTION', 'UNKNOWN_ROW'],
  }),
  problems: operation('GET /v1/imports/:id/problems', 'viewer', {
    summary: 'Rows that need attention by outcome and code, with examples and what to do',
    answer: z.strictObject({ problems: z.array(problemView) }),
  }),
  calls: operation('GET /v1/imports/:id/calls', 'viewer', {
    summary: 'Calls to the chat service over time',
    answer: z.strictObject({
      rates: z
        .array(callRate)
        .describe(
          'Calls of all regions per second, in the order of time, around `at`; null from there on until the next where none was made for ten seconds: a pause, or a server that was away.',
        ),
    }),
  }),
  created: operation('GET /v1/imports/:id/created', 'viewer', {
    summary: 'Download the users and groups that an import created, and the users that it made active again',
    answer: fileOf('What it created: kind, region, id, outcome and time.', 'text/csv'),
  }),
  report: operation('GET /v1/imports/:id/report', 'viewer', {
    summary: 'Download a report',
    description:
      'Streamed. Once an import has finished, its stored files (csv of all rows or of those that need attention, html, retry file) support Range requests.',
    query: reportQuery,
    answer: fileOf(
      'The report.',
      'text/csv',
      'application/x-ndjson',
      'application/json',
      INPUTS.xlsx.mediaType,
      'text/html',
    ),
    refusals: ['RANGE'],
  }),
};
