import { z } from 'zod';
import { OUTCOMES } from '../membership/outcome.ts';
import { ROW_COLUMNS } from '../membership/row-columns.ts';
import { ROW_FILTER } from '../options/row-filter.ts';
import { count, nextCursor, original, rowNumber, time } from './fields.ts';
import { cursorOption, limitOption, queryOf } from './query-options.ts';

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
      return [name, description === undefined ? schema : schema.meta({ description })];
    },
  ),
) as { readonly [Column in keyof Columns]: SchemaOf<Column> };

const rowFields = Object.fromEntries(
  Object.entries(ROW_SCHEMAS).map(([name, schema]) => [ROW_COLUMNS[name as keyof Columns][0], schema]),
) as { [Column in keyof Columns as Columns[Column][0]]: SchemaOf<Column> };

/** A row with its outcome. */
export const rowView = z
  .strictObject({
    row: rowNumber,
    ...rowFields,
    original: original.meta({ description: 'The row as the input had it, by column.' }),
    check: z.string().optional().meta({
      description:
        'Result of the check before sending: a verdict, with a code behind a colon where there is one, such as `fail:BANNED`. Only in lists of rows, and only where it was checked.',
    }),
  })
  .meta({ id: 'Row', description: 'Texts are empty where there is nothing to say.' });
export type RowView = z.infer<typeof rowView>;

export const ROW_SORTS = ['row', 'uid', 'guid', 'outcome', 'code', 'finished'] as const;
/** Sort keys of rows. Rows with equal keys keep the order of the input. */
export type RowSort = (typeof ROW_SORTS)[number];

/** `GET /v1/imports/:id/rows` */
export const rowsQuery = z.strictObject({
  ...queryOf(ROW_FILTER),
  sort: z
    .enum(ROW_SORTS)
    .optional()
    .meta({ description: 'Default: row, the order of the input. Outcomes are sorted in the order of their list.' }),
  order: z.enum(['asc', 'desc']).optional().meta({ description: 'Default: asc.' }),
  limit: limitOption(100, 1_000),
  cursor: cursorOption.optional(),
});
export const rowsPage = z.strictObject({
  rows: z.array(rowView),
  total: count.nullable().meta({ description: 'Rows that pass the filter; null on pages behind the first.' }),
  nextCursor,
});
export type RowsPage = z.infer<typeof rowsPage>;

/** Rows with the same outcome and code, with some of them as examples. */
const problemCount = z.strictObject({
  status: outcome,
  code: z.string(),
  column: z.string().optional().meta({ description: 'The column with the wrong value, for invalid rows.' }),
  count,
  examples: z
    .array(
      z.strictObject({
        line: z.int(),
        value: z.string().meta({ description: "The row's value at the place of the problem: the UID, or the cell." }),
        message: z.string(),
        rows: count.optional().meta({
          description: 'For invalid rows: the number of values of the same shape, if there are several shapes.',
        }),
      }),
    )
    .min(1)
    .max(3)
    .meta({
      description:
        'The first row, and the last and another one where they have other values. Of invalid rows with values of several shapes (anna@example.org and bo@example.org are one): a row of each, the most frequent first.',
    }),
  examined: count.optional().meta({
    description: 'The `rows` of the examples are of the first so many rows of the problem. Absent: of all.',
  }),
});
export type ProblemCount = z.infer<typeof problemCount>;

const problemView = problemCount.extend({
  retryable: z.boolean().meta({ description: 'Whether `retry` sends these rows again.' }),
  advice: z.string().meta({ description: 'Advice about them.' }),
  repaired: z
    .strictObject({
      left: count.meta({ description: 'Rows that are still to be repaired.' }),
      ready: count.meta({ description: 'Rows that are repaired and not sent yet.' }),
      sent: count,
    })
    .optional()
    .meta({ description: 'If people have edited rows of the import: what was done about these rows.' }),
});
export type ProblemView = z.infer<typeof problemView>;

/** `GET /v1/imports/:id/problems` */
export const problemsAnswer = z.strictObject({ problems: z.array(problemView) });

const callRate = z.strictObject({ at: time, calls: z.number().nullable(), rateLimited: z.number().nullable() });
export type CallRate = z.infer<typeof callRate>;

/** `GET /v1/imports/:id/calls` */
export const callsAnswer = z.strictObject({
  rates: z.array(callRate).meta({
    description:
      'Calls of all regions per second, in the order of time, around `at`; null from there on until the next where none was made for ten seconds: a pause, or a server that was away.',
  }),
});
