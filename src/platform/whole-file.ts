import { createWriteStream, statSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a file that only its user can read, whole or not at all: it takes the place of an earlier one when all of it is on
 * disk, so that a power cut leaves one of the two. A device or pipe is written into.
 */
export async function writeWhole(
  path: string,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  { mode = 0o600, signal }: { readonly mode?: number; readonly signal?: AbortSignal } = {},
) {
  if (isSpecial(path)) {
    await pipeline(pieces, createWriteStream(path));
    return;
  }
  const unfinished = `${path}.part`;
  // Opened first: a stream that fails at once may still open its file when that has been removed.
  const file = await open(unfinished, 'w', mode);
  try {
    await pipeline(pieces, file.createWriteStream({ flush: true }), { ...(signal && { signal }) });
    await putInPlace(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Puts a file in its place, where it is also after a power cut. It is on the disk itself. */
export async function putInPlace(unfinished: string, path: string) {
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

/** Brings the files in a folder of the data directory to the disk, and the folder with its name. */
export async function bringToDisk(folder: string) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    await using file = await open(join(folder, entry.name), 'r+');
    await file.sync();
  }
  for (const one of [folder, dirname(folder), dirname(dirname(folder))]) await syncFolder(one);
}

/** A folder says which files there are: a new name is lost in a power cut without it. */
async function syncFolder(path: string) {
  // Windows opens no folder, and keeps names by itself.
  if (process.platform === 'win32') return;
  await using folder = await open(path);
  await folder.sync();
}

function isSpecial(path: string) {
  const status = statSync(path, { throwIfNoEntry: false });
  return status !== undefined && !status.isFile();
}
