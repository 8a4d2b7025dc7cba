import { z } from 'zod';
import { count, nextCursor, time } from './fields.ts';
import { cursorOption, limitOption, listOption } from './options.ts';

/** Edits of cells in one request, at most. */
const MOST_EDITS = 1_000;
/** Characters of a cell, at most. */
const MOST_OF_CELL = 10_000;

/** What was done about a row: nothing, edits that do not suffice yet, edits with which it can be sent, or it was sent. */
const REPAIR_STATES = ['open', 'wrong', 'ready', 'sent'] as const;
export type RepairState = (typeof REPAIR_STATES)[number];

const rowProblem = z.strictObject({
  column: z.string().meta({ description: 'As the file names it; empty where it is about the whole row.' }),
  code: z.string(),
  reason: z.string(),
});
export type RepairProblem = z.infer<typeof rowProblem>;
export const rowProblems = z.array(rowProblem);

const edit = z.strictObject({
  column: z.string(),
  value: z.string().nullable().meta({ description: 'Null: the cell has the value of the file again.' }),
  by: z.string(),
  at: time,
});

const repairRow = z
  .strictObject({
    row: z.int().meta({ description: 'Number of the row in the order of the input, from 1.' }),
    line: z.int().meta({ description: 'As a spreadsheet counts.' }),
    status: z.enum(['invalid', 'failed']),
    code: z.string(),
    problems: rowProblems.meta({ description: 'What was wrong with it, as the file had it.' }),
    cells: z.array(z.string().nullable()).meta({
      description:
        'What the file had, in the order of `columns`; null where the row has no such cell. It never changes.',
    }),
    edits: z.record(z.string(), z.string()).meta({ description: 'Column -> new value.' }),
    history: z.array(edit).meta({ description: 'All edits of the row, in order; the last 50.' }),
    state: z.enum(REPAIR_STATES),
    left: rowProblems.meta({ description: 'What is still wrong with it, with its edits.' }),
    sentIn: z.string().nullable().meta({ description: 'The import that it was sent in.' }),
  })
  .meta({ id: 'RepairRow' });
export type RepairRow = z.infer<typeof repairRow>;

const repairCounts = z.strictObject({
  ready: count.meta({ description: 'Rows that can be sent.' }),
  wrong: count.meta({ description: 'Rows with edits in which something is still wrong.' }),
  sent: count,
});
export type RepairCounts = z.infer<typeof repairCounts>;

/** `GET /v1/imports/:id/repair` */
export const repairView = z.strictObject({
  columns: z.array(
    z.strictObject({ name: z.string(), fields: z.array(z.string()).meta({ description: 'What it is read for.' }) }),
  ),
  rows: repairCounts.extend({ total: count.meta({ description: 'Rows that can be repaired, or were.' }) }),
  problems: z.array(repairCounts.extend({ status: z.enum(['invalid', 'failed']), code: z.string(), total: count })),
  sends: z.array(z.strictObject({ importId: z.string(), by: z.string(), at: time, rows: count })),
  maySend: z.boolean().meta({ description: 'The import has finished: what is ready can be sent.' }),
  failedTaken: z.boolean().meta({ description: 'Failed rows were retried as they were: repair them in the retry.' }),
});
export type RepairView = z.infer<typeof repairView>;

/** `GET /v1/imports/:id/repair/rows` */
export const repairQuery = z.strictObject({
  status: z.enum(['invalid', 'failed']).optional(),
  code: z.string().max(200).optional(),
  state: listOption(REPAIR_STATES).optional().meta({ description: 'Default: those that were not sent.' }),
  limit: limitOption(50, 500),
  cursor: cursorOption.optional(),
});
export const repairRows = z.strictObject({ rows: z.array(repairRow), nextCursor });
export type RepairRows = z.infer<typeof repairRows>;

/** `PATCH /v1/imports/:id/repair/rows` */
export const repairEdits = z.strictObject({
  edits: z
    .array(
      z.strictObject({
        row: z.int().positive(),
        column: z.string().max(1_000),
        value: z.string().max(MOST_OF_CELL).nullable().meta({ description: 'Null: as the file had it.' }),
      }),
    )
    .min(1)
    .max(MOST_EDITS),
});
export const repairEdited = z.strictObject({ rows: z.array(repairRow), counts: repairCounts });
export type RepairEdited = z.infer<typeof repairEdited>;

/** `POST /v1/imports/:id/repair/replace` */
export const repairReplace = z.strictObject({
  column: z.string().max(1_000),
  from: z.string().max(MOST_OF_CELL).meta({ description: 'The whole cell as it is now, edits included.' }),
  to: z.string().max(MOST_OF_CELL),
  status: z.enum(['invalid', 'failed']).optional(),
  code: z.string().max(200).optional(),
});
export const repairReplaced = z.strictObject({
  rows: count.meta({ description: 'Rows that had the value.' }),
  ready: count.meta({ description: 'Of these, rows that can be sent now.' }),
  counts: repairCounts,
});
export type RepairReplaced = z.infer<typeof repairReplaced>;

/** `POST /v1/imports/:id/repair/file` */
export const repairFileBody = z.strictObject({ csv: z.string().min(1) });
export const repairTaken = z.strictObject({
  rows: count.meta({ description: 'Rows in which the file differs from what was there.' }),
  cells: count,
  same: count.meta({ description: 'Rows of the file without a difference.' }),
  wrong: z
    .array(z.strictObject({ line: z.int(), problems: z.array(rowProblem) }))
    .meta({ description: 'Rows in which something is still wrong; the first 20.' }),
  counts: repairCounts,
});
export type RepairTaken = z.infer<typeof repairTaken>;
