import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportRecord } from '../ledger/catalog.ts';
import type { Coordinator } from './coordinator.ts';
import type { DataDir } from './data-dir.ts';
import type { RegionStatus } from './region-line.ts';

/**
 * How a command reaches the process that owns the data directory: HTTP over a socket file that only this user can open.
 * `POST /imports/<id>/<verb>` answers with the import's record, `GET /regions` with what the regions are waiting for. A
 * process that does more than run imports answers more.
 */
export const VERBS = ['pause', 'resume', 'cancel'] as const;
export type Verb = (typeof VERBS)[number];

/** Answers what else this process can be asked; undefined when it is nothing that it knows. */
export type ControlHandler = (method: string, path: readonly string[], body: unknown) => Promise<unknown> | undefined;

/** Longest path of a socket file that every system takes. */
const LONGEST_SOCKET_PATH = 100;

/** In the data directory, or where that path is too long for a socket, in the temporary one under a name made of it. */
function socketPath({ controlSocket }: DataDir): string {
  if (Buffer.byteLength(controlSocket) <= LONGEST_SOCKET_PATH) return controlSocket;
  return join(tmpdir(), `rollcall-${createHash('sha256').update(controlSocket).digest('hex').slice(0, 16)}.sock`);
}

/** Serves a coordinator's socket. The data directory must be owned: a socket left by a killed process is replaced. */
export async function serveControl(
  dir: DataDir,
  coordinator: Coordinator,
  more: ControlHandler = () => undefined,
): Promise<{ close(): Promise<void> }> {
  const path = socketPath(dir);
  await rm(path, { force: true });
  const server = createServer((incoming, reply) => void answer(coordinator, more, incoming, reply));
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
      await rm(path, { force: true });
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
    if (incoming.method === 'POST' && first === 'imports' && id !== undefined && known !== undefined) {
      return send(200, await coordinator[known](id));
    }
    const sent = Buffer.concat(await incoming.toArray()).toString();
    const answered = more(incoming.method ?? '', path, sent === '' ? undefined : JSON.parse(sent));
    if (answered !== undefined) return send(200, (await answered) ?? null);
    send(404, {
      message: `the process that uses this data directory runs an import or sync and nothing else (it does not know ${incoming.method} /${first}); wait for its end`,
    });
  } catch (error) {
    send(409, { message: error instanceof Error ? error.message : String(error) });
  }
}

/** What the coordinator refused, in its words. */
export class ControlRefused extends Error {}

/** Asks the process that owns the data directory to do something; undefined when there is none. */
export async function askToAct(dir: DataDir, id: string, verb: Verb): Promise<ImportRecord | undefined> {
  return (await askOwner(dir, 'POST', `/imports/${encodeURIComponent(id)}/${verb}`)) as ImportRecord | undefined;
}

/** What each region is doing in the process that owns the data directory; undefined when there is none. */
export async function askRegions(dir: DataDir): Promise<readonly RegionStatus[] | undefined> {
  return (await askOwner(dir, 'GET', '/regions')) as readonly RegionStatus[] | undefined;
}

/** Nobody listens: never did, was killed, or stops at this moment. */
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Asks the process that owns the data directory; undefined when there is none. @throws ControlRefused */
export function askOwner(dir: DataDir, method: string, path: string, body?: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: socketPath(dir), method, path }, async (reply) => {
      try {
        const chunks = await reply.toArray();
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        if (reply.statusCode === 200) resolve(body);
        else reject(new ControlRefused(String((body as { message?: unknown }).message)));
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (GONE.has(error.code)) resolve(undefined);
      else reject(error);
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
