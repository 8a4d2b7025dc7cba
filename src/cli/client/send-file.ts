import { randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RECIPE_NAME } from '../../api/recipes.ts';
import { sessionOperations } from '../../api/service.ts';
import { fileStateOf } from '../../imports/read/byte-source.ts';
import { emptyFile } from '../../imports/read/intake-error.ts';
import type { LookupSource } from '../../imports/stage/lookup-file.ts';
import { CREATION } from '../../options/create-options.ts';
import { type ByLookup, LOOKUP_NAMES } from '../../options/lookups.ts';
import { keptOf, type Options, textsOf } from '../../options/option.ts';
import { CONTENT, type ReadingChoices, SHAPE, WAITING } from '../../options/reading-options.ts';
import { EXPECTING } from '../../options/sending-options.ts';
import { shapeOf } from '../../options/shape-flags.ts';
import { temporaryFolder } from '../../platform/files.ts';
import { addressName } from '../../text/address-text.ts';
import { sizeSoFar } from '../../text/wording.ts';
import { EXIT } from '../exit-codes.ts';
import type { FileFlags } from '../flags/file-flags.ts';
import { inputFiles, STANDARD_INPUT, sayHowToEnd, TOGETHER_MS } from '../input-files.ts';
import { type Begun, type Doing, type Running, sayNothingBegan } from '../run.ts';
import { type Io, say } from '../screen/io.ts';
import { showSteps } from '../screen/show-progress.ts';
import type { Making, Server, Upload } from './server-client.ts';

/** A file on its way to a server, which makes an import or a sync of it. */

interface SendingFile extends Pick<Doing, 'signal'> {
  readonly server: Server;
  readonly file: string;
  readonly flags: FileFlags & { readonly dryRun?: boolean | undefined };
  /** Standard input must say that it is whole: it is stored first, and sent when it has. */
  readonly mustBeWhole?: boolean;
  readonly operation: Making;
  /** Options that are sent in addition to those that say how the file is read. */
  readonly options?: Options;
  readonly more: Iterable<readonly [name: string, value: string]>;
  /** The command that shows whether the server has begun. */
  readonly howToSee: string;
}

/** Sends a file, what is at an address, or standard input, as it comes unless it must be whole, to a server, with progress. */
export async function sendFile(
  running: Pick<Running, 'config' | 'io' | 'imports'>,
  { signal, server, file, flags, mustBeWhole = false, operation, options = {}, more, howToSee }: SendingFile,
): Promise<Begun> {
  const { io, imports } = running;
  const query = await readingQuery(file, flags, options);
  for (const [name, value] of more) query.append(name, value);
  // An address is fetched on this machine, which has its secrets.
  const how = mustBeWhole ? 'whole' : 'sent';
  const { fetched, areFetched, lines, obtain } = await inputFiles(running, file, flags, how);
  await using folder = areFetched ? await temporaryFolder('send') : undefined;
  let bytes = 0;
  let isAllSent = false;
  try {
    const fetching = folder && showSteps(io, lines, { begins: 'the files to come' });
    const obtained = await obtain(folder?.path ?? '', signal).finally(fetching?.stop);
    if (obtained === undefined) return sayNothingBegan(io);
    if (obtained.expectRows !== undefined) query.set('expectRows', String(obtained.expectRows));
    const { path, lookups } = obtained;
    const waiting = fetched === undefined ? flags : {};
    const plain: Upload = path === '-' ? asItComes(io, signal) : await fileUpload(path, waiting, signal);
    const upload = await withLookups(plain, lookups);
    // A wrong address or token is reported before a long upload.
    await server.call(sessionOperations.session, {});
    await imports.saySendsTo(io);
    say(io, `Sending ${file === '-' ? 'standard input' : (fetched?.name ?? file)} to ${server.url} …`);
    const open = async function* () {
      bytes = 0;
      for await (const piece of upload.open()) {
        bytes += piece.length;
        yield piece;
      }
      isAllSent = true;
    };
    const sending = showSteps(io, () => [`sending  ${sizeSoFar(bytes, upload.size)}`], {
      begins: 'the upload to begin',
    });
    return await server.upload(operation, query, { ...upload, open }).finally(sending.stop);
  } catch (error) {
    if (!signal.aborted) throw error;
    if (!isAllSent) return sayNothingBegan(io);
    say(io, 'The server had the whole file already and may have begun with it. See with:', `  ${howToSee}`);
    return EXIT.interrupted;
  } finally {
    // The writer of the pipe may never stop.
    if (file === '-') process.stdin.destroy();
  }
}

const SENT = { ...CONTENT, ...SHAPE, ...EXPECTING, ...CREATION };

/** Returns the API's query for what imports and syncs have in common. @throws BAD_RECIPE */
async function readingQuery(file: string, flags: FileFlags, options: Options) {
  const name = file === '-' ? STANDARD_INPUT : basename(addressName(file));
  const query = new URLSearchParams({ name });
  if (flags.recipe !== undefined) query.set('recipe', await recipeToSend(flags.recipe));
  const given = { ...flags, shape: shapeOf(flags) };
  for (const [option, text] of textsOf({ ...SENT, ...options }, given)) query.append(option, text);
  return query;
}

/** A recipe as a request has it: a name is one of the server's, a file is one of this machine. @throws BAD_RECIPE */
async function recipeToSend(recipe: string) {
  if (RECIPE_NAME.test(recipe)) return recipe;
  const { recipeOfFile } = await import('../../features/recipes/recipe-store.ts');
  const { name: _, saved: __, ...content } = recipeOfFile(recipe);
  return JSON.stringify(content);
}

/** An upload of a file of this machine, which must not change meanwhile. @throws IntakeError */
export async function fileUpload(path: string, flags: ReadingChoices, signal: AbortSignal) {
  const before = await fileStateOf(path, path, { ...keptOf(WAITING, flags), signal });
  const stat = statSync(path);
  // A named pipe can be read once, and its size is not known.
  const repeatable = stat.isFile();
  if (repeatable && stat.size === 0) throw emptyFile(path);
  // The upload ends when this does: what is thrown here leaves the server without an import.
  const open = async function* () {
    let lastByte = 0;
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      lastByte = piece.at(-1) ?? lastByte;
      yield piece;
    }
    await before.checkUnchanged(lastByte);
  };
  return { size: repeatable ? stat.size : undefined, open, repeatable, signal };
}

function asItComes(io: Io, signal: AbortSignal) {
  sayHowToEnd(io);
  const open = async function* () {
    yield* process.stdin as AsyncIterable<Uint8Array>;
    await sleep(TOGETHER_MS, undefined, { signal });
  };
  return { size: undefined, open, repeatable: false, signal };
}

/** An upload as a form that also has an identity or group file; without either it is the file itself. Each is streamed. */
async function withLookups(upload: Upload, lookups: ByLookup<LookupSource>) {
  const boundary = `rollcall-${randomUUID()}`;
  const head = (part: string, file: string) =>
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${encodeURIComponent(file)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    );
  const parts = LOOKUP_NAMES.flatMap((part) => {
    const file = lookups[part];
    return file === undefined ? [] : [{ ...file, head: head(part, basename(file.name)) }];
  });
  if (parts.length === 0) return upload;
  for (const { path, name } of parts) await fileStateOf(path, name);
  const last = head('file', 'input');
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const around = parts.reduce(
    (sum, part) => sum + part.head.length + statSync(part.path).size,
    last.length + end.length,
  );
  return {
    ...upload,
    type: `multipart/form-data; boundary=${boundary}`,
    size: upload.size === undefined ? undefined : upload.size + around,
    open: async function* () {
      for (const part of parts) {
        yield part.head;
        yield* createReadStream(part.path) as AsyncIterable<Buffer>;
      }
      yield last;
      yield* upload.open();
      yield end;
    },
  };
}
