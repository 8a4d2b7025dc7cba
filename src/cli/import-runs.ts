import type { Edits } from '../features/repair/commands/retry-edits.ts';
import { NothingToSend } from '../imports/import-errors.ts';
import type { RowFilter } from '../imports/report/found-rows.ts';
import { ServerRefused } from './client/server-errors.ts';
import type { ExitCode } from './exit-codes.ts';
import type { ImportFlags } from './flags/import-flags.ts';

/** Has imports made, by this process or a server, and shows them to their end. */
export interface ImportRuns {
  /** Imports a file, or what is at an address or on standard input. */
  file(file: string, flags: ImportFlags): Promise<ExitCode>;
  /** Sends rows of a finished import again. */
  retry(id: string, again: Again): Promise<ExitCode>;
}

export interface Again {
  /** Rows as they were corrected in a file. Not given: the rows as they are. */
  readonly edits: Edits | undefined;
  readonly only: RowFilter;
  /** Says that no row is left to send. */
  readonly nothingBegan: () => ExitCode;
}

/** The id of the new import; undefined where no row is left to send. The import has finished: nothing else is in the way. */
export async function unlessNothingLeft(retry: Promise<string>): Promise<string | undefined> {
  try {
    return await retry;
  } catch (error) {
    if (error instanceof NothingToSend) return undefined;
    if (error instanceof ServerRefused && error.code === 'WRONG_STATE') return undefined;
    throw error;
  }
}
