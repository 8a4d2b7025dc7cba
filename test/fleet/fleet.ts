import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BatchPayload } from '../../jobs/batch-payload.ts';
import { createChatClient } from '../../src/chat/chat-client.ts';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { openImportReader } from '../../src/imports/report/import-reader.ts';
import type { ReportRow } from '../../src/imports/report/report-table.ts';
import { observers } from '../../src/imports/send/call-observer.ts';
import { openRegionQueue } from '../../src/imports/send/region-queues.ts';
import { startWorkerProcess } from '../../src/imports/send/worker-process.ts';
import { REGIONS, type Region } from '../../src/membership/membership.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import type { Backend } from '../../src/queue/backend.ts';
import type { JobQueue } from '../../src/queue/job-queue.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { type Ended, runHere } from '../cli/run-here.ts';
import { openSandboxPlace, type Running, type SandboxPlace } from '../cli/workplace.ts';
import type { Doorkeeper } from '../imports/doorkeeper.ts';
import type { TestServer } from '../servers/server.ts';
import { newAddress } from './places.ts';

/** Coordinator and workers as processes, a sandbox in this one, and a queue server between them. */
export interface Fleet extends SandboxPlace {
  readonly url: string;
  readonly backend: Backend;
  /** Keys of the apps, for workers that are not started by `worker`. */
  readonly keys: Readonly<Record<string, string>>;
  /** Starts a worker that has the keys of these regions and no other. Resolves when it works. */
  worker(
    regions: readonly Region[],
    args?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Running>;
  /** A worker in this process, for what does not depend on it being one of its own. */
  workerHere(regions: readonly Region[], options?: WorkerHere): Promise<{ stop(): Promise<void> }>;
  /** Starts `import` of these rows on a coordinator without any key; unless `args` are given, without asking who is banned. */
  import(rows: readonly Asked[], args?: readonly string[]): Running;
  /** The same in this process, to its end. */
  importHere(rows: readonly Asked[], args?: readonly string[]): Promise<Ended>;
  /** Runs a command to its end in this process, unless it runs one already. To be called while the queue can be reached. */
  runHere(args: readonly string[]): Promise<Ended>;
  queue(region: Region): JobQueue<BatchPayload>;
  /** The latest import's id and state. */
  latest(): { readonly id: string; readonly state: string; readonly reason: string };
  rows(): ReportRow[];
}

interface WorkerHere {
  readonly concurrency?: number;
  /** In place of the app's own. */
  readonly apiKey?: string;
  /** Stands before the service. */
  readonly door?: Doorkeeper;
}

export interface Asked {
  readonly region?: Region;
  readonly guid: string;
  readonly uid: string;
}

export async function openFleet(server: TestServer, sandbox: SandboxOptions = {}): Promise<Fleet> {
  const place = await openSandboxPlace({
    users: 'any',
    groups: 'any',
    rateLimit: { calls: 1_000_000, perMs: 1_000 },
    ...sandbox,
  });
  const url = newAddress(server);
  const keyNames = Object.keys(place.env).filter((name) => name.endsWith('_API_KEY'));
  const keys = Object.fromEntries(keyNames.map((name) => [name, place.env[name] ?? '']));
  // The coordinator has none.
  for (const name of keyNames) delete place.env[name];
  place.env['ROLLCALL_QUEUE'] = url;
  const backend = await openBackend(url);
  onTestFinished(() => backend.close());
  const queues = new Map(
    REGIONS.map((region) => {
      const queue = openRegionQueue(backend, region, place.sandbox.apps[region].appId, () => {});
      onTestFinished(() => queue.close());
      return [region, queue];
    }),
  );
  let started: Running | undefined;
  const importing = (rows: readonly Asked[], args: readonly string[] = ['--no-ban-check']) => {
    const lines = rows.map(({ region = 'us', guid, uid }) => `${region},${guid},${uid}`);
    const file = place.file('members.csv', `region,guid,uid\n${lines.join('\n')}\n`);
    return ['import', file, '--calls-per-minute', '1000000', ...args];
  };
  const fleet: Fleet = {
    ...place,
    url,
    backend,
    keys,
    worker: async (regions, args = [], env = {}) => {
      const own = regions.map((region) => `ROLLCALL_${region.toUpperCase()}_API_KEY`);
      const running = place.start(['worker', '--region', regions.join(','), ...args], {
        env: { ...Object.fromEntries(own.map((name) => [name, keys[name] ?? ''])), ...env },
        stays: true,
      });
      await running.says('Sending for');
      return running;
    },
    workerHere: async (regions, { concurrency = 10, apiKey, door } = {}) => {
      const { host, caPem: ca, apps } = place.sandbox;
      const clients = regions.map((region) => {
        const app = { ...apps[region], ...(apiKey !== undefined && { apiKey }) };
        const chat = createChatClient({ region, host, ca, ...app });
        return { region, appId: app.appId, chat: door?.chat(chat, region) ?? chat };
      });
      const parts = {
        backend: await openBackend(url),
        apps: clients,
        host,
        config: { concurrency, askBeforeRepeat: 'never' as const },
      };
      const worker = startWorkerProcess({ ...parts, observer: observers(), onError: () => {} });
      let stopped: Promise<unknown> | undefined;
      const stop = async () => {
        stopped ??= worker.stop(500).then(() => Promise.all(clients.map(({ chat }) => chat.close())));
        await stopped;
      };
      onTestFinished(stop);
      return { stop };
    },
    import: (rows, args) => {
      started = place.start(importing(rows, args), { stays: true });
      return started;
    },
    importHere: (rows, args) => fleet.runHere(importing(rows, args)),
    runHere: (args) => runHere(args, { cwd: place.root, env: place.env }) ?? place.start(args).ended,
    queue: (region) => queues.get(region) ?? queueMissing(region),
    latest: () => {
      const catalog = openCatalogReader(join(place.dataDir, 'catalog.sqlite'));
      try {
        return catalog.list(1)[0] ?? { id: '', state: 'none', reason: '' };
      } finally {
        catalog.close();
      }
    },
    rows: () => {
      try {
        return rowsOf(dataDir(place.dataDir).ledger(fleet.latest().id));
      } catch (error) {
        throw new Error(`no rows yet; the import says: ${started?.stderr()}`, { cause: error });
      }
    },
  };
  return fleet;
}

function rowsOf(ledger: string): ReportRow[] {
  const reader = openImportReader(ledger);
  try {
    return reader.rows().toArray();
  } finally {
    reader.close();
  }
}

function queueMissing(region: Region): never {
  throw new Error(`no queue for ${region}`);
}

/** `count` rows of as many groups, which are as many calls. */
export function calls(count: number, region: Region = 'us'): Asked[] {
  return Array.from({ length: count }, (_, at) => ({ region, guid: `g${at}`, uid: `u${at}` }));
}

export { eventually } from '../eventually.ts';
