import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { fileOf } from '../../imports/read/file-state.ts';
import { firstSignal } from '../../platform/lifecycle.ts';
import { grouped } from '../../text/wording.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type BanFlags, banQuery } from '../flags/ban-flags.ts';
import { type CreateFlags, createQuery } from '../flags/create-flags.ts';
import type { ReadingFlags, SendingFlags } from '../flags/flags.ts';
import { type ListFlags, tagsOf } from '../flags/list-flags.ts';
import type { RecipeFlags } from '../flags/recipe-flags.ts';
import { identitiesOf, type ShapeFlags, shapeOf, type TrialFlags } from '../flags/shape-flags.ts';
import { sayNothingBegan } from '../run-import.ts';
import { conclude } from '../screen/conclude.ts';
import { followImport } from '../screen/follow.ts';
import { type Io, say } from '../screen/io.ts';
import { redraw } from '../screen/progress.ts';
import { STANDARD_INPUT, TOGETHER_MS } from '../screen/standard-input.ts';
import { withIdentityFile } from './form-upload.ts';
import type { Imports } from './imports.ts';
import type { Server, Upload } from './server-client.ts';

/** Imports that a server runs: sent to it, and followed to their end. */

export interface ThereOptions {
  readonly io: Io;
  readonly imports: Imports;
  readonly server: Server;
  readonly json: boolean;
}

type Flags = ReadingFlags &
  BanFlags &
  CreateFlags &
  RecipeFlags &
  ShapeFlags &
  TrialFlags &
  Pick<SendingFlags, 'maxErrors'> &
  Pick<ListFlags, 'tag'> & { readonly dryRun?: true; readonly detach?: true };

/** Sends a file, or standard input as it comes, to a server, and follows the import. */
export async function importThere(options: ThereOptions, file: string, flags: Flags): Promise<ExitCode> {
  const { io, imports, server, json } = options;
  const sent = await uploadThere(options, file, flags);
  if ('code' in sent) return sent.code;
  const { id } = sent;
  if (flags.detach !== true) return followThere(options, id);
  io.out.write(json ? `${JSON.stringify({ id })}\n` : `${id}\n`);
  say(io, `The server at ${server.url} continues it. Watch it with:`, `  ${imports.command('watch', id)}`);
  return EXIT.ok;
}

/** Sends a file, or standard input as it comes, to a server. Returns the import's id, or the exit code after Ctrl-C. */
export async function uploadThere(
  { io, imports, server }: Omit<ThereOptions, 'json'>,
  file: string,
  flags: Flags,
): Promise<{ readonly id: string } | { readonly code: ExitCode }> {
  const signal = firstSignal(EXIT.interrupted, () => say(io, 'Stopped at once.'));
  const sent = { bytes: 0, all: false };
  try {
    const plain = file === '-' ? standardInput(io, signal.signal) : await fileUpload(file, flags, signal.signal);
    const identities = identitiesOf(flags);
    const upload = identities === undefined ? plain : await withIdentityFile(plain, identities);
    // A wrong address or token is reported before a long upload.
    await server.get('/v1/session', z.object({ role: z.string() }));
    say(io, `Sending ${file === '-' ? 'standard input' : file} to ${server.url} …`);
    const id = await send(io, server, `/v1/imports?${await queryOf(file, flags)}`, upload, sent);
    return { id };
  } catch (error) {
    if (!signal.signal.aborted) throw error;
    if (!sent.all) return { code: sayNothingBegan(io) };
    say(
      io,
      'The server had the whole file already and may have begun with it. See with:',
      `  ${imports.command('list')}`,
    );
    return { code: EXIT.interrupted };
  } finally {
    signal.ignore();
    // The writer of the pipe may never stop.
    if (file === '-') process.stdin.destroy();
  }
}

/** Follows an import that was started for the user; ends as if it had run in this process. Ctrl-C only stops watching. */
export async function followThere({ io, imports, server, json }: ThereOptions, id: string): Promise<ExitCode> {
  const signal = firstSignal(EXIT.stillRunning);
  say(io, `Import ${id} runs on the server at ${server.url}; Ctrl-C leaves it running.`);
  try {
    const end = await followImport(io, imports, id, { signal: signal.signal, begins: true });
    if (end !== 'left') return conclude(imports, io, id, json);
  } finally {
    signal.ignore();
  }
  say(io, '', `Import ${id} continues at ${server.url}. Watch it, or cancel it, with:`);
  say(io, `  ${imports.command('watch', id)}`, `  ${imports.command('cancel', id)}`);
  return EXIT.stillRunning;
}

/** Sends a file and counts the bytes sent; returns the new import's id. */
async function send(
  io: Io,
  server: Server,
  path: string,
  upload: Upload,
  sent: { bytes: number; all: boolean },
): Promise<string> {
  const progress = redraw(io, () => [sendingLine(sent.bytes, upload.size)]);
  const open = async function* () {
    sent.bytes = 0;
    for await (const piece of upload.open()) {
      sent.bytes += piece.length;
      yield piece;
    }
    sent.all = true;
  };
  try {
    return (await server.upload(path, { ...upload, open })).id;
  } finally {
    progress.stop();
  }
}

async function fileUpload(path: string, { waitForQuiet }: Flags, signal: AbortSignal): Promise<Upload> {
  const before = await fileOf(path, path, { waitForQuietMs: waitForQuiet, signal });
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

/** The options of the command line as the API takes them; its regions and budgets are the server's. */
async function queryOf(file: string, flags: Flags): Promise<URLSearchParams> {
  const { guid, scope, region, onBehalfOf, map = {}, format, encoding, delimiter, bound, sheet, files } = flags;
  const { maxErrors, dryRun, recipe } = flags;
  const query = new URLSearchParams({ name: file === '-' ? STANDARD_INPUT : basename(file) });
  const options = { recipe, guid, scope, region, onBehalfOf, encoding, format: format === 'auto' ? undefined : format };
  for (const [name, value] of Object.entries(options)) if (value !== undefined) query.set(name, value);
  for (const [field, column] of Object.entries(map)) query.append('map', `${field}=${column}`);
  const bounds = Object.entries(bound ?? {}).map(([name, value]) => `${name}=${value}`);
  if (bounds.length > 0) query.set('bound', bounds.join(','));
  if (delimiter !== undefined) query.set('delimiter', delimiter);
  if (maxErrors !== undefined) {
    query.set('maxErrors', 'rows' in maxErrors ? String(maxErrors.rows) : `${maxErrors.percent}%`);
  }
  for (const [name, value] of [...createQuery(flags), ...banQuery(flags)]) query.append(name, value);
  if (sheet !== undefined) query.set('sheet', sheet);
  for (const pattern of files ?? []) query.append('files', pattern);
  const { first, only, maxRemovals } = flags;
  const shape = shapeOf(flags);
  if (shape !== undefined) query.set('shape', JSON.stringify(shape));
  if (first !== undefined) query.set('first', String(first));
  for (const { field, is } of only ?? []) query.append('only', `${field}=${is.join('|')}`);
  if (maxRemovals !== undefined) query.set('maxRemovals', String(maxRemovals));
  const tags = await tagsOf(flags);
  if (tags.length > 0) query.set('tags', tags.join(','));
  if (dryRun) query.set('dryRun', 'true');
  return query;
}
