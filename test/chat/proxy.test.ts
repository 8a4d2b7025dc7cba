import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type ChatClient, createChatClient } from '../../src/chat/chat-client.ts';
import { API_KEY, connect, json, listen, rejection, serve } from './chat-server.ts';
import { createAuthority } from './tls-authority.ts';

const TWO = { participants: ['u1', 'u2'] };
const authority = await createAuthority();
const identity = await authority.issue(['*.api-us.chat.example']);

interface Tunnel {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The addresses that it was asked to connect to, each with its credentials. */
  readonly asked: readonly { readonly to: string | undefined; readonly login: string | undefined }[];
}

/** A proxy that leads every name to this machine, or refuses. */
async function openTunnel(refusal?: string): Promise<Tunnel> {
  const asked: { to: string | undefined; login: string | undefined }[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    asked.push({ to: request.url, login: request.headers['proxy-authorization'] });
    socket.on('error', () => {});
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
      return;
    }
    const onward = connectTcp(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
  });
  const host = await listen(proxy);
  return { url: `http://${host.replace('localhost', '127.0.0.1')}`, asked };
}

/** A service under a name that no resolver knows: only the proxy leads there. */
async function openElsewhere(): Promise<string> {
  const server = createHttpsServer(identity, (request, response) => {
    request.resume();
    json({ data: { participants: { u1: { success: true } } } })(response, request);
  });
  return (await listen(server)).replace('localhost', 'chat.example');
}

function through(url: string, host: string, except = ''): ChatClient {
  return connect(host, { ca: authority.ca, proxy: { url, except } });
}

describe('a proxy', () => {
  test('calls go through it, encrypted up to the service', async () => {
    const { url, asked } = await openTunnel();
    const host = await openElsewhere();
    const { entries } = await through(url, host).addMembers('g1', TWO);
    expect(entries.get('u1')).toMatchObject({ success: true });
    expect(asked).toEqual([{ to: `app1.api-us.${host}`, login: undefined }]);
  });

  test('gets the user and password of its address', async () => {
    const { url, asked } = await openTunnel();
    const host = await openElsewhere();
    await through(url.replace('//', '//me:p%40ss@'), host).addMembers('g1', TWO);
    expect(asked).toMatchObject([{ login: `Basic ${Buffer.from('me:p@ss').toString('base64')}` }]);
  });

  test('is left out for the hosts that are excepted', async () => {
    const { url, asked } = await openTunnel();
    const error = await rejection(through(url, 'chat.invalid', 'other.example, .chat.invalid').addMembers('g1', TWO));
    expect(error).toMatchObject({ code: 'CONNECT_FAILED' });
    expect(asked).toEqual([]);
  });

  test('is left out for this machine', async () => {
    const { url, asked } = await openTunnel();
    const server = await serve(json({ data: {} }));
    await connect(server.host, { proxy: { url, except: '' } }).addMembers('g1', TWO);
    expect(server.received).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  test.each(['403 Forbidden', '407 Proxy Authentication Required'])(
    'that refuses with %s is no call that left',
    async (refusal) => {
      const { url } = await openTunnel(refusal);
      const error = await rejection(through(url, 'chat.example').addMembers('g1', TWO));
      expect(error).toMatchObject({ code: 'CONNECT_FAILED', facts: { maybeCarriedOut: false } });
      expect(String(error)).toContain(refusal.slice(0, 3));
    },
  );

  test('does not weaken the check of the certificate', async () => {
    const { url } = await openTunnel();
    const host = await openElsewhere();
    const client = connect(host, { proxy: { url, except: '' } });
    expect(await rejection(client.addMembers('g1', TWO))).toMatchObject({ code: 'CERTIFICATE_REFUSED' });
  });

  test('a call through it can be given up, and the client closed', async () => {
    const { url } = await openTunnel();
    const host = await openElsewhere();
    const client = through(url, host);
    await client.addMembers('g1', TWO);
    await client.close();
    expect(await rejection(client.addMembers('g1', TWO))).toMatchObject({ code: 'ABORTED' });
  });

  test.each(['proxy.example:3128', 'socks4://proxy.example', ':'])(
    'with the address %s is refused, without showing it',
    (url) => {
      const options = { appId: 'app1', region: 'us', host: 'chat.example', apiKey: API_KEY } as const;
      const create = () => createChatClient({ ...options, proxy: { url: `${url}#secret`, except: '' } });
      expect(create).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
      expect(create).not.toThrow('secret');
    },
  );
});
