import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { ImportView } from '../../src/api/imports.ts';
import type { FileLook } from '../../src/api/look.ts';
import type { Role } from '../../src/api/operation.ts';
import type { ProblemDocument } from '../../src/api/problems.ts';
import type { Settings } from '../../src/api/service.ts';
import { composeCoordinator } from '../../src/app/app.ts';
import { clientOf, type Service } from '../../src/app/chat-service.ts';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import type { Schedules } from '../../src/features/schedule/compose-schedules.ts';
import type { SyncRunner } from '../../src/features/sync/run/sync-runner.ts';
import type { Coordinator } from '../../src/imports/life/coordinator.ts';
import type { Region } from '../../src/membership/membership.ts';
import { readConfig } from '../../src/platform/config.ts';
import { type DataDir, dataDir } from '../../src/platform/data-dir.ts';
import { openLog } from '../../src/platform/log.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type AccessStore, openAccessStore } from '../../src/server/access/access-store.ts';
import { stopServer } from '../../src/server/bare-server.ts';
import type { Api, ServerContext } from '../../src/server/context.ts';
import { createServer } from '../../src/server/server.ts';
import type { ServerOptions } from '../../src/server/server-options.ts';
import { SHARED_READING } from '../imports/shared-reading.ts';

/** The server over real HTTP, with a coordinator, workers and sandbox of its own; a file's tests share one. */
export interface TestServer {
  readonly url: string;
  readonly app: Api;
  readonly dir: DataDir;
  readonly access: AccessStore;
  readonly coordinator: Coordinator;
  readonly syncs: SyncRunner;
  readonly events: ServerContext['events'];
  /** Not started: none of them is due by itself. */
  readonly schedules: Schedules;
  readonly sandbox: Sandbox;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The document of a request that must succeed. */
  json<Body>(path: string, init?: RequestInit): Promise<Body>;
  /** The problem of a request that must be refused. */
  problem(path: string, init?: RequestInit): Promise<ProblemDocument & { headers: Headers }>;
  /** Looks at a file; one that cannot be read has a problem in the answer. */
  look(content: string | Buffer, query?: string, type?: string): Promise<FileLook>;
  /** Uploads a CSV text; gives the new import. */
  upload(content: string, query?: string, init?: RequestInit): Promise<ImportView>;
  /** Uploads and waits until nothing more happens by itself. */
  run(content: string, query?: string): Promise<ImportView>;
  /** Waits until nothing more happens by itself. */
  settled(id: string): Promise<ImportView>;
  token(role: Role, name?: string): string;
  /** Files in the folder of uploads under way. */
  leftovers(): string[];
  close(): Promise<void>;
}

export interface TestServerOptions
  extends Partial<
    Pick<
      ServerOptions,
      | 'tokenRequired'
      | 'trustProxy'
      | 'uploadIdleMs'
      | 'maxUploads'
      | 'receiver'
      | 'notifyPrivate'
      | 'outageMs'
      | 'eventsEveryMs'
      | 'registry'
    >
  > {
  readonly settings?: Partial<Settings>;
  /** The limits of the service and of the settings. Default: none. */
  readonly callsPerMinute?: number;
  /** PEM of a certificate authority that sources may have. */
  readonly caFile?: string;
  readonly sandbox?: SandboxOptions;
  /** Sources that the settings name. */
  readonly namedSources?: Readonly<Record<string, object>>;
  /** Puts something between the workers and the service. */
  readonly chat?: (chat: ChatClient, region: Region) => ChatClient;
  /** Done to the data directory before the server starts. */
  readonly prepare?: (dir: DataDir) => void;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { callsPerMinute, chat } = options;
  const root = mkdtempSync(join(tmpdir(), 'rollcall-test-'));
  await using taken = new AsyncDisposableStack();
  taken.defer(() => rmSync(root, { recursive: true, force: true }));
  const dir = dataDir(join(root, 'data'));
  const sandbox = await startSandbox({
    users: 'any',
    groups: 'any',
    rateLimit:
      callsPerMinute === undefined ? { calls: 1_000_000, perMs: 1_000 } : { calls: callsPerMinute, perMs: 60_000 },
    randomSeed: 1,
    ...options.sandbox,
  });
  taken.defer(() => sandbox.close());
  const failures: Error[] = [];
  if (options.namedSources !== undefined)
    writeFileSync(join(root, 'rollcall.config.json'), JSON.stringify({ sources: options.namedSources }));
  const config = readConfig(
    { dataDir: dir.root, callsPerMinute: callsPerMinute ?? 1_000_000, concurrency: 10 },
    {
      ROLLCALL_SOURCES: options.settings?.sources?.join(','),
      ROLLCALL_CA_FILE: options.caFile,
    },
    root,
  );
  const { host, apps, caPem: ca } = sandbox;
  const service: Service = { sends: true, sandbox: true, host, apps, ca };
  const log = openLog(dir.root);
  const coordinator = await composeCoordinator({
    config,
    service,
    log,
    warn: (text) => failures.push(new Error(text)),
    ...SHARED_READING,
    ...(chat !== undefined && { client: (region) => chat(clientOf(service, region, config.concurrency), region) }),
  });
  coordinator.events.on('failure', (error) => failures.push(error));
  taken.defer(() => coordinator.stop(500));
  const access = openAccessStore(join(dir.root, 'access.sqlite'));
  taken.defer(() => access.close());
  options.prepare?.(dir);
  const {
    settings,
    tokenRequired = false,
    trustProxy,
    uploadIdleMs,
    maxUploads,
    receiver,
    notifyPrivate = false,
    outageMs,
    eventsEveryMs,
    registry = new Registry(),
  } = options;
  const { app, context } = await createServer({
    config,
    service,
    coordinator,
    dir,
    access,
    onStop: (stop) => taken.defer(stop),
    fail: (error) => failures.push(error),
    stage: SHARED_READING.stage,
    settings: { ...SETTINGS, ...(callsPerMinute !== undefined && { callsPerMinute }), ...settings },
    tokenRequired,
    notifyPrivate,
    log,
    trustProxy,
    ...(uploadIdleMs !== undefined && { uploadIdleMs }),
    ...(maxUploads !== undefined && { maxUploads }),
    ...(receiver !== undefined && { receiver }),
    ...(outageMs !== undefined && { outageMs }),
    ...(eventsEveryMs !== undefined && { eventsEveryMs }),
    registry,
  });
  taken.defer(() => stopServer(app, 1_000));
  const url = await app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: (at) => at });
  const resources = taken.move();

  const server: TestServer = {
    url,
    app,
    dir,
    access,
    coordinator,
    syncs: context.syncs,
    events: context.events,
    schedules: context.schedules,
    sandbox,
    fetch: (path, init) => fetch(`${url}${path}`, init),
    json: async (path, init) => {
      const response = await server.fetch(path, init);
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}${causeOf(response, dir)}`);
      return response.json() as never;
    },
    look: (body, query = '', type = 'application/octet-stream') =>
      server.json(`/v1/look?${query}`, { method: 'POST', headers: { 'content-type': type }, body }),
    problem: async (path, init) => {
      const response = await server.fetch(path, init);
      const text = await response.text();
      if (response.headers.get('content-type')?.startsWith('application/problem+json') !== true) {
        throw new Error(`no problem: ${response.status} ${text}`);
      }
      const document = JSON.parse(text) as ProblemDocument;
      if (document.status !== response.status) throw new Error(`${response.status} says ${document.status}`);
      return { ...document, headers: response.headers };
    },
    upload: (content, query = '', init = {}) =>
      server.json(`/v1/imports?${query}`, {
        method: 'POST',
        body: content,
        ...init,
        headers: { 'content-type': 'text/csv', ...(init.headers as Record<string, string>) },
      }),
    run: async (content, query) => server.settled((await server.upload(content, query)).id),
    settled: async (id) => {
      await coordinator.settled(id);
      return server.json(`/v1/imports/${id}`);
    },
    token: (role, name = '') => access.createToken({ role, name, expiresAt: null }).text,
    leftovers: () => {
      try {
        return readdirSync(join(dir.root, 'uploads'));
      } catch {
        return [];
      }
    },
    close: async () => {
      await resources.disposeAsync();
      if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
    },
  };
  return server;
}

/** The log's words on answers that only name it: the log is gone with the server. */
function causeOf({ status }: Response, dir: DataDir): string {
  if (status !== 500) return '';
  const lines = readFileSync(join(dir.root, 'rollcall.log'), 'utf8').split('\n');
  return `\n${lines.filter((line) => line.includes('"level":"error"')).join('\n')}`;
}

const SETTINGS: Settings = {
  version: 'test',
  profile: null,
  host: 'sandbox.localhost',
  sandbox: true,
  queue: 'embedded',
  apps: { us: { appId: 'sandbox-us', keySet: true } },
  defaultRegion: 'us',
  callsPerMinute: 1_000_000,
  importsPerMinute: 60,
  concurrency: 10,
  keepDays: null,
  maxUploadBytes: 1024 * 1024,
  withWorkers: true,
  sources: [],
};
