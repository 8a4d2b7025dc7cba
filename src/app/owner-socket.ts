import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ZodType } from 'zod';
import { addressOf, type Operation } from '../api/operation.ts';
import type { Said } from '../errors/entry.ts';
import { isError, messageOf, RollcallError } from '../errors/rollcall-error.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { STOP_DEADLINE_MS } from '../platform/lifecycle.ts';
import { jsonOrUndefined } from '../text/json-or-undefined.ts';

/**
 * The connection from a command to the process that owns the data directory: HTTP over a socket file that only this user can
 * open, with the operations of the API. Their fields that the path does not name are JSON, and a header names the person.
 */
export interface OwnerRequest {
  readonly method: string;
  readonly path: string;
  readonly who: string;
  readonly fields: object;
}

/** Does what another process asks for. @throws RollcallError, which that process throws too */
export type AnswerOwner = (request: OwnerRequest) => Promise<unknown>;

const WHO = 'x-rollcall-user';

/** Loaded when it is needed. `import` would read all that it can give, and load Node's WebSocket and fetch with it. */
const http = () => process.getBuiltinModule('node:http');

/** Longest path of a socket file that every system accepts, in bytes. */
const MAX_SOCKET_PATH_LENGTH = 100;

/** The path of a new socket: in the data directory, or, if that path is too long, in a private folder that a file there names. */
async function newSocket({ controlSocket, control }: DataDir) {
  if (Buffer.byteLength(controlSocket) <= MAX_SOCKET_PATH_LENGTH) return controlSocket;
  const path = join(await mkdtemp(join(tmpdir(), 'rollcall-control-')), 'control.sock');
  await rm(control, { force: true });
  await writeFile(control, path, { mode: 0o600, flag: 'wx' });
  return path;
}

async function removeSocket({ controlSocket, control }: DataDir, path: string) {
  await rm(path, { force: true });
  if (path === controlSocket) return;
  await rm(control, { force: true });
  await rm(dirname(path), { recursive: true, force: true });
}

/** The socket of the owner; undefined when there is none. @throws Error when another user could have put it there */
async function findSocket(dir: DataDir) {
  if (Buffer.byteLength(dir.controlSocket) <= MAX_SOCKET_PATH_LENGTH) return dir.controlSocket;
  try {
    const path = (await readFile(dir.control, 'utf8')).trim();
    const folder = await lstat(dirname(path));
    const users = [process.getuid?.() ?? folder.uid, (await stat(dir.root)).uid];
    if (folder.isDirectory() && (folder.mode & 0o077) === 0 && users.includes(folder.uid)) return path;
    throw new Error(
      `${dirname(path)}, which ${dir.control} names, is not private: another user could answer there; remove that file, and start the process that uses the data directory again`,
    );
  } catch (error) {
    // Removed at this moment, or by a clean-up of temporary files.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Time in which an owner that stops gives the data directory back, and between two looks, in ms. */
const LEAVING_MS = STOP_DEADLINE_MS + 5_000;
const LOOK_MS = 50;
/** Time for answers that are on their way when the owner stops, in ms. */
const LAST_ANSWERS_MS = 2_000;

/** Opens what owns the data directory; waits for an owner without a socket, which begins or leaves. @throws DATA_DIR_IN_USE */
export async function whenLeft<Opened>(
  dir: DataDir,
  open: () => Opened | Promise<Opened>,
  signal?: AbortSignal,
): Promise<Opened> {
  for (const until = performance.now() + LEAVING_MS; ; await sleep(LOOK_MS)) {
    try {
      return await open();
    } catch (error) {
      const isOver = signal?.aborted === true || performance.now() > until;
      if (!isError(error, 'DATA_DIR_IN_USE') || isOver || existsSync((await findSocket(dir)) ?? '')) throw error;
    }
  }
}

/** Serves the owner's socket. The data directory must be owned: a socket left by a killed process is replaced. */
export async function serveOwner(dir: DataDir, answer: AnswerOwner) {
  // Left by an owner that was killed.
  const left = await findSocket(dir).catch(() => undefined);
  if (left !== undefined) await removeSocket(dir, left);
  const path = await newSocket(dir);
  const answering = new Set<Promise<void>>();
  const server = http().createServer((incoming, reply) => {
    const sent = send(answer, incoming, reply).finally(() => answering.delete(sent));
    answering.add(sent);
  });
  const mask = process.umask(0o077);
  try {
    await once(server.listen(path), 'listening');
  } finally {
    process.umask(mask);
  }
  return {
    close: async () => {
      // Who asks from now on waits for the data directory.
      await removeSocket(dir, path);
      // A pause that ends this process is answered before its connection goes.
      await Promise.race([Promise.allSettled(answering), sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(answer: AnswerOwner, incoming: IncomingMessage, reply: ServerResponse) {
  const isClosed = new Promise((resolve) => reply.once('close', resolve));
  const end = (status: number, body: unknown) =>
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? null));
  try {
    const { method = '', url: path = '', headers } = incoming;
    const fields = JSON.parse(Buffer.concat(await incoming.toArray()).toString()) as object;
    const answered = await answer({ method, path, who: decodeURIComponent(String(headers[WHO])), fields });
    // Nobody waits for its end.
    if (isPieces(answered)) return void pipeline(answered, reply).catch(() => {});
    end(200, answered);
  } catch (error) {
    end(409, refusalOf(error));
  }
  await isClosed;
}

function isPieces(answer: unknown): answer is AsyncIterable<string | Uint8Array> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

/** An error as the other process throws it again. */
function refusalOf(error: unknown): Refusal {
  const what = messageOf(error);
  const { code, message, facts } =
    error instanceof RollcallError ? error : new RollcallError('OWNER_REFUSED', { what });
  return { code, message, facts: facts as Said };
}

interface Refusal {
  readonly code: string;
  /** With the remedy, as commands write it. */
  readonly message: string;
  readonly facts: Said;
}

const unreadable = () =>
  new RollcallError('OWNER_REFUSED', {
    what: 'the process that uses the data directory gave an answer that this rollcall cannot read: it may be another version; stop it, and start it again with this one',
  });

const noOwner = () => new RollcallError('NO_OWNER', {});

/** No process listens: there was none, it was killed, or it is stopping. */
const NOT_LISTENING: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Has the owner do an operation. @throws as it refuses; NO_OWNER; OWNER_REFUSED for an answer that cannot be read */
export async function askOwner<Answer>(
  dir: DataDir,
  { answer, ...operation }: Asked & { readonly answer: ZodType<Answer> },
  input: object,
  who: string,
): Promise<Answer> {
  const reply = await replyOf(dir, operation, input, who);
  const read = answer.safeParse((await documentOf(reply)) ?? undefined);
  if (!read.success) throw unreadable();
  return read.data;
}

type Asked = Pick<Operation, 'method' | 'path'>;

/** The reply of the owner, before its body. @param signal ends it @throws as askOwner */
export async function replyOf(
  dir: DataDir,
  { method, path }: Asked,
  input: object,
  who: string,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  const socketPath = await findSocket(dir);
  if (socketPath === undefined || !existsSync(socketPath)) throw noOwner();
  const { address, rest } = addressOf(path, input);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const body = JSON.stringify(rest);
  // Named, because Node names it only for some methods.
  const headers = { [WHO]: encodeURIComponent(who), 'content-length': Buffer.byteLength(body) };
  const outgoing = http().request({ socketPath, method, path: address, headers, signal }, resolve);
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    reject(NOT_LISTENING.has(error.code) ? noOwner() : error);
  });
  outgoing.end(body);
  const reply = await promise;
  if (reply.statusCode === 200) return reply;
  throw refused(await documentOf(reply));
}

async function documentOf(reply: IncomingMessage): Promise<unknown> {
  return jsonOrUndefined(Buffer.concat(await reply.toArray()).toString());
}

function refused(document: unknown) {
  const { code, message, facts } = (document ?? {}) as Partial<Refusal>;
  if (typeof code !== 'string' || message === undefined || facts === undefined) return unreadable();
  return Object.assign(new RollcallError<string>(code, facts), { message });
}
