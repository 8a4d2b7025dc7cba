import { z } from 'zod';
import { count, listOption, nextCursor, pageOptions, queryOf, rowNumber } from '../../api/fields.ts';
import { importView } from '../../api/imports.ts';
import { operationsOf } from '../../api/operation.ts';
import { ROW_SCHEMAS } from '../../api/rows.ts';
import { ROW_FILTER } from '../../options/row-filter.ts';

/** Edits of cells in one request, at most. */
const MAX_EDITS = 1_000;
/** Characters of a cell, at most. */
export const MAX_CELL = 10_000;

/** Outcomes of rows that can be corrected; skipped: it was left out; unprocessed: it would fail, and nothing was sent yet. */
const CORRECTED_STATUSES = ['invalid', 'failed', 'skipped', 'unprocessed'] as const;
export type CorrectedStatus = (typeof CORRECTED_STATUSES)[number];

/** States of a corrected row: unchanged, edited but not yet valid, edited and ready to send, or sent. */
const CORRECTION_STATES = ['open', 'wrong', 'ready', 'sent'] as const;
export type CorrectionState = (typeof CORRECTION_STATES)[number];

const rowProblem = z.strictObject({
  column: z.string().describe('Name of the column in the file; empty if the problem concerns the whole row.'),
  code: z.string(),
  reason: z.string(),
});
export type RowProblem = z.infer<typeof rowProblem>;
const rowProblems = z.array(rowProblem);

const correctionRow = z
  .strictObject({
    row: rowNumber,
    line: ROW_SCHEMAS._row,
    cells: z
      .array(z.string().nullable())
      .describe(
        'The values of the file, in the order of `columns`; null where the row has no such cell. They never change.',
      ),
    edits: z.record(z.string(), z.string()).describe('Column -> new value.'),
    state: z.enum(CORRECTION_STATES),
    problems: rowProblems.describe('The problems that the row has now: those of the file, until it is edited.'),
    sentIn: z.string().nullable().describe('The import that it was sent in.'),
  })
  .meta({ id: 'CorrectionRow' });
export type CorrectionRow = z.infer<typeof correctionRow>;

const correctionCounts = z.strictObject({
  ready: count.describe('Rows that can be sent.'),
  wrong: count.describe('Rows with edits in which something is still wrong.'),
  sent: count,
});
export type CorrectionCounts = z.infer<typeof correctionCounts>;
const revision = count.describe('A number that grows with every edit of a cell.');

/** `GET /v1/imports/:id/corrections` */
const correctionsView = z.strictObject({
  columns: z.array(
    z.strictObject({
      name: z.string(),
      fields: z.array(z.string()).describe('Fields that are read from it.'),
    }),
  ),
  rows: correctionCounts.extend({ total: count.describe('Rows that can be corrected, or were.') }),
  problems: z.array(
    correctionCounts.extend({ status: z.enum(CORRECTED_STATUSES), code: z.string(), column: z.string(), total: count }),
  ),
  revision,
  maySend: z.boolean().describe('The import has finished: what is ready can be sent.'),
  failedTaken: z.boolean().describe('Failed rows were retried as they were: correct them in the retry.'),
});
export type CorrectionsView = z.infer<typeof correctionsView>;

/** `GET /v1/imports/:id/corrections/rows` */
const rowFilter = queryOf(ROW_FILTER);
const rowsQuery = z.strictObject({
  ...rowFilter,
  state: listOption(CORRECTION_STATES).optional().describe('Default: those that were not sent.'),
  ...pageOptions(50, 500),
});
const correctionRows = z.strictObject({
  rows: z.array(correctionRow),
  total: count.nullable().describe('Rows that pass the filter; null on pages behind the first.'),
  nextCursor,
});
export type CorrectionRows = z.infer<typeof correctionRows>;

const cell = z.string().max(MAX_CELL).nullable();

/** `PATCH /v1/imports/:id/corrections/rows` */
const askedEdits = z.strictObject({
  edits: z
    .array(
      z.strictObject({
        row: z.int().positive(),
        column: z.string().max(1_000),
        was: z
          .string()
          .nullable()
          .describe(
            'The value that is replaced, edits included; null: the row has no such cell. The edit is refused if another value is there.',
          ),
        value: cell.describe('Null: as the file had it.'),
      }),
    )
    .min(1)
    .max(MAX_EDITS),
});
export type AskedEdit = z.infer<typeof askedEdits>['edits'][number];

const refusedEdit = z.strictObject({
  row: rowNumber,
  line: ROW_SCHEMAS._row,
  column: z.string(),
  value: cell.describe('The value that was not taken.'),
  now: z.string().nullable().describe('The value that is there.'),
  reason: z.string(),
  sentIn: z.array(z.string()).describe('Imports in which the row was sent: it is corrected there.'),
});
export type RefusedEdit = z.infer<typeof refusedEdit>;

/** The result of edits, whichever way they came. A preview says what would change; it judges no row. */
const takenEdits = z.strictObject({
  rows: count.describe('Rows with an edit that was taken.'),
  cells: count,
  examples: z
    .array(z.strictObject({ line: z.int(), from: z.string(), to: z.string() }))
    .describe('The first ten cells that change.'),
  same: count.describe('Rows of a corrected file without a difference.'),
  ready: count.describe('Number of these rows that can be sent now; 0 in a preview.'),
  refused: z.array(refusedEdit).describe('Edits that were not taken, the first 1,000; all others were.'),
  refusedRows: count.describe('Rows with an edit that was not taken.'),
  wrong: z
    .array(z.strictObject({ line: z.int(), problems: rowProblems }))
    .describe('Rows in which something is still wrong; the first 20.'),
  counts: correctionCounts,
  revision,
});
export type TakenEdits = z.infer<typeof takenEdits>;

/** `POST /v1/imports/:id/corrections/replace` */
export const askedReplacement = z.strictObject({
  column: z.string().max(1_000),
  as: z
    .enum(['cell', 'text'])
    .default('cell')
    .describe(
      '`cell`: `from` is the whole cell as it is now, edits included. `text`: anywhere in the cell. Case counts.',
    ),
  from: z.string().max(MAX_CELL),
  to: z.string().max(MAX_CELL),
  ...rowFilter,
  states: z
    .array(z.enum(CORRECTION_STATES).exclude(['sent']))
    .optional()
    .describe('Default: those that were not sent.'),
  preview: z.boolean().default(false).describe('Say what would change, and change nothing.'),
});
export type AskedReplacement = z.infer<typeof askedReplacement>;

const operation = operationsOf('corrections', z.object({ id: z.string() }), ['WRONG_STATE']);

/** Rows that are invalid, failed or would fail: corrected and sent as a new import. */
export const correctionOperations = {
  overview: operation('GET /v1/imports/:id/corrections', 'viewer', {
    summary:
      'Rows to correct, by problem: invalid, failed, or expected to fail by the check of an import that was not sent',
    answer: correctionsView,
  }),
  rows: operation('GET /v1/imports/:id/corrections/rows', 'viewer', {
    summary: 'Rows to correct: as the file had them, with their edits and problems',
    query: rowsQuery,
    answer: correctionRows,
  }),
  edit: operation('PATCH /v1/imports/:id/corrections/rows', 'operator', {
    audit: 'import.edit',
    summary: 'Edit cells; each row is checked as a row of a file is, and nothing is sent',
    description:
      'Each edit names the value that it replaces. One that finds another value, or a row that was sent, is refused alone. The rows stay as the file had them; edits are kept beside them.',
    body: askedEdits,
    answer: takenEdits,
  }),
  replace: operation('POST /v1/imports/:id/corrections/replace', 'operator', {
    audit: 'import.edit',
    summary: 'Find and replace in a column of the rows to correct that pass the filter, up to 100,000',
    body: askedReplacement,
    answer: takenEdits,
  }),
  takeFile: operation('POST /v1/imports/:id/corrections/file', 'operator', {
    operationId: 'takeCorrectedFile',
    audit: 'import.edit',
    summary: 'Take edits from a corrected report: CSV or a workbook, with the column `_row`; nothing is sent',
    description:
      'The body is the file. A cell that differs from what the import had is an edit; it is refused if someone else has edited that cell.',
    answer: takenEdits,
    refusals: ['BAD_OPTION'],
  }),
  send: operation('POST /v1/imports/:id/corrections/send', 'operator', {
    audit: 'import.correct',
    summary: 'Send the corrected rows, each once, as a new import',
    query: z.strictObject({
      revision: z.coerce
        .number()
        .int()
        .nonnegative()
        .optional()
        .describe('The revision that was looked at. Refused if a cell was edited since.'),
    }),
    location: '/v1/imports/:id',
    answer: importView,
    refusals: ['WRONG_TARGET'],
  }),
};
