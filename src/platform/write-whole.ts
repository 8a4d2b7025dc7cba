import { createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes a file whole or not at all; one that exists is replaced. A device or pipe is written into. Rejects with the system's error. */
export async function writeWhole(
  path: string,
  pieces: AsyncIterable<Uint8Array | string>,
  { mode = 0o666 }: { readonly mode?: number } = {},
): Promise<void> {
  const bytes = Readable.from(pieces, { objectMode: false });
  if (isSpecial(path)) {
    await pipeline(bytes, createWriteStream(path));
    return;
  }
  const unfinished = `${path}.part`;
  try {
    await pipeline(bytes, createWriteStream(unfinished, { mode }));
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
