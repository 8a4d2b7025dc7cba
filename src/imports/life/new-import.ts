import type { EventEmitter } from 'node:events';
import { mkdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { z } from 'zod';
import { actionsOf, isFinal } from '../../membership/import-state.ts';
import type { Kept } from '../../options/option.ts';
import type { RowFilter } from '../../options/row-filter.ts';
import type { STOPPING } from '../../options/sending-options.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { bringToDisk } from '../../platform/files.ts';
import { type Catalog, type ImportRecord, tagsOf } from '../catalog.ts';
import { linesSentEdited } from '../corrected-rows.ts';
import { nothingToSend, wrongState } from '../import-errors.ts';
import { newImportId } from '../import-id.ts';
import { type ImportOptions, importOptions, lookupSources, readOptions, retryOptions } from '../import-options.ts';
import type { LedgerThreads } from '../report/ledger-threads.ts';
import { retryFile } from '../report/report-paths.ts';
import { keepLookups } from '../stage/lookup-copies.ts';
import type { Aimed } from '../target.ts';
import type { Life, LifeEvents } from './life.ts';

export const importRequest = z.strictObject({
  /** Set when the caller needs it first, to put the source into the import's folder. */
  id: z.string().exactOptional(),
  /** The file as the user named it. */
  file: z.string(),
  /** The path to read. */
  source: z.string(),
  options: importOptions,
  tags: z.array(z.string()).readonly().exactOptional(),
  /** False: stops when it is staged, and waits for `resume`. */
  start: z.boolean().exactOptional(),
  /** For a shape that looks users up: copied into the import's folder. */
  lookups: z.strictObject(lookupSources).exactOptional(),
});

export interface CreateImport extends Readonly<z.infer<typeof importRequest>> {
  readonly retryOf?: string;
  /** Name of who asks for it. */
  readonly createdBy?: string;
}

interface Making {
  readonly dir: DataDir;
  readonly catalog: Pick<Catalog, 'add' | 'get'>;
  readonly life: Pick<Life, 'begin'>;
  readonly sendsTo: Aimed;
  readonly events: Pick<EventEmitter<LifeEvents>, 'emit'>;
  /** Does what a person asks for. */
  readonly asked: (work: () => void) => Promise<void>;
}

/**
 * Returns the function that makes an import: its folder, with copies of the files that its users and groups are looked up in, and
 * its record. It is queued for staging and, unless it is a dry run, for sending. The function resolves with its id.
 */
export function importMaker({ dir, catalog, asked, life, sendsTo: { target }, events }: Making) {
  return async (request: CreateImport) => {
    const { id = newImportId(), file, source, retryOf = null, createdBy = '', tags = [], lookups = {} } = request;
    const folder = dir.folder(id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kept = { ...request.options, target, ...(await keepLookups(folder, lookups)) };
    await bringToDisk(folder);
    const options = JSON.stringify(importOptions.parse(kept));
    await asked(() => catalog.add({ id, file, source, options, retryOf, createdBy, tags: JSON.stringify(tags) }));
    events.emit('state', catalog.get(id));
    life.begin(id, request.start ?? true);
    return id;
  };
}

/** Options of a retry that may differ from those of the earlier import. */
export interface RetryChanges extends Kept<typeof STOPPING> {
  /** Filter of the rows that may be sent again. */
  readonly only?: RowFilter;
  /** Name of who asks for it. */
  readonly createdBy?: string;
}

/** The coordinator, which makes and finds imports. */
interface Imports {
  lookUp(id: string): ImportRecord | undefined;
  create(request: CreateImport): Promise<string>;
}

/**
 * Makes an import of rows of an earlier one: of `members.csv` it reads `members-retry.csv`, and so does a retry of that; one of
 * corrected rows reads `members-corrected.csv`. Returns its id.
 * @param fill writes its file, and returns how to read it
 */
export async function followUp(
  imports: Imports,
  dir: DataDir,
  earlier: ImportRecord,
  { kind, createdBy = '' }: { readonly kind: 'retry' | 'corrected'; readonly createdBy?: string | undefined },
  fill: (source: string, id: string) => Promise<ImportOptions>,
) {
  const id = newImportId();
  const folder = dir.folder(id);
  const source = join(folder, 'input');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const options = await fill(source, id);
    const name = earlier.file === '-' ? 'input' : parse(earlier.file).name.replace(/-(retry|corrected)$/, '');
    const file = `${name}-${kind}${options.format === 'csv' ? '.csv' : '.ndjson'}`;
    return await imports.create({ id, file, source, retryOf: earlier.id, options, createdBy, tags: tagsOf(earlier) });
  } catch (error) {
    if (imports.lookUp(id) === undefined) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Begins an import of what failed, was not confirmed or not sent in an earlier one. It gets a file of its own, because the
 * earlier import may be removed at any time.
 * @throws WRONG_STATE when the earlier one has not finished; NOTHING_TO_SEND
 */
export async function retryImport(
  imports: Imports,
  { dir, reading }: { readonly dir: DataDir; readonly reading: LedgerThreads },
  earlier: ImportRecord,
  { only: filter = {}, createdBy, ...stopping }: RetryChanges,
) {
  const file = retryFile(dir.folder(earlier.id));
  if (!isFinal(earlier.state)) {
    throw wrongState(earlier, 'cannot be retried before it has finished');
  }
  if (file === undefined) {
    throw nothingToSend(earlier, 'has nothing to send again');
  }
  const ledger = dir.ledger(earlier.id);
  const isPart = Object.values(filter).some((value) => value !== undefined);
  const without = linesSentEdited(dir.folder(earlier.id));
  if (!(await reading.of(ledger).hasToRetry(filter, without))) {
    throw isPart
      ? nothingToSend(
          earlier,
          'has nothing to send again among these rows: none failed, is unconfirmed or unprocessed, or they were corrected and sent',
          actionsOf(earlier.state, true),
        )
      : nothingToSend(earlier, 'has nothing to send again: its rows were corrected and sent');
  }
  return followUp(imports, dir, earlier, { kind: 'retry', createdBy }, async (source) => {
    await writeFile(source, reading.report(ledger, { form: 'retry', filter, without }));
    const format = file.endsWith('.csv') ? 'csv' : 'ndjson';
    // A row of it may have given several memberships.
    const { shaped: isShaped = false } = await reading.of(ledger).input();
    return {
      ...retryOptions(readOptions(earlier), { format, isShaped }),
      ...stopping,
      ...(isPart && { retryOnly: true }),
    };
  });
}
