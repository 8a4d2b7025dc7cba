import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type ChatClient, type ChatClientOptions, createChatClient } from '../../src/chat/chat-client.ts';
import { type Authority, createAuthority } from './tls-authority.ts';

export const API_KEY = '84f1c0de84f1c0de84f1c0de84f1c0de84f1c0de';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ChatServer {
  /** The host in the clients' form: `localhost:<port>`. */
  readonly host: string;
  readonly ca: string;
  /** Requests in the order in which their bodies were complete. */
  readonly received: readonly Received[];
  connections(): number;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const authority: Authority = await createAuthority();
export const TRUSTED_CA = authority.ca;
const identity = await authority.issue(['*.api-us.localhost', 'apimgmt.localhost']);

/** A real HTTPS server for one test, which ends with it. */
export async function serve(answer: Answer): Promise<ChatServer> {
  const received: Received[] = [];
  let connections = 0;
  // Idle connections stay, however long the machine takes between two calls.
  const server = createServer({ ...identity, keepAliveTimeout: 120_000 }, async (request, response) => {
    // A client that has given up takes the rest of its request with it.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { method, url, rawHeaders } = request;
    const headers: Record<string, string> = {};
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers[rawHeaders[i] ?? ''] = rawHeaders[i + 1] ?? '';
    received.push({ method, url, headers, body });
    answer(response, request);
  });
  server.on('secureConnection', () => {
    connections += 1;
  });
  const host = await listen(server);
  return { host, ca: TRUSTED_CA, received, connections: () => connections };
}

/** Starts any server for the time of one test and gives its address as `localhost:<port>`. */
export async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return `localhost:${(server.address() as AddressInfo).port}`;
}

/** A client for one test, closed at its end. */
export function connect(host: string, options: Partial<ChatClientOptions> = {}): ChatClient {
  const client = createChatClient({ appId: 'app1', region: 'us', host, apiKey: API_KEY, ca: TRUSTED_CA, ...options });
  onTestFinished(() => client.close());
  return client;
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** The error with which a promise is rejected; a promise that is not rejected fails the test. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const nothing = Symbol('nothing');
  const error = await promise.then(
    () => nothing,
    (reason: unknown) => reason,
  );
  if (error === nothing) throw new Error('expected a rejection, and the call succeeded');
  return error;
}

/** Keeps this thread busy. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
