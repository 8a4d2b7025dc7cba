import { z } from 'zod';
import { INPUT_KINDS } from '../api/input-kinds.ts';
import { REGIONS, SCOPES } from '../membership/membership.ts';
import { BAN_OPTIONS } from './ban-options.ts';
import type { ImportRecord } from './catalog.ts';
import { createOptions } from './create-options.ts';
import { fileOptions } from './file-options.ts';
import { BOUND_NAMES } from './read/bounds.ts';
import { EXPORTS } from './read/exports.ts';
import { SHAPING_OPTIONS } from './shaping-options.ts';

/** How an import is read and run. Kept with the import, so that `resume` and `retry` continue in the same way. */
export const importOptions = z.strictObject({
  format: z.enum(['auto', ...INPUT_KINDS]).default('auto'),
  encoding: z.string().optional(),
  delimiter: z.string().optional(),
  /** Field -> column, for columns whose names are not recognised; '' where the file has none for it. */
  map: z.partialRecord(z.enum(['region', 'guid', 'uid', 'scope', 'onBehalfOf']), z.string()).default({}),
  /** The file is an export of this system: memberships are inside its elements. Set by recipes. */
  exportOf: z.enum(EXPORTS).optional(),
  /** The recipe that gave some of these options. */
  recipe: z.string().optional(),
  /** Bounds of the file that are not at their defaults. */
  bounds: z.partialRecord(z.enum(BOUND_NAMES), z.int().positive()).optional(),
  /** Wait until the file has not changed for this long before it is read, in ms. */
  waitForQuietMs: z.int().positive().optional(),
  ...fileOptions.shape,
  /** For rows that do not say themselves. */
  guid: z.string().optional(),
  scope: z.enum(SCOPES).optional(),
  region: z.enum(REGIONS),
  onBehalfOf: z.string().optional(),
  /** Stop when more rows than this failed, are invalid or unconfirmed: a number, or a share of the rows in percent. */
  maxErrors: z
    .union([z.strictObject({ rows: z.int().nonnegative() }), z.strictObject({ percent: z.number().min(0).max(100) })], {
      error: 'allowed are { rows: 10 } and { percent: 5 }',
    })
    .optional(),
  /** Rows that the file must have; with another number nothing is sent. */
  expectRows: z.int().positive().optional(),
  /** How long it waits for a service that answers nothing, in ms; absent: as long as the process says that sends it. */
  giveUpAfterMs: z.int().positive().optional(),
  /** Rows may ask for a change or a removal in a column `action`: for what a sync makes, never for what is handed in. */
  edits: z.boolean().optional(),
  /** Its rows were repaired in the import that it is a retry of, and the others of that import are still to be retried. */
  repaired: z.boolean().optional(),
  /** What it may create; absent: nothing. */
  create: createOptions.optional(),
  ...SHAPING_OPTIONS,
  ...BAN_OPTIONS,
  /** Of a retry of some rows only: the filter that chose them, by option. */
  retryOnly: z.record(z.string(), z.string()).optional(),
  /** Meant for the sandbox: must never continue against the service itself. */
  sandbox: z.boolean().default(false),
  /** Only read and check; `resume` sends. */
  dryRun: z.boolean().default(false),
});
export type ImportOptions = z.infer<typeof importOptions>;

/** Most rows that may fail, be invalid or unconfirmed before an import of `read` rows is aborted. */
export function errorLimit(options: Pick<ImportOptions, 'maxErrors'>, read: number): number {
  const { maxErrors } = options;
  if (maxErrors === undefined) return Number.POSITIVE_INFINITY;
  return 'rows' in maxErrors ? maxErrors.rows : Math.floor((read * maxErrors.percent) / 100);
}

/** The options that were kept with an import. */
export function readOptions(record: Pick<ImportRecord, 'options'>): ImportOptions {
  return importOptions.parse(JSON.parse(record.options));
}

const { shape: fields } = importOptions;
const optional = <Field extends z.ZodType>(field: z.ZodOptional<Field>) => field.unwrap().exactOptional();

/** The part of the options that concerns reading, as it is kept with a sync or schedule. */
export const keptIntakeOptions = z.strictObject({
  format: fields.format.unwrap(),
  encoding: optional(fields.encoding),
  delimiter: optional(fields.delimiter),
  mapping: fields.map.unwrap(),
  shape: optional(fields.shape),
  edits: optional(fields.edits),
  exportOf: optional(fields.exportOf),
  bounds: optional(fields.bounds),
  waitForQuietMs: optional(fields.waitForQuietMs),
  sheet: optional(fields.sheet),
  files: optional(fields.files),
  defaults: z.strictObject({
    region: fields.region,
    guid: optional(fields.guid),
    scope: optional(fields.scope),
    onBehalfOf: optional(fields.onBehalfOf),
  }),
});

/** The part of the options that concerns reading. */
export function intakeOptions(options: ImportOptions): z.infer<typeof keptIntakeOptions> {
  const { format, encoding, delimiter, map, bounds, waitForQuietMs, sheet, files } = options;
  const { guid, scope, region, onBehalfOf, edits, shape, exportOf } = options;
  return {
    format,
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
    mapping: map,
    ...(shape !== undefined && { shape }),
    ...(edits !== undefined && { edits }),
    ...(exportOf !== undefined && { exportOf }),
    ...(bounds !== undefined && { bounds }),
    ...(waitForQuietMs !== undefined && { waitForQuietMs }),
    ...(sheet !== undefined && { sheet }),
    ...(files !== undefined && { files }),
    defaults: {
      region,
      ...(guid !== undefined && { guid }),
      ...(scope !== undefined && { scope }),
      ...(onBehalfOf !== undefined && { onBehalfOf }),
    },
  };
}
