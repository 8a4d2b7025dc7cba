import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { FileFacts } from '../../../api/look.ts';
import { STANDARD_INPUT } from '../../../cli/input-files.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { asFlag } from '../../../errors/named-options.ts';
import { openCatalogReader } from '../../../imports/catalog.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { headOf, headOfFile } from '../../../imports/read/beginning.ts';
import { bytesOf, checkInput, readHead } from '../../../imports/read/byte-source.ts';
import { isIntakeError } from '../../../imports/read/intake-error.ts';
import { isWorkbook, nameOfInput } from '../../../options/input-kinds.ts';
import type { Config } from '../../../platform/config.ts';
import { type DataDir, readCatalog } from '../../../platform/data-dir.ts';
import { isLedgerError } from '../../../platform/database-errors.ts';
import { firstBytes } from '../../../platform/files.ts';
import { isAddress } from '../../../text/address-text.ts';
import { cut, drawTable } from '../../../text/terminal-text.ts';
import { counted, grouped, printable, sameFile } from '../../../text/wording.ts';
import { needText } from '../../recipes/recipe.ts';
import { listRecipes } from '../../recipes/recipe-store.ts';
import { inspect } from '../inspect.ts';
import { type Beginning, importOfSame } from '../same-file.ts';
import type { Typed } from '../typed-import.ts';

/** Bytes of standard input or a pipe that are looked at: they come once. */
const MAX_BYTES = 1024 * 1024;

/** Looks at a file, or at the beginning of standard input (`-`). @throws IntakeError when it cannot be opened */
export async function inspectFile(
  config: Config,
  file: string,
  options: ImportOptions,
  { name = file, ...typed }: Partial<Typed>,
): Promise<FileFacts> {
  const { dir } = config;
  const asked = { name, options, ...typed, recipes: listRecipes(dir).recipes, write: asFlag };
  if (file !== '-') await checkInput(file);
  const stat = file === '-' ? undefined : statSync(file);
  if (stat === undefined || !(stat.isFile() || stat.isDirectory())) {
    const shownAs = stat === undefined ? STANDARD_INPUT : name;
    const bytes = await beginningOf(stat === undefined ? process.stdin : createReadStream(file), shownAs);
    const head = await headOf(bytes, options.encoding);
    const open = () => ({ stream: Readable.from([bytes]), name: shownAs });
    return inspect({ ...asked, head, open });
  }
  const head = await headOfFile(file, options.encoding);
  const bytes = stat.isFile() ? stat.size : undefined;
  const facts = await inspect({ ...asked, bytes, head, open: () => ({ path: file, name }) });
  const before = bytes === undefined ? undefined : await importedAs(config.dir, file, bytes);
  return before === undefined ? facts : { ...facts, notes: [...facts.notes, before] };
}

async function importedAs(dir: DataDir, path: string, bytes: number) {
  const head = await firstBytes(path, Math.min(bytes, MAX_BYTES));
  const record = await lastImportOf(dir, { head, bytes });
  if (record === undefined) return undefined;
  return `${sameFile(bytes <= MAX_BYTES)} was imported on ${new Date(record.createdAt).toISOString().slice(0, 10)}: \`rollcall status ${record.id}\` says what became of it`;
}

/** Undefined also where the catalog is damaged: the note is only there to help. */
async function lastImportOf(dir: DataDir, file: Beginning) {
  try {
    return await readCatalog(dir, openCatalogReader, (catalog) => importOfSame(catalog, file));
  } catch (error) {
    if (isLedgerError(error)) return undefined;
    throw error;
  }
}

async function beginningOf(stream: Readable, name: string) {
  const input = bytesOf(stream, name, {});
  const { head } = await readHead(input.blocks(), MAX_BYTES);
  input.close();
  // A row that is cut in the middle would be reported as broken.
  return head.length < MAX_BYTES ? head : head.subarray(0, head.lastIndexOf('\n') + 1);
}

/** After a file was refused: says what it is, and a command that would work. */
export async function sayWhatItIs(
  io: Io,
  config: Config,
  file: string,
  options: ImportOptions,
  { recipe, ...typed }: Partial<Typed> & { readonly recipe?: string | undefined },
): Promise<void> {
  if (file === '-' || isAddress(file)) return;
  const facts = await inspectFile(config, file, options, typed).catch((error: unknown) => {
    // The refusal has said it: there is nothing to look at.
    if (isIntakeError(error)) return undefined;
    throw error;
  });
  if (facts === undefined || facts.refusal === null) return;
  // What was just refused is not proposed again.
  const isAgain = recipe !== undefined && facts.recipes[0]?.name === recipe;
  const next = isAgain ? [] : nextLines(facts);
  say(io, '', ...factsText(facts, io.width, false).trimEnd().split('\n'), '', ...next);
}

/** Descriptions of files without rows, by the code of their refusal: there is nothing in them to explain. */
const WITHOUT_ROWS: Readonly<Record<string, string>> = { EMPTY: 'empty', NO_ROWS: 'no rows' };
const MAX_COLUMNS = 30;

/** @param withRefusal includes the reason for a refusal; not if that was printed already */
export function factsText(facts: FileFacts, width: number, withRefusal = true): string {
  const paragraphs = [
    [headline(facts), ...facts.notes.map(printable)],
    facts.firstLines.map((line, index) => cut(`${String(index + 1).padStart(4)}  ${printable(line)}`, width)),
    columnLines(facts, width),
    understanding(facts, withRefusal),
  ];
  return `${paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** Returns the next steps with the file; indented lines are commands. */
export function nextLines({ steps, command, recipes: [recipe] }: FileFacts): string[] {
  const needs = recipe?.needs.map(needText);
  return [
    ...steps.flatMap(({ text }) => text || []),
    ...(needs ?? []),
    ...(command === null ? [] : ['Check it without sending anything with:', `  ${command} --dry-run`]),
  ];
}

function headline({ name, bytes, format, compression, encoding, delimiter, refusal }: FileFacts) {
  const isBook = isWorkbook(format);
  const parts = [
    format === null ? (WITHOUT_ROWS[refusal?.code ?? ''] ?? 'not understood') : nameOfInput(format),
    ...(compression === null ? [] : [`compressed with ${compression}`]),
    ...(encoding === null || isBook ? [] : [encoding.toUpperCase()]),
    ...(delimiter === null || isBook ? [] : [`delimiter ${delimiter === '\t' ? 'tab' : JSON.stringify(delimiter)}`]),
    ...(bytes === null ? [] : [`${grouped(bytes)} bytes`]),
  ];
  return `${printable(name)}: ${parts.join(', ')}`;
}

function columnLines({ columns, rows }: FileFacts, width: number) {
  if (columns.length === 0) return [];
  const shown = columns.slice(0, MAX_COLUMNS).map(({ name, looksLike, separator, examples, filled }) => {
    const some = filled < rows.seen ? [`(${filled} of ${rows.seen})`] : [];
    const look = separator === undefined ? looksLike : `list (${separator})`;
    return [cut(printable(name), 30), look, [examples.map(printable).join(' | '), ...some].join(' ').trim()];
  });
  const more = columns.length - shown.length;
  return [
    drawTable(['column', 'looks like', 'examples'], shown, width),
    ...(more > 0 ? [`and ${counted(more, 'more column')}`] : []),
  ];
}

function understanding({ format, recognised, missing, rows, refusal, recipes }: FileFacts, withRefusal: boolean) {
  // A recipe says what its columns are; a refusal has said what is missing.
  if (recipes.length > 0 || !withRefusal) return [];
  const known = Object.entries(recognised).map(([field, column]) => `${field} from ${JSON.stringify(column)}`);
  const isMissing = format !== null && missing.length > 0;
  return [
    ...(format === null ? [] : [`Understood: ${known.join(', ') || 'no column'}.`]),
    ...(isMissing ? [`Missing: ${missing.join(', ')}.`] : []),
    refusal === null
      ? `Of the first ${counted(rows.seen, 'row')}, ${grouped(rows.valid)} can be sent as they are.`
      : `As it is, an import would be refused: ${printable(refusal.message)}`,
  ];
}
