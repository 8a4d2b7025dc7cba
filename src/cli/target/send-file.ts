import { createReadStream, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessionOperations } from '../../api/operations/service.ts';
import { fileOf } from '../../imports/read/file-state.ts';
import type { LookupSource } from '../../imports/stage/lookup-file.ts';
import { CREATING, MAX_CREATE } from '../../options/create-options.ts';
import type { ByLookup } from '../../options/lookups.ts';
import { keptOf, textsOf } from '../../options/option.ts';
import { CONTENT, SHAPE, WAITING } from '../../options/reading-options.ts';
import { EXPECTING } from '../../options/sending-options.ts';
import { readConfig } from '../../platform/config.ts';
import { firstSignal } from '../../platform/lifecycle.ts';
import { addressName } from '../../text/address-text.ts';
import { grouped } from '../../text/wording.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type FetchedFile, fileToFetch } from '../fetched-file.ts';
import type { CreateFlags } from '../flags/create-flags.ts';
import type { ExpectRowsFlags, ReadingFlags } from '../flags/reading-flags.ts';
import type { RecipeFlags } from '../flags/recipe-flags.ts';
import { type ShapeFlags, shapeOf } from '../flags/shape-flags.ts';
import type { SourceFlags } from '../flags/source-flags.ts';
import { type LookupFiles, lookupFiles } from '../lookup-files.ts';
import { sayNothingBegan } from '../run-import.ts';
import { type Io, say } from '../screen/io.ts';
import { showSteps } from '../screen/progress.ts';
import { STANDARD_INPUT, TOGETHER_MS } from '../screen/standard-input.ts';
import { withLookups } from './form-upload.ts';
import { sayServerSendsTo } from './sends-to.ts';
import type { Server, Upload } from './server-client.ts';

/** A file on its way to a server, which makes an import or a sync of it. */

/** The id of the import or sync that was made of a sent file; or the exit code after Ctrl-C. */
export type Sent = { readonly id: string } | { readonly code: ExitCode };

interface SendingFile {
  readonly io: Io;
  readonly server: Server;
  readonly file: string;
  readonly flags: ReadingFlags & ShapeFlags & SourceFlags;
  /** Has the server make something of the upload; its id. */
  readonly make: (upload: Upload) => Promise<string>;
  /** The command that shows whether the server has begun. */
  readonly howToSee: string;
}

/** Sends a file, what is at an address, or standard input as it comes, to a server, with progress. */
export async function sendFile({ io, server, file, flags, make, howToSee }: SendingFile): Promise<Sent> {
  const signal = firstSignal(EXIT.interrupted, () => say(io, 'Stopped at once.'));
  const sent = { bytes: 0, all: false };
  // An address is fetched on this machine, which has its secrets.
  const config = readConfig();
  const fetched = await fileToFetch(config, file, flags);
  const lookups = await lookupFiles(config, flags);
  const isFetched = fetched !== undefined || lookups.areFetched;
  const folder = isFetched ? await mkdtemp(join(tmpdir(), 'rollcall-send-')) : undefined;
  try {
    const lines = () => [...(fetched?.lines() ?? []), ...lookups.lines()];
    const progress = folder === undefined ? undefined : showSteps(io, lines, { begins: 'the files to come' });
    const obtained = await obtain(folder ?? '', { fetched, lookups }, signal.signal).finally(progress?.stop);
    if (obtained === undefined) return { code: sayNothingBegan(io) };
    let plain: Upload;
    if (obtained.path !== undefined) plain = await fileUpload(obtained.path, {}, signal.signal);
    else plain = file === '-' ? standardInput(io, signal.signal) : await fileUpload(file, flags, signal.signal);
    const upload = await withLookups(plain, obtained.lookups);
    // A wrong address or token is reported before a long upload.
    await server.call(sessionOperations.session, {});
    await sayServerSendsTo(io, server);
    say(io, `Sending ${file === '-' ? 'standard input' : (fetched?.name ?? file)} to ${server.url} …`);
    return { id: await withProgress(io, upload, sent, make) };
  } catch (error) {
    if (!signal.signal.aborted) throw error;
    if (!sent.all) return { code: sayNothingBegan(io) };
    say(io, 'The server had the whole file already and may have begun with it. See with:', `  ${howToSee}`);
    return { code: EXIT.interrupted };
  } finally {
    signal.ignore();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    // The writer of the pipe may never stop.
    if (file === '-') process.stdin.destroy();
  }
}

/** Fetches a file into `folder`; returns undefined if the signal came first. */
async function obtain(
  folder: string,
  { fetched, lookups }: { readonly fetched: FetchedFile | undefined; readonly lookups: LookupFiles },
  signal: AbortSignal,
): Promise<{ readonly path: string | undefined; readonly lookups: ByLookup<LookupSource> } | undefined> {
  const path = fetched && join(folder, 'input');
  if (path !== undefined && (await fetched?.fetch(path, signal)) === undefined) return undefined;
  const found = await lookups.obtain(folder, signal);
  return found && { path, lookups: found };
}

const SENT = { ...CONTENT, ...SHAPE, ...EXPECTING, ...CREATING, ...MAX_CREATE };

/** Returns the API's query for reading a file and creating users and groups. */
export function readingQuery(
  file: string,
  flags: ReadingFlags & CreateFlags & RecipeFlags & ShapeFlags & ExpectRowsFlags,
): URLSearchParams {
  const { createUsers, createGroups, reactivate, recipe } = flags;
  const name = file === '-' ? STANDARD_INPUT : basename(addressName(file));
  const query = new URLSearchParams({ name, ...(recipe !== undefined && { recipe }) });
  const sent = createUsers || createGroups || reactivate ? SENT : { ...CONTENT, ...SHAPE, ...EXPECTING };
  for (const [option, text] of textsOf(sent, { ...flags, shape: shapeOf(flags) })) query.append(option, text);
  return query;
}

/** Counts the bytes of an upload while it is sent. */
async function withProgress(
  io: Io,
  upload: Upload,
  sent: { bytes: number; all: boolean },
  make: SendingFile['make'],
): Promise<string> {
  const progress = showSteps(io, () => [sendingLine(sent.bytes, upload.size)], { begins: 'the upload to begin' });
  const open = async function* () {
    sent.bytes = 0;
    for await (const piece of upload.open()) {
      sent.bytes += piece.length;
      yield piece;
    }
    sent.all = true;
  };
  try {
    return await make({ ...upload, open });
  } finally {
    progress.stop();
  }
}

async function fileUpload(path: string, flags: ReadingFlags, signal: AbortSignal): Promise<Upload> {
  const before = await fileOf(path, path, { ...keptOf(WAITING, flags), signal });
  const stat = statSync(path);
  // A named pipe can be read once, and its size is not known.
  const repeatable = stat.isFile();
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

function standardInput(io: Io, signal: AbortSignal): Upload {
  if (process.stdin.isTTY) say(io, 'Reading from the keyboard; end with Ctrl-D on a line of its own.');
  const open = async function* () {
    yield* process.stdin as AsyncIterable<Uint8Array>;
    await sleep(TOGETHER_MS, undefined, { signal });
  };
  return { size: undefined, open, repeatable: false, signal };
}

function sendingLine(sent: number, size: number | undefined): string {
  const share = size === undefined || size === 0 ? '' : `  ${Math.floor((sent / size) * 100)} %`;
  return `sending  ${grouped(Math.ceil(sent / 1024))} KiB${share}`;
}
