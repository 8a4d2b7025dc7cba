import { mkdirSync } from 'node:fs';
import type { ByLookup } from '../../options/lookups.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { bringToDisk } from '../../platform/whole-file.ts';
import type { Catalog } from '../catalog.ts';
import { newImportId } from '../import-id.ts';
import { type ImportOptions, importOptions } from '../import-options.ts';
import { keepLookups } from '../stage/lookup-copies.ts';
import type { LookupSource } from '../stage/lookup-file.ts';

/** An import that a person or program asks for. */
export interface CreateImport {
  /** The file as the user named it. */
  readonly file: string;
  /** The path to read. */
  readonly source: string;
  readonly options: ImportOptions;
  readonly retryOf?: string;
  /** Name of who asks for it. */
  readonly createdBy?: string;
  readonly tags?: readonly string[];
  /** False: stops when it is staged, and waits for `resume`. */
  readonly start?: boolean;
  /** For a shape that looks users up: copied into the import's folder. */
  readonly lookups?: ByLookup<LookupSource>;
  /** Set when the caller needs it first, to put the source into the import's folder. */
  readonly id?: string;
}

/** Makes the folder of an import, with copies of the files that its users and groups are looked up in, and its record. */
export async function newImport(
  dir: DataDir,
  request: CreateImport,
): Promise<Parameters<Catalog['add']>[0] & { readonly id: string }> {
  const { id = newImportId(), file, source, retryOf = null, createdBy = '', tags = [], lookups = {} } = request;
  const folder = dir.folder(id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = { ...request.options, ...(await keepLookups(folder, lookups)) };
  await bringToDisk(folder);
  const options = JSON.stringify(importOptions.parse(kept));
  return { id, file, source, options, retryOf, createdBy, tags: JSON.stringify(tags) };
}
