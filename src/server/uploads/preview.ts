import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Field, type InputRow, type Intake, openIntake } from '../../intake/intake.ts';
import { IntakeError } from '../../intake/intake-error.ts';
import { type ImportOptions, intakeOptions } from '../../pipeline/import-options.ts';
import { originalView } from '../original-view.ts';
import { badReading } from './options.ts';

export const PREVIEW_BYTES = 1024 * 1024;
const ROWS_SHOWN = 20;
/** From this size on a file that does not end with a line is taken for the beginning of a longer one. */
const BEGINNING_BYTES = 64 * 1024;

export const previewView = z.strictObject({
  format: z.enum(['csv', 'json', 'ndjson']),
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
export type Preview = z.infer<typeof previewView>;

/** How the beginning of a file would be read with these options. @throws Problem BAD_OPTION, BAD_BODY */
export async function preview(head: Buffer, options: ImportOptions): Promise<Preview> {
  try {
    const stream = Readable.from([beginning(head, options)]);
    const intake = await openIntake({ stream, name: 'the file' }, { ...intakeOptions(options), lenient: true });
    const { rows, more } = await firstRows(intake);
    const recognised = intake.recognised;
    const columns = intake.columns();
    return {
      format: intake.format,
      encoding: intake.encoding,
      delimiter: intake.delimiter ?? null,
      columns: [...columns],
      recognised: { ...recognised },
      missing: missingFields(recognised, options),
      rows: rows.map(({ onBehalfOf: _, original, problems, ...row }) => ({
        ...row,
        original: originalView(columns, intake.format, original),
        problems: [...problems],
      })),
      truncated: more,
    };
  } catch (error) {
    throw error instanceof IntakeError ? badReading(error) : error;
  }
}

/** A long CSV text ends somewhere in a row: that row is not shown. */
function beginning(head: Buffer, { format }: ImportOptions): Buffer {
  const first = head.subarray(0, 1).toString();
  const isText = format === 'csv' || (format === 'auto' && first !== '[' && first !== '{');
  const end = head.lastIndexOf('\n') + 1;
  return isText && head.length >= BEGINNING_BYTES && end > 0 ? head.subarray(0, end) : head;
}

async function firstRows(intake: Intake): Promise<{ rows: readonly InputRow[]; more: boolean }> {
  const rows: InputRow[] = [];
  try {
    for await (const chunk of intake.chunks()) {
      rows.push(...chunk);
      if (rows.length > ROWS_SHOWN) break;
    }
  } catch (error) {
    // Where the beginning of a file breaks off, its end may follow: what was read up to there is shown.
    if (!(error instanceof IntakeError) || rows.length === 0) throw error;
    return { rows: rows.slice(0, ROWS_SHOWN), more: true };
  }
  return { rows: rows.slice(0, ROWS_SHOWN), more: rows.length > ROWS_SHOWN };
}

function missingFields(recognised: Readonly<Partial<Record<Field, string>>>, { guid }: ImportOptions): Field[] {
  return (['uid', 'guid'] as const).filter(
    (field) => recognised[field] === undefined && !(field === 'guid' && guid !== undefined),
  );
}
