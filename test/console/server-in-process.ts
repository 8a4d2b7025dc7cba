import { afterAll, beforeAll } from 'vitest';
import type { Role } from '../../src/api/operation.ts';
import type { Settings } from '../../src/api/service.ts';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import type { DataDir } from '../../src/platform/data-dir.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../server/test-server.ts';

export interface Served {
  readonly url: string;
  readonly dir: DataDir;
  readonly sandbox: Sandbox;
  /** The service of the last region that was opened, past the server. */
  readonly service: ChatClient;
  token(role: Role): string;
  revoke(token: string): void;
  /** Hands a file in over the API; gives the id of its import or sync. */
  upload(text: string, query: string, to?: 'imports' | 'syncs'): Promise<string>;
  /** Hands a file in; gives the id of its import when nothing more happens by itself. */
  run(text: string, query: string): Promise<string>;
  /** Sends JSON to the API, and gives its answer. */
  post<Answer = unknown>(path: string, body?: object): Promise<Answer>;
}

export interface ServerOptions {
  /** The contents of the sandbox. Default: everything. */
  readonly seed?: SandboxOptions['seed'];
  readonly faults?: string;
  readonly callsPerMinute?: number;
  readonly tokenRequired?: true;
  readonly notifyPrivate?: true;
  /** Folders and addresses that schedules may read. */
  readonly sources?: readonly string[];
  /** Settings that the server announces. */
  readonly settings?: Partial<Settings>;
  /** Puts something between the workers and the service. */
  readonly chat?: NonNullable<TestServerOptions['chat']>;
}

/** A server in this process for the tests of a file. One that goes away and comes back: front.ts. */
export function useServer({
  seed,
  faults = '',
  sources = [],
  chat: between,
  settings,
  ...options
}: ServerOptions = {}): Served {
  let server: TestServer;
  let service: ChatClient;
  beforeAll(async () => {
    server = await startTestServer({
      ...options,
      eventsEveryMs: 100,
      chat: (chat, region) => {
        service = chat;
        return between?.(chat, region) ?? chat;
      },
      settings: { sources: [...sources], ...settings },
      sandbox: { faults, ...(seed !== undefined && { users: 0, groups: 0, seed }) },
    });
  });
  afterAll(() => server.close());
  const send = async <Answer>(path: string, type: string, body: string): Promise<Answer> => {
    // Who may do everything without a token gets none: the settings list them.
    const token = options.tokenRequired === true && { authorization: `Bearer ${server.token('admin')}` };
    const headers = { 'content-type': type, ...token };
    return server.json<Answer>(path, { method: 'POST', headers, body });
  };
  const upload: Served['upload'] = async (text, query, to = 'imports') =>
    (await send<{ id: string }>(`/v1/${to}?${query}`, 'text/csv', text)).id;
  return {
    get url() {
      return server.url;
    },
    get dir() {
      return server.dir;
    },
    get sandbox() {
      return server.sandbox;
    },
    get service() {
      return service;
    },
    token: (role) => server.token(role),
    revoke: (token) => void server.access.revoke(token.split('_')[1] ?? ''),
    upload,
    run: async (text, query) => {
      const id = await upload(text, query);
      await server.coordinator.settled(id);
      return id;
    },
    post: (path, body = {}) => send(path, 'application/json', JSON.stringify(body)),
  };
}

/** Something for `chat` that lets calls to add members pass, so many at a time; the others wait. At first all pass. */
export function callGate() {
  let passing = Number.POSITIVE_INFINITY;
  let passed = Promise.withResolvers<void>();
  return {
    chat: (chat: ChatClient): ChatClient => ({
      ...chat,
      addMembers: async (...call) => {
        while (passing <= 0) await passed.promise;
        passing -= 1;
        return chat.addMembers(...call);
      },
    }),
    letPass(calls: number): void {
      passing = calls;
      passed.resolve();
      passed = Promise.withResolvers();
    },
  };
}
