import { LOOKUP_NAMES } from '../options/lookups.ts';
import { EXPECTING, STOPPING, TRIAL } from '../options/sending-options.ts';
import type { ImportOptions } from './import-options.ts';

/** The format of a file of rows that are sent again. */
interface RetryFile {
  readonly format: 'csv' | 'ndjson';
  /** A row of the import may have given several memberships: the file has one on each line, in columns of ours. */
  readonly isShaped: boolean;
}

/** Options that concern the first file or the first try. The rows of the new file are memberships already, so `shape` goes as well. */
const OF_THE_FIRST_FILE: ReadonlySet<string> = new Set([
  ...['encoding', 'sheet', 'files', 'exportOf', 'shape', 'repaired', 'retryOnly', 'askFirst'],
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
