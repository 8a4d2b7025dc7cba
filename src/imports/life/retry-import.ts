import { constants } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { extname, join, parse } from 'node:path';
import { actionsOf, isFinal } from '../../membership/import-state.ts';
import type { Kept } from '../../options/option.ts';
import type { RowFilter } from '../../options/row-filter.ts';
import type { STOPPING } from '../../options/sending-options.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { type ImportRecord, tagsOf } from '../catalog.ts';
import { nothingToSend, wrongState } from '../import-errors.ts';
import { newImportId } from '../import-id.ts';
import { type ImportOptions, readOptions, retryOptions } from '../import-options.ts';
import { linesSentEdited } from '../repaired-rows.ts';
import { openImportReader } from '../report/import-reader.ts';
import type { LedgerThreads } from '../report/ledger-threads.ts';
import { retryFile } from '../report/report-paths.ts';

/** Options of a retry that may differ from those of the earlier import. */
export interface RetryChanges extends Kept<typeof STOPPING> {
  /** Filter of the rows that may be sent again. */
  readonly only?: RowFilter;
  /** Name of who asks for it. */
  readonly createdBy?: string;
}

/** A new import, as `Coordinator.create` takes it. */
interface RetryOfImport {
  readonly id: string;
  readonly file: string;
  readonly source: string;
  readonly retryOf: string;
  readonly createdBy: string;
  readonly tags: readonly string[];
  readonly options: ImportOptions;
}

/**
 * Begins an import of what failed, was not confirmed or not sent in an earlier one, through `create`. It gets its own
 * copy of the retry file, because the earlier import may be removed at any time.
 * @throws WRONG_STATE when the earlier one has not finished; NOTHING_TO_SEND
 */
export async function retryImport(
  { dir, reading }: { readonly dir: DataDir; readonly reading: LedgerThreads },
  earlier: ImportRecord,
  { only: filter = {}, createdBy = '', ...stopping }: RetryChanges,
  create: (retry: RetryOfImport) => Promise<string>,
): Promise<string> {
  const file = retryFile(dir.folder(earlier.id));
  if (!isFinal(earlier.state)) {
    throw wrongState(earlier, 'cannot be retried before it has finished', actionsOf(earlier.state, false));
  }
  if (file === undefined) {
    throw nothingToSend(earlier, 'has nothing to send again', actionsOf(earlier.state, false));
  }
  const ledger = dir.ledger(earlier.id);
  const isPart = Object.values(filter).some((value) => value !== undefined);
  const nothingLeft = () =>
    isPart
      ? nothingToSend(earlier, 'has nothing to send again among these rows', actionsOf(earlier.state, true))
      : nothingToSend(earlier, 'has nothing to send again: its rows were repaired', actionsOf(earlier.state, false));
  const without = linesSentEdited(dir.folder(earlier.id));
  const isWhole = !isPart && without === undefined;
  if (!isWhole && !(await reading.of(ledger).hasToRetry(filter, without))) throw nothingLeft();
  const id = newImportId();
  const folder = dir.folder(id);
  const source = join(folder, 'input');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (isWhole) await copyFile(file, source, constants.COPYFILE_FICLONE);
    else await writeFile(source, reading.report(ledger, { form: 'retry', filter, without }));
    const format = file.endsWith('.csv') ? 'csv' : 'ndjson';
    const isShaped = wasShaped(ledger);
    const options = {
      ...retryOptions(readOptions(earlier), { format, isShaped }),
      ...stopping,
      ...(isPart && { retryOnly: true }),
    };
    return await create({
      id,
      source,
      options,
      createdBy,
      file: retryName(earlier.file, extname(file)),
      retryOf: earlier.id,
      tags: tagsOf(earlier),
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A retry of `members.csv` reads `members-retry.csv`, and so does a retry of that; one of repaired rows `members-repaired.csv`. */
export function retryName(earlier: string, extension: string, kind: 'retry' | 'repaired' = 'retry'): string {
  const name = earlier === '-' ? 'input' : parse(earlier).name;
  return `${name.replace(/-(retry|repaired)$/, '')}-${kind}${extension}`;
}

/** Whether a row of the import may have given several memberships. */
function wasShaped(ledger: string): boolean {
  const reader = openImportReader(ledger);
  try {
    return reader.input().shaped === true;
  } finally {
    reader.close();
  }
}
