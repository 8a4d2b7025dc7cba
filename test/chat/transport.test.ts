import { createServer as createTcpServer, getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { block, connect, json, listen, rejection, serve } from './chat-server.ts';

const ONE = { participants: ['u1'] };
const SUCCESS = { data: { participants: { u1: { success: true } } } };

describe('timeouts', () => {
  test('a connection that does not come to stand', async () => {
    // Accepts, and never says a word of TLS.
    const host = await listen(createTcpServer((socket) => socket.on('error', () => undefined)));
    const error = await rejection(connect(host, { timeouts: { connectMs: 100 } }).addMembers('g1', ONE));
    expect(error).toMatchObject({ code: 'CONNECT_TIMEOUT', facts: { maybeCarriedOut: false } });
  });

  test('a process that is busy while a connection is made does not give it up', async () => {
    const server = await serve(json(SUCCESS));
    const call = connect(server.host).addMembers('g1', ONE);
    // The look-up of the host begins the connection.
    await new Promise<void>((begun) => process.nextTick(begun));
    block(2 * getDefaultAutoSelectFamilyAttemptTimeout());
    expect((await call).httpStatus).toBe(200);
  });

  test('a reply that does not begin', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const server = await serve(() => resolve());
    const error = await rejection(connect(server.host, { timeouts: { headersMs: 100 } }).addMembers('g1', ONE));
    expect(error).toMatchObject({ code: 'HEADERS_TIMEOUT', facts: { maybeCarriedOut: true } });
    await arrived;
    expect(server.received).toHaveLength(1);
  });

  test('a reply that stops halfway', async () => {
    const server = await serve((response) => void response.writeHead(200).write('{"data":'));
    const error = await rejection(connect(server.host, { timeouts: { bodyMs: 100 } }).addMembers('g1', ONE));
    expect(error).toMatchObject({ code: 'BODY_TIMEOUT', facts: { maybeCarriedOut: true } });
  });
});

describe('replies that break off or are not HTTP', () => {
  test('a body that ends before its length', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"data":', () => response.socket?.destroy());
    });
    const error = await rejection(connect(server.host).addMembers('g1', ONE));
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', facts: { maybeCarriedOut: true } });
  });

  test('something else than HTTP', async () => {
    const server = await serve((response) => void response.socket?.end('220 mail.example ESMTP\r\n'));
    const error = await rejection(connect(server.host).addMembers('g1', ONE));
    expect(error).toMatchObject({ code: 'MALFORMED_REPLY', facts: { httpStatus: null, maybeCarriedOut: true } });
  });

  test('after a broken connection the next call opens a new one', async () => {
    let calls = 0;
    const server = await serve((response, request) => {
      calls += 1;
      if (calls === 1) request.socket.destroy();
      else json(SUCCESS)(response, request);
    });
    const client = connect(server.host);
    await rejection(client.addMembers('g1', ONE));
    expect((await client.addMembers('g1', ONE)).entries.size).toBe(1);
  });

  test('an interim reply is not taken for the reply', async () => {
    const server = await serve((response, request) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      json(SUCCESS)(response, request);
    });
    expect((await connect(server.host).addMembers('g1', ONE)).httpStatus).toBe(200);
  });
});

describe('the length of a reply', () => {
  test('a success up to the limit is read, a longer one is malformed', async () => {
    const body = JSON.stringify(SUCCESS);
    const server = await serve((response) => response.end(body));
    const enough = connect(server.host, { maxReplyBytes: body.length });
    expect((await enough.addMembers('g1', ONE)).entries.size).toBe(1);
    const error = await rejection(connect(server.host, { maxReplyBytes: body.length - 1 }).addMembers('g1', ONE));
    expect(error).toMatchObject({ code: 'MALFORMED_REPLY', facts: { httpStatus: 200, maybeCarriedOut: true } });
  });

  test('an endless reply is cut off while it comes', async () => {
    const { promise: cutOff, resolve } = Promise.withResolvers<void>();
    const server = await serve((response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', more).once('close', resolve);
      more();
    });
    const error = await rejection(connect(server.host).addMembers('g1', ONE));
    expect(error).toMatchObject({ message: expect.stringContaining('the limit') });
    await cutOff;
  });

  test('an error page that is too long is still a refusal with its status', async () => {
    const server = await serve((response) => response.writeHead(503, { 'Retry-After': '9' }).end('x'.repeat(5_000)));
    const error = await rejection(connect(server.host, { maxReplyBytes: 1_000 }).addMembers('g1', ONE));
    expect(error).toMatchObject({ code: 'REFUSED', facts: { httpStatus: 503, rate: { waitMs: 9_000 } } });
  });
});

describe('giving a call up', () => {
  test('before it began, nothing is sent', async () => {
    const server = await serve(json(SUCCESS));
    const reason = new Error('we are closing');
    const error = await rejection(connect(server.host).addMembers('g1', ONE, { signal: AbortSignal.abort(reason) }));
    expect(error).toMatchObject({ code: 'ABORTED', cause: reason, facts: { maybeCarriedOut: false } });
    expect(server.connections()).toBe(0);
  });

  test('while the reply is awaited, it may have been carried out', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort());
    const error = await rejection(connect(server.host).addMembers('g1', ONE, { signal: controller.signal }));
    expect(error).toMatchObject({ code: 'ABORTED', facts: { maybeCarriedOut: true } });
  });

  test('while it waits for a connection, it is never sent', async () => {
    const controller = new AbortController();
    const server = await serve((response, request) => {
      controller.abort();
      json(SUCCESS)(response, request);
    });
    const client = connect(server.host, { connections: 1 });
    const first = client.addMembers('first', ONE);
    const second = rejection(client.addMembers('second', ONE, { signal: controller.signal }));
    const third = client.addMembers('third', ONE);
    await Promise.all([first, third]);
    expect(await second).toMatchObject({ code: 'ABORTED', facts: { maybeCarriedOut: false } });
    expect(server.received.map(({ url }) => url)).toEqual(['/v3/groups/first/members', '/v3/groups/third/members']);
  });

  test('one signal serves many calls and keeps none of them', async () => {
    const warnings: Error[] = [];
    const listener = (warning: Error) => {
      if (warning.name === 'MaxListenersExceededWarning') warnings.push(warning);
    };
    process.on('warning', listener);
    const server = await serve(json(SUCCESS));
    const client = connect(server.host);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => client.addMembers('g1', ONE, { signal })));
    await setImmediate();
    process.off('warning', listener);
    expect(warnings).toEqual([]);
  });
});
