import { mkdirSync } from 'node:fs';
import { z } from 'zod';
import type { DataDir } from '../../platform/data-dir.ts';
import { bringToDisk } from '../../platform/whole-file.ts';
import type { Catalog } from '../catalog.ts';
import { newImportId } from '../import-id.ts';
import { importOptions, lookupSources } from '../import-options.ts';
import { keepLookups } from '../stage/lookup-copies.ts';

/** An import that a person or program asks for. */
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
