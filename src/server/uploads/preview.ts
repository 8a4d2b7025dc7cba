import { z } from 'zod';
import type { ImportOptions } from '../../imports/import-options.ts';
import { INPUT_KINDS } from '../../imports/read/detect.ts';
import { IntakeError } from '../../imports/read/intake-error.ts';
import { ROWS_SHOWN } from '../../imports/report/preview.ts';
import { ReadingStopped } from '../../imports/report/reading-lane.ts';
import type { ReadingThreads } from '../../imports/report/reading-threads.ts';
import { Problem } from '../problem.ts';
import { badReading } from './options.ts';

export const PREVIEW_BYTES = 1024 * 1024;
/** Workbooks and archives have their directory at the end, so that they are needed as a whole. */
export const PREVIEW_ZIP_BYTES = 4 * 1024 * 1024;
/** Time that reading the beginning of a file may take, in ms: a thousand times what an honest one needs. */
const DEADLINE_MS = 10_000;

export const previewView = z.strictObject({
  format: z.enum(['csv', 'json', 'ndjson']).meta({ description: 'How rows are kept: as cells, or as JSON elements.' }),
  kind: z.enum(INPUT_KINDS).meta({ description: 'What the file is.' }),
  notes: z
    .array(z.strictObject({ code: z.string(), text: z.string() }))
    .meta({ description: 'What a person should know about the file, such as which sheet of a workbook is read.' }),
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
        original: z.record(z.string(), z.unknown()),
        problems: z.array(
          z.strictObject({ column: z.string(), value: z.string(), code: z.string(), reason: z.string() }),
        ),
      }),
    )
    .meta({ description: `The first ${ROWS_SHOWN}.` }),
  truncated: z.boolean().meta({ description: 'There is more than what is shown.' }),
});

/**
 * How the beginning of a file would be read with these options: a `Preview` as JSON text. It is read in a thread whose
 * memory and time are bounded, and no longer than until `signal` is aborted.
 * @throws Problem BAD_OPTION, BAD_BODY
 */
export async function previewOf(
  threads: Pick<ReadingThreads, 'preview'>,
  head: Buffer,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    return Buffer.from(await threads.preview(head, options, { deadlineMs: DEADLINE_MS, signal }));
  } catch (error) {
    if (error instanceof IntakeError) throw badReading(error);
    if (error instanceof ReadingStopped && (error.reason === 'deadline' || error.reason === 'memory')) {
      throw new Problem('BAD_BODY', `The beginning of the file cannot be shown: ${error.message}.`, {
        remedy: 'Look for endless blank lines, thousands of columns or a value of many megabytes in it.',
      });
    }
    throw error;
  }
}
