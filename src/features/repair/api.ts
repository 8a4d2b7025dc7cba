import { z } from 'zod';
import { count, nextCursor, rowNumber, time } from '../../api/fields.ts';
import { cursorOption, limitOption, listOption } from '../../api/query-options.ts';
import { ROW_COLUMNS } from '../../api/rows.ts';

/** Edits of cells in one request, at most. */
const MAX_EDITS = 1_000;
/** Characters of a cell, at most. */
export const MAX_CELL = 10_000;

/** Rows that a page shows at once, and lines that are pasted at once. */
const MAX_SHOWN = 10_000;
const MAX_LINES = 100_000;

/** Outcomes of rows that can be repaired; skipped: it was left out; unprocessed: it would fail, and nothing was sent yet. */
const REPAIRED_STATUSES = ['invalid', 'failed', 'skipped', 'unprocessed'] as const;
export type RepairedStatus = (typeof REPAIRED_STATUSES)[number];

/** States of a repaired row: unchanged, edited but not yet valid, edited and ready to send, or sent. */
const REPAIR_STATES = ['open', 'wrong', 'ready', 'sent'] as const;
export type RepairState = (typeof REPAIR_STATES)[number];

const rowProblem = z.strictObject({
  column: z
    .string()
    .meta({ description: 'Name of the column in the file; empty if the problem concerns the whole row.' }),
  code: z.string(),
  reason: z.string(),
});
export type RepairProblem = z.infer<typeof rowProblem>;
export const rowProblems = z.array(rowProblem);

/** Kinds of actions; a person does each in one go. */
const REPAIR_ACTIONS = ['edit', 'restore', 'paste', 'fill', 'replace', 'file', 'undo', 'redo'] as const;
export type RepairAction = (typeof REPAIR_ACTIONS)[number];

const edit = z.strictObject({
  column: z.string(),
  value: z.string().nullable().meta({ description: 'Null: the cell has the value of the file again.' }),
  by: z.string(),
  at: time,
});

const repairRow = z
  .strictObject({
    row: rowNumber,
    line: ROW_COLUMNS._row[1],
    status: z.enum(REPAIRED_STATUSES),
    code: z.string(),
    problems: rowProblems.meta({ description: 'Problems of the row in the file.' }),
    cells: z.array(z.string().nullable()).meta({
      description:
        'The values of the file, in the order of `columns`; null where the row has no such cell. They never change.',
    }),
    edits: z.record(z.string(), z.string()).meta({ description: 'Column -> new value.' }),
    history: z.array(edit).meta({ description: 'All edits of the row, in order; the last 50.' }),
    state: z.enum(REPAIR_STATES),
    left: rowProblems.meta({ description: 'Problems that are left with its edits.' }),
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
    z.strictObject({
      name: z.string(),
      fields: z.array(z.string()).meta({ description: 'Fields that are read from it.' }),
    }),
  ),
  rows: repairCounts.extend({ total: count.meta({ description: 'Rows that can be repaired, or were.' }) }),
  problems: z.array(
    repairCounts.extend({ status: z.enum(REPAIRED_STATUSES), code: z.string(), column: z.string(), total: count }),
  ),
  undo: z
    .strictObject({ action: z.int(), kind: z.enum(REPAIR_ACTIONS), rows: count, cells: count, at: time })
    .nullable()
    .meta({
      description:
        'The action that `undo` would take back: the last one, if it is yours and none of its rows was sent.',
    }),
  redo: z.strictObject({ action: z.int(), cells: count }).nullable().meta({
    description:
      'The edit that `redo` repeats: your last undo, if nothing was edited since and none of its rows was sent.',
  }),
  sends: z.array(z.strictObject({ importId: z.string(), by: z.string(), at: time, rows: count })),
  maySend: z.boolean().meta({ description: 'The import has finished: what is ready can be sent.' }),
  failedTaken: z.boolean().meta({ description: 'Failed rows were retried as they were: repair them in the retry.' }),
});
export type RepairView = z.infer<typeof repairView>;

/** `GET /v1/imports/:id/repair/rows` */
export const repairQuery = z.strictObject({
  status: z.enum(REPAIRED_STATUSES).optional(),
  code: z.string().max(200).optional(),
  problemColumn: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: 'The column that the problem is in; empty: none.' }),
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
        value: z.string().max(MAX_CELL).nullable().meta({ description: 'Null: as the file had it.' }),
      }),
    )
    .min(1)
    .max(MAX_EDITS),
});
export const repairEdited = z.strictObject({ rows: z.array(repairRow), counts: repairCounts });
export type RepairEdited = z.infer<typeof repairEdited>;

const states = z
  .array(z.enum(REPAIR_STATES).exclude(['sent']))
  .optional()
  .meta({ description: 'Default: those that were not sent.' });
const someRows = { ...repairQuery.pick({ status: true, code: true, problemColumn: true }).shape, states };
const show = z
  .array(z.int().positive())
  .max(MAX_SHOWN)
  .default([])
  .meta({ description: 'Rows to answer with, as they are afterwards, if they change.' });
const columnName = z.string().max(1_000);
const preview = z.boolean().default(false).meta({ description: 'Say what would change, and change nothing.' });

/** `POST /v1/imports/:id/repair/replace` */
export const repairReplace = z.strictObject({
  column: columnName,
  as: z.enum(['cell', 'text', 'pattern']).default('cell').meta({
    description:
      '`cell`: `from` is the whole cell as it is now, edits included. `text`: wherever it stands in the cell. `pattern`: the whole cell, where `*` stands for any characters and `?` for one; `$1` in `to` is what the first of them stands for. Case counts.',
  }),
  from: z.string().max(MAX_CELL),
  to: z.string().max(MAX_CELL),
  ...someRows,
  preview,
  show,
});
export type RepairReplace = z.infer<typeof repairReplace>;

/** `POST /v1/imports/:id/repair/paste` */
export const repairPaste = z.strictObject({
  rows: z.array(z.int().positive()).min(1).max(MAX_SHOWN).meta({
    description:
      'The first rows to enter lines in. Further lines go into the rows behind the last of these that pass the filter.',
  }),
  columns: z.array(columnName).min(1).max(10_000).meta({ description: 'Columns of the cells of a line.' }),
  lines: z
    .array(z.array(z.string().max(MAX_CELL)).min(1))
    .min(1)
    .max(MAX_LINES),
  fill: z.boolean().default(false).meta({ description: 'The lines are repeated up to the last row.' }),
  ...someRows,
  preview,
  show,
});
export type RepairPaste = z.infer<typeof repairPaste>;

/** `POST /v1/imports/:id/repair/undo` */
export const repairUndo = z.strictObject({
  action: z
    .int()
    .positive()
    .meta({ description: 'The action that `undo` or `redo` of `GET /v1/imports/ID/repair` names.' }),
  show,
});
export type RepairUndo = z.infer<typeof repairUndo>;

/** Rows that an action is about. */
export type SomeRows = Pick<RepairReplace, 'status' | 'code' | 'problemColumn' | 'states'>;

/** The changes of an action, made or previewed. */
export const repairReplaced = z.strictObject({
  rows: count.meta({ description: 'Rows that are changed.' }),
  cells: count,
  ready: count.meta({ description: 'Number of these rows that can be sent now; 0 in a preview.' }),
  leftOut: z.strictObject({ lines: count, cells: count }).meta({
    description: 'Lines for which there is no row, and cells of the other lines for which there is no column.',
  }),
  examples: z
    .array(z.strictObject({ line: z.int(), column: z.string(), from: z.string(), to: z.string() }))
    .meta({ description: 'The first ten cells that change.' }),
  shown: z.array(repairRow),
  counts: repairCounts,
});
export type RepairReplaced = z.infer<typeof repairReplaced>;

/** `POST /v1/imports/:id/repair/file` */
export const repairFileBody = z.strictObject({ csv: z.string().min(1) });
export const repairTaken = z.strictObject({
  rows: count.meta({ description: 'Rows in which the file differs from what was there.' }),
  cells: count,
  same: count.meta({ description: 'Rows of the file without a difference.' }),
  freed: count.meta({
    description: 'Further rows that can be sent now: the other row that made them invalid is corrected.',
  }),
  wrong: z
    .array(z.strictObject({ line: z.int(), problems: z.array(rowProblem) }))
    .meta({ description: 'Rows in which something is still wrong; the first 20.' }),
  retried: count.optional().meta({
    description: 'Rows that are corrected in the file, but were retried as they were: correct them in the retry.',
  }),
  sent: z
    .array(
      z.strictObject({
        importId: z.string(),
        rows: count,
        changed: count.meta({
          description: 'Number of these rows that are corrected once more: correct them in that import.',
        }),
      }),
    )
    .optional()
    .meta({
      description: 'Rows of the file that were repaired and sent before, by the import that they were sent in.',
    }),
  counts: repairCounts,
});
export type RepairTaken = z.infer<typeof repairTaken>;
