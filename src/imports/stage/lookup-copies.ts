import { constants } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ByLookup, type LookupName, mapLookupsInTurn } from '../../options/lookups.ts';
import { hashOf } from '../../platform/files.ts';
import { fileStateOf } from '../read/byte-source.ts';
import type { LookupSource } from './lookup-file.ts';

/** The path of an identity or group file in the folder of an import or a sync. */
export function lookupCopy(folder: string, name: LookupName) {
  return join(folder, name);
}

/**
 * Copies the identity and group files of an import into its folder, so that reading it again after a stop or a crash gives
 * the same result. @throws IntakeError where one cannot be read
 */
export function keepLookups(
  folder: string,
  sources: ByLookup<LookupSource>,
): Promise<ByLookup<{ name: string; sha256: string }>> {
  return mapLookupsInTurn(sources, async ({ path, name }, lookup) => {
    await fileStateOf(path, name);
    const copy = lookupCopy(folder, lookup);
    if (path !== copy) await copyFile(path, copy, constants.COPYFILE_FICLONE);
    await chmod(copy, 0o600);
    return { name, sha256: await hashOf(copy) };
  });
}
