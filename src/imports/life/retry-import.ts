import { constants } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { extname, join, parse } from 'node:path';
import { actionsOf } from '../../membership/import-actions.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { ImportRecord } from '../catalog.ts';
import { WrongState } from '../import-errors.ts';
import { newImportId } from '../import-id.ts';
import { type ImportOptions, readOptions } from '../import-options.ts';
import { openImportReader } from '../report/reading.ts';
import { retryFile } from '../report/report-paths.ts';

/** What a retry may do differently from the import before it. */
export type RetryChanges = Pick<ImportOptions, 'maxErrors'>;

/** An import to be made, as `Coordinator.create` takes it. */
interface Retry {
  readonly id: string;
  readonly file: string;
  readonly source: string;
  readonly retryOf: string;
  readonly options: ImportOptions;
}

/**
 * Begins an import of what failed, was not confirmed or not sent in an earlier one, through `create`. It gets its own
 * copy of the retry file, because the earlier import may be removed at any time.
 * @throws WrongState when the earlier one is not over, or has nothing to send again
 */
export async function retryImport(
  dir: DataDir,
  earlier: ImportRecord,
  changes: RetryChanges,
  create: (retry: Retry) => Promise<string>,
): Promise<string> {
  const file = retryFile(dir.folder(earlier.id));
  if (!isFinal(earlier.state)) {
    throw new WrongState(earlier, 'cannot be retried before it has finished', actionsOf(earlier.state, false));
  }
  if (file === undefined) {
    throw new WrongState(earlier, 'has nothing to send again', actionsOf(earlier.state, false));
  }
  const id = newImportId();
  const folder = dir.folder(id);
  const source = join(folder, 'input');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await copyFile(file, source, constants.COPYFILE_FICLONE);
    const options = retryOptions(earlier, file, wasShaped(dir.ledger(earlier.id)), changes);
    return await create({ id, file: retryName(earlier.file, file), source, retryOf: earlier.id, options });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A retry of `members.csv` reads `members-retry.csv`, and so does a retry of that. */
function retryName(earlier: string, file: string): string {
  const name = earlier === '-' ? 'input' : parse(earlier).name;
  return `${name.replace(/-retry$/, '')}-retry${extname(file)}`;
}

/** As the rows were read the first time; but the retry file has a format and an encoding of its own. */
function retryOptions(
  earlier: ImportRecord,
  file: string,
  isShaped: boolean,
  { maxErrors }: RetryChanges,
): ImportOptions {
  const before = readOptions(earlier);
  const { encoding: _, sheet: __, files: ___, exportOf: ____, shape, identities: _____, ...more } = before;
  const { first: ______, only: _______, ...options } = more;
  return {
    ...options,
    dryRun: false,
    format: file.endsWith('.csv') ? 'csv' : 'ndjson',
    maxErrors,
    // Of a shaped import it has a membership on each line, in columns of ours.
    ...(isShaped && { map: {}, delimiter: undefined }),
    ...(shape?.actions !== undefined && { edits: true }),
  };
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
