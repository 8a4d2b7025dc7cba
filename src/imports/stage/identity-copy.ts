import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileOf } from '../read/file-state.ts';
import type { IdentitySource } from './identity-file.ts';

/** The path of the identity file in the folder of an import or a sync. */
export function identityCopy(folder: string): string {
  return join(folder, 'identities');
}

/**
 * The options of an import, with the identity file copied into its folder, so that reading it again after a stop or a
 * crash gives the same result. @throws IntakeError where the file cannot be read
 */
export async function withIdentities<Options extends object>(
  folder: string,
  options: Options,
  source: IdentitySource | undefined,
): Promise<Options> {
  return source === undefined ? options : { ...options, identities: await keepIdentities(folder, source) };
}

/** @throws IntakeError where the file cannot be read */
async function keepIdentities(
  folder: string,
  { path, name }: IdentitySource,
): Promise<{ name: string; sha256: string }> {
  await fileOf(path, name);
  const copy = identityCopy(folder);
  if (path !== copy) await copyFile(path, copy, constants.COPYFILE_FICLONE);
  await chmod(copy, 0o600);
  const hash = createHash('sha256');
  await pipeline(createReadStream(copy), hash);
  return { name, sha256: hash.digest('hex') };
}
