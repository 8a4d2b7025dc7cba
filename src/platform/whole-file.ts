import { createWriteStream, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a file that only its user can read, whole or not at all: it takes the place of an earlier one when all of it is on
 * disk, so that a power cut leaves one of the two. A device or pipe is written into.
 */
export async function writeWhole(
  path: string,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  { mode = 0o600, signal }: { readonly mode?: number; readonly signal?: AbortSignal } = {},
): Promise<void> {
  if (isSpecial(path)) {
    await pipeline(pieces, createWriteStream(path));
    return;
  }
  const unfinished = `${path}.part`;
  // Opened first: a stream that fails at once may still open its file when that has been removed.
  const file = await open(unfinished, 'w', mode);
  try {
    await pipeline(pieces, file.createWriteStream({ flush: true }), { ...(signal && { signal }) });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

function isSpecial(path: string): boolean {
  const status = statSync(path, { throwIfNoEntry: false });
  return status !== undefined && !status.isFile();
}
