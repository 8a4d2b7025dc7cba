import { z } from 'zod';
import { INPUT_KINDS } from '../options/input-kinds.ts';
import { count, inputNote, original } from './fields.ts';
import { importView } from './imports.ts';
import { problem } from './problems.ts';
import { NEED, type RecipeSettings } from './recipes.ts';

/** Rows that a preview shows. */
export const ROWS_SHOWN = 20;

const preview = z.strictObject({
  format: z.enum(['csv', 'json', 'ndjson']).describe('Stored form of the rows: cells, or JSON elements.'),
  kind: z.enum(INPUT_KINDS).describe('The kind of the file.'),
  notes: z.array(inputNote),
  encoding: z.string(),
  delimiter: z.string().nullable().describe('Null for JSON and NDJSON.'),
  columns: z.array(z.string()),
  recognised: z.record(z.string(), z.string()).describe('Field -> column.'),
  missing: z.array(z.string()).describe('Fields that neither a column nor an option gives.'),
  rows: z
    .array(
      z.strictObject({
        line: z.int(),
        region: z.string(),
        guid: z.string(),
        uid: z.string(),
        scope: z.string(),
        original,
        value: z.string().optional().describe('The value of its row, if a row may give several memberships.'),
        skipped: z.boolean().optional().describe('The row is left out: its problem says why.'),
        problems: z.array(
          z.strictObject({ column: z.string(), value: z.string(), code: z.string(), reason: z.string() }),
        ),
      }),
    )
    .describe(`The first ${ROWS_SHOWN}.`),
  truncated: z.boolean().describe('There is more than what is shown.'),
});
export type Preview = z.infer<typeof preview>;
export type PreviewRow = Preview['rows'][number];

const LOOKS = ['email', 'id', 'name', 'scope', 'status', 'date', 'mark', 'list', 'empty', 'text'] as const;

const settings = z
  .record(z.string(), z.unknown())
  .describe('Options of an import, as a recipe has them: `map`, `shape`.') as z.ZodType<RecipeSettings>;

/** Facts about a file: its format, how it would be read, and the options that are missing. */
export const fileFacts = z
  .strictObject({
    name: z.string(),
    bytes: count.nullable(),
    format: z.string().nullable().describe('Null if the file cannot be read.'),
    compression: z.enum(['gzip', 'zstd']).nullable(),
    encoding: z.string().nullable(),
    delimiter: z.string().nullable().describe('The delimiter of a CSV file.'),
    sheets: z
      .array(z.strictObject({ name: z.string(), isVisible: z.boolean() }))
      .describe('The sheets of a workbook, also if the one to read cannot be read; in the order of their tabs.'),
    notes: z.array(z.string()).describe('Notes for people: which sheet, which files.'),
    firstLines: z.array(z.string()).describe('Up to five; none of a file that is not text.'),
    columns: z.array(
      z.strictObject({
        name: z.string(),
        looksLike: z.enum(LOOKS),
        separator: z.string().optional().describe('For a list: the separator of its values.'),
        examples: z.array(z.string()),
        filled: count.describe('Rows with a value, of those that were looked at.'),
        different: count.describe('Different values among them.'),
        words: z.record(z.string(), count).optional().describe('All values with their rows, where they are few words.'),
      }),
    ),
    recognised: preview.shape.recognised,
    missing: preview.shape.missing,
    rows: z
      .strictObject({ seen: count, valid: count })
      .describe('Rows that were looked at, and those of them that could be sent with these options.'),
    refusal: z
      .strictObject({ code: z.string(), message: z.string() })
      .nullable()
      .describe('The reason why the file would be refused with these options.'),
    recipes: z
      .array(
        z.strictObject({
          name: z.string(),
          title: z.string(),
          needs: z.array(z.strictObject({ what: NEED, why: z.string(), optional: z.boolean() })),
        }),
      )
      .describe('Recipes that the file fits, the likeliest first.'),
    steps: z
      .array(
        z.strictObject({
          text: z.string().describe('Advice; empty where the settings say it all.'),
          settings: settings.optional(),
          needs: NEED.optional().describe('An addition that only a person can make.'),
          instead: settings.optional().describe('Settings that do in place of the addition.'),
          isOpen: z
            .boolean()
            .optional()
            .describe('It is about columns or words that only a person can judge; they are not in the settings.'),
        }),
      )
      .describe('Its needs and oddities, one by one; after a step about the header, they count from there.'),
    command: z.string().nullable().describe('A command that imports the file; <…> is yours to fill in.'),
  })
  .meta({ title: 'Facts about a file' });
export type FileFacts = z.infer<typeof fileFacts>;

/** `POST /v1/look`: what a file is, and how its beginning would be read. */
export const look = z.strictObject({
  facts: fileFacts.nullable().describe('Null if it is not known.'),
  preview: preview.nullable().describe('Null if the file cannot be read with these options.'),
  problem: problem.nullable().describe('The reason why it cannot be read.'),
  before: z
    .strictObject({
      isWhole: z.boolean().describe('False: only the beginning and the size are known to be the same.'),
      import: importView,
    })
    .nullable()
    .describe('The last import that sent rows of the same file; null for none.'),
});
export type FileLook = z.infer<typeof look>;
