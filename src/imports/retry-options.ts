import type { ImportOptions } from './import-options.ts';

/** How the rows that are sent again are written. */
export interface RetryFile {
  readonly format: 'csv' | 'ndjson';
  /** A row of the import may have given several memberships: the file has one on each line, in columns of ours. */
  readonly isShaped: boolean;
}

/** How to read such a file: as the rows were read the first time, but with its own format and encoding. */
export function retryOptions(before: ImportOptions, { format, isShaped }: RetryFile): ImportOptions {
  const {
    encoding: _,
    sheet: __,
    files: ___,
    exportOf: ____,
    shape,
    identities: _____,
    repaired: ______,
    retryOnly: _________,
    expectRows: __________,
    ...more
  } = before;
  const { first: _______, only: ________, ...options } = more;
  return {
    ...options,
    dryRun: false,
    format,
    maxErrors: undefined,
    ...(isShaped && { map: {}, delimiter: undefined }),
    ...(shape?.actions !== undefined && { edits: true }),
  };
}
