import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileFacts } from '../../../api/file-facts.ts';
import { STANDARD_INPUT } from '../../../cli/fetched-file.ts';
import { asFlag } from '../../../errors/named-options.ts';
import { type ImportRecord, openCatalogReader } from '../../../imports/catalog.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { headOf, headOfFile } from '../../../imports/read/beginning.ts';
import { checkInput } from '../../../imports/read/open-input.ts';
import type { ByLookup } from '../../../options/lookups.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir, readCatalog } from '../../../platform/data-dir.ts';
import { LedgerError } from '../../../platform/sqlite.ts';
import { sameFile } from '../../../text/wording.ts';
import { listRecipes } from '../../recipes/recipe-store.ts';
import { inspect } from '../inspect.ts';
import { importOfSame, MAX_COMPARED } from '../same-file.ts';

/** Bytes of standard input or a pipe that are looked at: they come once. */
const MAX_BYTES = 1024 * 1024;

/** Looks at a file, or at the beginning of standard input (`-`). @throws IntakeError when it cannot be opened */
export async function inspectFile(
  config: Config,
  file: string,
  options: ImportOptions,
  lookups?: ByLookup<string>,
  name = file,
): Promise<FileFacts> {
  const dir = dataDir(config.dataDir);
  const { recipes } = listRecipes(dir);
  if (file !== '-') await checkInput(file);
  const stat = file === '-' ? undefined : statSync(file);
  if (stat === undefined || !(stat.isFile() || stat.isDirectory())) {
    const shownAs = stat === undefined ? STANDARD_INPUT : name;
    const bytes = await beginningOf(stat === undefined ? process.stdin : createReadStream(file));
    const head = await headOf(bytes, options.encoding);
    const open = () => ({ stream: Readable.from([bytes]), name: shownAs });
    return inspect({ name, bytes: undefined, head, open, options, lookups, recipes, write: asFlag });
  }
  const head = await headOfFile(file, options.encoding);
  const bytes = stat.isFile() ? stat.size : undefined;
  const source = () => ({ path: file, name });
  const facts = await inspect({ name, bytes, head, open: source, options, lookups, recipes, write: asFlag });
  const before = bytes === undefined ? undefined : await importedAs(config.dataDir, file, bytes);
  return before === undefined ? facts : { ...facts, notes: [...facts.notes, before] };
}

/** Returns the note that the same file was imported before; undefined if it was not. */
async function importedAs(dataDir: string, path: string, bytes: number) {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(bytes, MAX_BYTES)), 0);
  const record = await importOfSame(importsOfFiles(dataDir), { head: buffer.subarray(0, bytesRead), bytes });
  if (record === undefined) return undefined;
  return `${sameFile(bytes <= MAX_BYTES)} was imported on ${new Date(record.createdAt).toISOString().slice(0, 10)}: \`rollcall status ${record.id}\` says what became of it`;
}

/** The newest imports of files. The note is a help: it does not fail because the catalog is damaged. */
function importsOfFiles(dataDir: string): readonly ImportRecord[] {
  try {
    return readCatalog(dataDir, openCatalogReader, (catalog) =>
      catalog === undefined ? [] : catalog.page({ kind: ['file'], limit: MAX_COMPARED }).imports,
    );
  } catch (error) {
    if (error instanceof LedgerError) return [];
    throw error;
  }
}

async function beginningOf(stream: AsyncIterable<Buffer>) {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    length += piece.length;
    if (length >= MAX_BYTES) break;
  }
  const bytes = Buffer.concat(pieces);
  // A row that is cut in the middle would be reported as broken.
  return length < MAX_BYTES ? bytes : bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
}
