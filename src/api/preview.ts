import { z } from 'zod';
import { INPUT_KINDS } from '../options/input-kinds.ts';
import { inputNote, original } from './fields.ts';

/** Rows that a preview shows. */
export const ROWS_SHOWN = 20;

/** The first rows of a file, as they would be read. */
export const preview = z.strictObject({
  format: z.enum(['csv', 'json', 'ndjson']).meta({ description: 'Stored form of the rows: cells, or JSON elements.' }),
  kind: z.enum(INPUT_KINDS).meta({ description: 'The kind of the file.' }),
  notes: z.array(inputNote),
  encoding: z.string(),
  delimiter: z.string().nullable().meta({ description: 'Null for JSON and NDJSON.' }),
  columns: z.array(z.string()),
  recognised: z.record(z.string(), z.string()).meta({ description: 'Field -> column.' }),
  missing: z.array(z.string()).meta({ description: 'Fields that neither a column nor an option gives.' }),
  rows: z
    .array(
      z.strictObject({
        line: z.int(),
        region: z.string(),
        guid: z.string(),
        uid: z.string(),
        scope: z.string(),
        original,
        value: z
          .string()
          .optional()
          .meta({ description: 'The value of its row, if a row may give several memberships.' }),
        skipped: z.boolean().optional().meta({ description: 'The row is left out: its problem says why.' }),
        problems: z.array(
          z.strictObject({ column: z.string(), value: z.string(), code: z.string(), reason: z.string() }),
        ),
      }),
    )
    .meta({ description: `The first ${ROWS_SHOWN}.` }),
  truncated: z.boolean().meta({ description: 'There is more than what is shown.' }),
});
export type Preview = z.infer<typeof preview>;
export type PreviewRow = Preview['rows'][number];
