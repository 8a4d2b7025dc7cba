import type { EventEmitter } from 'node:events';
import { mkdirSync } from 'node:fs';
import { z } from 'zod';
import type { DataDir } from '../../platform/data-dir.ts';
import { bringToDisk } from '../../platform/files.ts';
import type { Catalog } from '../catalog.ts';
import { newImportId } from '../import-id.ts';
import { importOptions, lookupSources } from '../import-options.ts';
import { keepLookups } from '../stage/lookup-copies.ts';
import type { Aimed } from '../target.ts';
import type { Life, LifeEvents } from './life.ts';

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
 * its record. The import is queued for staging, and for sending when it is staged (unless it is a dry run). The function resolves
 * with its id.
 */
export function importMaker({ dir, catalog, asked, life, sendsTo: { target }, events }: Making) {
  return async (request: CreateImport): Promise<string> => {
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
