import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ZodType } from 'zod';
import type { RegionStatus } from '../../api/region-status.ts';
import type { TagChanges } from '../../api/tags.ts';
import { messageOf } from '../../errors/message-of.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { type DataDir, DataDirInUse } from '../../platform/data-dir.ts';
import { STOP_DEADLINE_MS } from '../../platform/lifecycle.ts';
import type { ImportRecord } from '../catalog.ts';
import type { Coordinator } from './coordinator.ts';
import type { ResumeChanges } from './creating-step.ts';

/**
 * The connection from a command to the process that owns the data directory: HTTP over a socket file that only this
 * user can open. `POST /imports/<id>/<verb>` and `POST /imports/<id>/tags` answer with the import's record, `GET
 * /regions` with the state of the regions. A process that does more than run imports answers further requests.
 */
const VERBS = ['pause', 'resume', 'cancel'] as const;
export type Verb = (typeof VERBS)[number];

/** Answers further requests of this process; undefined for a request that it does not know. */
export type ControlHandler = (method: string, path: readonly string[], body: unknown) => Promise<unknown> | undefined;

/** Loaded when it is needed. `import` would read all that it can give, and load Node's WebSocket and fetch with it. */
const http = () => process.getBuiltinModule('node:http');

/** Longest path of a socket file that every system accepts, in bytes. */
const MAX_SOCKET_PATH_LENGTH = 100;

/** The path of a new socket: in the data directory, or, if that path is too long, in a private folder that a file there names. */
async function newSocket({ controlSocket, control }: DataDir): Promise<string> {
  if (Buffer.byteLength(controlSocket) <= MAX_SOCKET_PATH_LENGTH) return controlSocket;
  const path = join(await mkdtemp(join(tmpdir(), 'rollcall-control-')), 'control.sock');
  await rm(control, { force: true });
  await writeFile(control, path, { mode: 0o600, flag: 'wx' });
  return path;
}

async function removeSocket({ control }: DataDir, path: string, isOutside: boolean): Promise<void> {
  await rm(path, { force: true });
  if (!isOutside) return;
  await rm(control, { force: true });
  await rm(dirname(path), { recursive: true, force: true });
}

/** The socket of the owner; undefined when there is none. @throws Error when another user could have put it there */
async function findSocket(dir: DataDir): Promise<string | undefined> {
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

/**
 * Opens what owns the data directory. An owner without a socket begins or leaves, as that of an import does which was
 * just paused: it is waited for.
 * @throws DataDirInUse
 */
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
      if (!(error instanceof DataDirInUse) || isOver || existsSync((await findSocket(dir)) ?? '')) throw error;
    }
  }
}

/** Serves a coordinator's socket. The data directory must be owned: a socket left by a killed process is replaced. */
export async function serveControl(
  dir: DataDir,
  coordinator: Coordinator,
  more: ControlHandler = () => undefined,
): Promise<{ close(): Promise<void> }> {
  // Left by an owner that was killed.
  const left = await findSocket(dir).catch(() => undefined);
  const isOutside = left !== dir.controlSocket;
  if (left !== undefined) await removeSocket(dir, left, isOutside);
  const path = await newSocket(dir);
  const server = http().createServer((incoming, reply) => void answer(coordinator, more, incoming, reply));
  const mask = process.umask(0o077);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
  } finally {
    process.umask(mask);
  }
  return {
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await removeSocket(dir, path, isOutside);
    },
  };
}

async function answer(
  coordinator: Coordinator,
  more: ControlHandler,
  incoming: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const send = (status: number, body: unknown) => {
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  try {
    const path = (incoming.url ?? '').split('/').slice(1).map(decodeURIComponent);
    const [first, id, verb] = path;
    if (incoming.method === 'GET' && first === 'regions') return send(200, await coordinator.regions());
    const known = VERBS.find((one) => one === verb);
    const sent = Buffer.concat(await incoming.toArray()).toString();
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    if (incoming.method === 'POST' && first === 'imports' && id !== undefined && known !== undefined) {
      const acted = known === 'resume' ? resume(coordinator, id, body) : coordinator[known](id);
      return send(200, await acted);
    }
    if (incoming.method === 'POST' && first === 'imports' && id !== undefined && verb === 'tags') {
      const { tagChanges } = await import('../../api/tags.ts');
      return send(200, coordinator.tag(id, tagChanges.parse(body)));
    }
    const answered = more(incoming.method ?? '', path, body);
    if (answered !== undefined) return send(200, (await answered) ?? null);
    send(404, {
      message: `the process that uses this data directory runs an import or sync and nothing else (it does not know ${incoming.method} /${first}); wait for its end`,
    });
  } catch (error) {
    if (error instanceof RollcallError) return send(409, { message: error.message, code: error.code });
    send(409, { message: messageOf(error) });
  }
}

async function resume(coordinator: Coordinator, id: string, body: unknown = {}): Promise<ImportRecord> {
  // Loaded here: commands that only read do not need the options of imports.
  const { resumeChanges } = await import('./creating-step.ts');
  return coordinator.resume(id, resumeChanges.parse(body));
}

/** A refusal of the coordinator, in its words. */
class ControlRefused extends RollcallError {
  /** @param code the error's code in the other process; absent if it has none */
  constructor(message: string, code = 'CONTROL_REFUSED') {
    super(code, message, { kind: 'usage' });
  }

  static unreadable(): ControlRefused {
    return new ControlRefused(
      'the process that uses the data directory gave an answer that this rollcall cannot read: it may be another version; stop it, and start it again with this one',
    );
  }
}

/** Reads an answer of the data directory's owner; returns undefined when there is none. @throws ControlRefused */
export function readAnswer<Answer>(shape: ZodType<Answer>, answer: unknown): Answer | undefined {
  if (answer === undefined) return undefined;
  const { success, data } = shape.safeParse(answer);
  if (!success) throw ControlRefused.unreadable();
  return data;
}

/** Asks the process that owns the data directory to act; undefined when there is none. */
export async function askToAct(
  dir: DataDir,
  id: string,
  verb: Verb,
  changes: ResumeChanges = {},
): Promise<Pick<ImportRecord, 'state' | 'reason'> | undefined> {
  const answer = await askOwner(dir, 'POST', `/imports/${encodeURIComponent(id)}/${verb}`, changes);
  const { actedOn } = await import('./control-answers.ts');
  return readAnswer(actedOn, answer);
}

/** Asks the process that owns the data directory to change tags; undefined when there is none. */
export async function askToTag(
  dir: DataDir,
  id: string,
  changes: TagChanges,
): Promise<Pick<ImportRecord, 'tags'> | undefined> {
  const answer = await askOwner(dir, 'POST', `/imports/${encodeURIComponent(id)}/tags`, changes);
  const { tagged } = await import('./control-answers.ts');
  return readAnswer(tagged, answer);
}

/**
 * Asks the process that owns the data directory for the status of each region; returns undefined when there is none.
 */
export async function askRegions(dir: DataDir): Promise<readonly RegionStatus[] | undefined> {
  const answer = await askOwner(dir, 'GET', '/regions');
  if (answer === undefined) return undefined;
  const { regionStatuses } = await import('../../api/region-status.ts');
  return readAnswer(regionStatuses, answer);
}

/** No process listens: there was none, it was killed, or it is stopping. */
const NOT_LISTENING: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Asks the process that owns the data directory; undefined when there is none. @throws ControlRefused */
export async function askOwner(dir: DataDir, method: string, path: string, body?: unknown): Promise<unknown> {
  const socketPath = await findSocket(dir);
  if (socketPath === undefined || !existsSync(socketPath)) return undefined;
  return new Promise((resolve, reject) => {
    const outgoing = http().request({ socketPath, method, path }, async (reply) => {
      try {
        const chunks = await reply.toArray();
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        if (reply.statusCode === 200) resolve(body);
        else {
          const { refusal } = await import('./control-answers.ts');
          const { data } = refusal.safeParse(body);
          reject(data === undefined ? ControlRefused.unreadable() : new ControlRefused(data.message, data.code));
        }
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (NOT_LISTENING.has(error.code)) resolve(undefined);
      else reject(error);
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
