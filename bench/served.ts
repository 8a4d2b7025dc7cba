/** `rollcall serve` in a process of its own, with a data directory of its own, for as long as a benchmark works with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../bin/rollcall.js', import.meta.url));
const LOOK_MS = 200;

/** The fields of an import that benchmarks read. */
export interface View {
  readonly id: string;
  readonly state: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

export interface Served {
  readonly url: string;
  json<Body>(path: string): Promise<Body>;
  /** Begins an import; gives its id. @param query options of the upload */
  upload(body: NonNullable<RequestInit['body']>, query?: string): Promise<string>;
  look(id: string): Promise<View>;
  /** Waits until it has finished, without getting in its way. */
  finished(id: string): Promise<View>;
}

export async function served(
  flags: readonly string[],
  env: NodeJS.ProcessEnv,
  work: (served: Served) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  const server = spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0', '--data-dir', dataDir, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  const exit = once(server, 'exit');
  try {
    await work(client(await addressOf(server)));
  } finally {
    server.kill('SIGTERM');
    await exit;
    await rm(dataDir, { recursive: true });
  }
}

function client(url: string): Served {
  const json = async <Body>(path: string, init?: RequestInit): Promise<Body> => {
    const answer = await fetch(`${url}${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Body;
  };
  const look = (id: string) => json<View>(`/v1/imports/${id}`);
  return {
    url,
    json,
    look,
    upload: async (body, query = '') => {
      const headers = { 'content-type': 'text/csv' };
      return (await json<View>(`/v1/imports?region=us&${query}`, { method: 'POST', headers, body })).id;
    },
    finished: async (id) => {
      for (;;) {
        const view = await look(id);
        if (view.finishedAt !== null) return view;
        await sleep(LOOK_MS);
      }
    },
  };
}

/** Reads what the server says until it says where it listens, and continues reading, so that it never blocks. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('the server says nothing');
  const said: string[] = [];
  const address = Promise.withResolvers<string>();
  const lines = createInterface({ input: stderr });
  lines.on('line', (text) => {
    said.push(text);
    const [, found] = /Listening on (\S+)/.exec(text) ?? [];
    if (found !== undefined) address.resolve(found);
  });
  lines.on('close', () => address.reject(new Error(`the server has ended: ${said.join('\n')}`)));
  return address.promise;
}
