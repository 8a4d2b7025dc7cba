import { z } from 'zod';
import { sentTo } from '../api/fields.ts';
import { REGIONS } from '../membership/membership.ts';
import { type CreateChoices, createOptions, createOptionsOf } from '../options/create-options.ts';
import { EXPORTS } from '../options/input-kinds.ts';
import { LOOKUP_NAMES } from '../options/lookups.ts';
import { filledShape, type Given, keptOf, keptShape } from '../options/option.ts';
import { READING, SHAPE } from '../options/reading-options.ts';
import {
  BAN_OPTIONS,
  type BanChoices,
  banOptionsOf,
  EXPECTING,
  HELD,
  SENDING,
  STOPPING,
  TRIAL,
} from '../options/sending-options.ts';
import { defined } from '../platform/defined.ts';
import type { ImportRecord } from './catalog.ts';

const kept = keptShape({ ...READING, ...SHAPE });
const CHOSEN = { ...READING, ...SHAPE, ...EXPECTING, ...SENDING };

/** The reading options that are stored with an import, sync or schedule, so that it is always read in the same way. */
const reading = {
  ...kept,
  format: kept.format.unwrap().default('auto'),
  map: kept.map.unwrap().default({}),
  region: z.enum(REGIONS),
  /** The file is an export of this system: memberships are inside its elements. Set by recipes. */
  exportOf: z.enum(EXPORTS).optional(),
  /** Rows may ask for a change or a removal in a column `action`: for what a sync makes, never for what is handed in. */
  edits: z.boolean().optional(),
};

const lookupSource = z
  .strictObject({ path: z.string(), name: z.string(), sha256: z.string().exactOptional() })
  .exactOptional();
/** The identity and the group file that are read. */
export const lookupSources = { identities: lookupSource, groups: lookupSource };

const keptLookup = z.strictObject({ name: z.string(), sha256: z.string() }).optional();

/** The options of an import. Kept with the import, so that `resume` and `retry` continue in the same way. */
export const importOptions = z.strictObject({
  ...reading,
  /** The recipe that gave some of these options. */
  recipe: z.string().optional(),
  ...keptShape({ ...EXPECTING, ...SENDING }),
  /** The identity and the group file as the user named them; a copy is in the import's folder. */
  identities: keptLookup,
  groups: keptLookup,
  /** Its rows were corrected in the import that it is a retry of, and the others of that import are still to be retried. */
  corrected: z.boolean().optional(),
  /** Counts those of them that were left out there: they needed no person. */
  leftOut: z.int().optional(),
  /** Users and groups that it may create. Absent: none. */
  create: createOptions.optional(),
  ...BAN_OPTIONS,
  /** The filter that chose the rows of a partial retry, by option. */
  retryOnly: z.boolean().optional(),
  /** Meant for the sandbox: must never continue against the service itself. */
  sandbox: z.boolean().default(false),
  /** The destination; the coordinator stores it. */
  target: sentTo.optional(),
  ...filledShape(HELD),
});
export type ImportOptions = z.infer<typeof importOptions>;

/** Returns the options for the choices of a command or request, which are checked already. */
export function chosenOptions(
  chosen: Given<typeof CHOSEN> & CreateChoices & BanChoices,
  rest: Pick<ImportOptions, 'region' | 'sandbox'> & Partial<ImportOptions>,
): ImportOptions {
  return {
    format: 'auto',
    map: {},
    dryRun: false,
    ...rest,
    ...keptOf(CHOSEN, chosen),
    ...defined({ create: createOptionsOf(chosen) }),
    ...banOptionsOf(chosen),
  };
}

/** The options that were kept with an import. */
export function readOptions(record: Pick<ImportRecord, 'options'>): ImportOptions {
  return importOptions.parse(JSON.parse(record.options));
}

/** The part of the options that concerns reading. */
export const readingOptions = z.object(reading);

/** The format of a file of rows that are sent again. */
interface RetryFile {
  readonly format: 'csv' | 'ndjson';
  /** A row of the import may have given several memberships: the file has one on each line, in columns of ours. */
  readonly isShaped: boolean;
}

/** Options that concern the first file or the first try. The rows of the new file are memberships already, so `shape` goes as well. */
const OF_THE_FIRST_FILE: ReadonlySet<string> = new Set([
  ...['encoding', 'sheet', 'files', 'exportOf', 'shape', 'corrected', 'leftOut', 'retryOnly', 'askFirst'],
  ...LOOKUP_NAMES,
  ...Object.keys({ ...EXPECTING, ...STOPPING, ...TRIAL }),
]);

/** Returns the options for such a file: those of the first reading, but with its own format and encoding. */
export function retryOptions(before: ImportOptions, { format, isShaped }: RetryFile): ImportOptions {
  const { shape } = before;
  const kept = Object.entries(before).filter(([name]) => !OF_THE_FIRST_FILE.has(name));
  return {
    ...(Object.fromEntries(kept) as ImportOptions),
    dryRun: false,
    format,
    ...(isShaped && { map: {}, delimiter: undefined }),
    ...(shape?.actions !== undefined && { edits: true }),
  };
}
