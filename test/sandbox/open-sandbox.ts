import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import type { Region } from '../../src/membership/membership.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body; what it must look like is the test's business. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads a reply by its path and fails where it is not there
  readonly json: any;
}

export interface Asking {
  readonly region?: Region;
  readonly body?: unknown;
  /** Headers besides the key; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Host name in place of the app's. */
  readonly name?: string;
}

/** Asks the sandbox as any HTTPS client would, with the app's fullAccess key unless set otherwise. */
export interface Chat {
  readonly sandbox: Sandbox;
  ask(method: string, path: string, asking?: Asking): Promise<Reply>;
  /** POST /groups/{guid}/members of region us. */
  add(guid: string, body: unknown, headers?: Asking['headers']): Promise<Reply>;
}

/** Names under .localhost mean this machine (RFC 6761), whatever the system's resolver makes of them. */
export const loopback: LookupFunction = (_name, options, callback) => {
  if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

/** A sandbox for one test, closed when the test is over. */
export async function openSandbox(options: SandboxOptions = { users: 100, groups: 3 }): Promise<Chat> {
  const sandbox = await startSandbox(options);
  const { ask, end } = askerOf(sandbox);
  onTestFinished(async () => {
    await end();
    await sandbox.close();
  });
  return {
    sandbox,
    ask,
    add: (guid, body, headers = {}) => ask('POST', `/v3/groups/${guid}/members`, { body, headers }),
  };
}

/** Asks a sandbox until `end`. */
export function askerOf(sandbox: Sandbox): { readonly ask: Chat['ask']; readonly end: () => Promise<void> } {
  const agent = new Agent({ connect: { ca: sandbox.caPem, lookup: loopback } });
  async function ask(method: string, path: string, asking: Asking = {}): Promise<Reply> {
    const { region = 'us', body, name } = asking;
    const { appId, apiKey } = sandbox.apps[region];
    const all = {
      apikey: apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...asking.headers,
    };
    const headers = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const {
      statusCode,
      headers: replied,
      body: stream,
    } = await agent.request({
      origin: `https://${name ?? `${appId}.api-${region}.localhost`}:${sandbox.port}`,
      method,
      path,
      headers: Object.fromEntries(headers),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await stream.text();
    return { status: statusCode, headers: replied, text, json: parsed(text) };
  }
  return { ask, end: () => agent.destroy() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `count` different UIDs from user-`first` on. */
export function uids(count: number, first = 1): string[] {
  return Array.from({ length: count }, (_, at) => `user-${first + at}`);
}
