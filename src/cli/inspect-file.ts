import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { FileFacts } from '../api/file-facts.ts';
import type { ImportOptions } from '../imports/import-options.ts';
import { headOf, headOfFile } from '../imports/inspect/head.ts';
import { inspect } from '../imports/inspect/inspect.ts';
import { fileOf } from '../imports/read/file-state.ts';
import { listRecipes } from '../imports/recipes/store.ts';
import type { Config } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';
import { STANDARD_INPUT } from './screen/standard-input.ts';

/** Bytes of standard input or a pipe that are looked at: they come once. */
const MOST = 1024 * 1024;

/** Looks at a file, or at the beginning of standard input (`-`). @throws IntakeError when it cannot be opened */
export async function inspectFile(
  config: Config,
  file: string,
  options: ImportOptions,
  identities?: string,
): Promise<FileFacts> {
  const recipes = listRecipes(dataDir(config.dataDir));
  const stat = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file !== '-' && stat?.isDirectory() !== true) await fileOf(file, file);
  if (stat === undefined || !(stat.isFile() || stat.isDirectory())) {
    const name = stat === undefined ? STANDARD_INPUT : file;
    const bytes = await beginningOf(stat === undefined ? process.stdin : createReadStream(file));
    const head = await headOf(bytes, options.encoding);
    const open = () => ({ stream: Readable.from([bytes]), name });
    return inspect({ name: file, bytes: undefined, head, open, options, identities, recipes });
  }
  const head = await headOfFile(file, options.encoding);
  const bytes = stat.isFile() ? stat.size : undefined;
  return inspect({ name: file, bytes, head, open: () => ({ path: file, name: file }), options, identities, recipes });
}

async function beginningOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    length += piece.length;
    if (length >= MOST) break;
  }
  const bytes = Buffer.concat(pieces);
  // A row that is cut in the middle would be reported as broken.
  return length < MOST ? bytes : bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
}
