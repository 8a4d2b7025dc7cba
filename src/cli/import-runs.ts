import { importOperations } from '../api/operations/import-operations.ts';
import type { Edits } from '../features/repair/commands/retry-edits.ts';
import { NothingToSend } from '../imports/import-errors.ts';
import { type RowFilter, rowFilterOptions } from '../imports/report/found-rows.ts';
import { type Given, textsOf } from '../options/option.ts';
import { STOPPING } from '../options/sending-options.ts';
import type { Client } from './client/operation-client.ts';
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
  /** Not given: as it was. */
  readonly maxErrors: Given<typeof STOPPING>['maxErrors'];
  /** Says that no row is left to send. */
  readonly nothingBegan: () => ExitCode;
}

/** Has rows sent again. Returns the id of the new import; undefined where no row is left to send: the import has finished, so nothing else is in the way. */
export async function retryRows(
  client: Client,
  id: string,
  { only, maxErrors }: Pick<Again, 'only' | 'maxErrors'>,
): Promise<string | undefined> {
  const chosen = { ...rowFilterOptions(only), ...Object.fromEntries(textsOf(STOPPING, { maxErrors })) };
  try {
    return (await client.call(importOperations.retry, { id, ...chosen })).id;
  } catch (error) {
    if (error instanceof NothingToSend) return undefined;
    if (error instanceof ServerRefused && error.code === 'WRONG_STATE') return undefined;
    throw error;
  }
}
