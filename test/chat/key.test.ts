import { describe, expect, test } from 'vitest';
import { fingerprintOf } from '../../src/chat/chat-client.ts';
import { judge } from '../../src/chat/error-policy.ts';
import { API_KEY, connect, json, rejection, serve } from './chat-server.ts';

const NEW_KEY = 'beadbeadbeadbeadbeadbeadbeadbeadbeadbead';
const ONE = { participants: ['u1'] };

/** A service that takes one key, and says which it refused, as the service has been seen to do. */
function taking(valid: () => string, status = 401) {
  return serve((response, request) => {
    const key = String(request.headers['apikey']);
    if (key === valid()) json({ data: { participants: { u1: { success: true } } } })(response, request);
    else
      json({ error: { code: 'AUTH_ERR_APIKEY_NOT_FOUND', message: `The key ${key} is not known.` } }, status)(
        response,
        request,
      );
  });
}

describe('a key that was changed in the settings', () => {
  test('is taken up when the service refuses the old one, and the call is made with it', async () => {
    const server = await taking(() => NEW_KEY);
    const client = connect(server.host, { currentKey: () => NEW_KEY });
    expect((await client.addMembers('g1', ONE)).entries.get('u1')).toMatchObject({ success: true });
    expect(client.keyFingerprint()).toBe(fingerprintOf(NEW_KEY));
    await client.addMembers('g1', ONE);
    expect(server.received.map(({ headers }) => headers['apikey'])).toEqual([API_KEY, NEW_KEY, NEW_KEY]);
  });

  test('is taken up once by calls that are refused at the same time', async () => {
    const server = await taking(() => NEW_KEY);
    let looked = 0;
    const client = connect(server.host, {
      currentKey: () => {
        looked += 1;
        return NEW_KEY;
      },
    });
    await Promise.all(Array.from({ length: 10 }, () => client.addMembers('g1', ONE)));
    expect(looked).toBe(1);
  });

  test('is taken up when that is asked for', async () => {
    const server = await taking(() => NEW_KEY);
    const client = connect(server.host, { currentKey: () => NEW_KEY });
    expect(client.renewKey()).toBe(true);
    expect(client.renewKey()).toBe(false);
    await client.addMembers('g1', ONE);
    expect(server.received).toHaveLength(1);
  });

  test.each([undefined, API_KEY, 'no key\nat all'])('is none where the settings say %j', async (current) => {
    const server = await taking(() => NEW_KEY);
    const client = connect(server.host, { currentKey: () => current });
    expect(client.renewKey()).toBe(false);
    expect(await rejection(client.addMembers('g1', ONE))).toMatchObject({
      facts: { serviceCode: 'AUTH_ERR_APIKEY_NOT_FOUND' },
    });
    expect(server.received).toHaveLength(1);
  });

  test('that is refused, too, stops the region; the refusal names it by its fingerprint, and shows neither', async () => {
    const server = await taking(() => 'another');
    const error = await rejection(connect(server.host, { currentKey: () => NEW_KEY }).addMembers('g1', ONE));
    const { kind, message } = judge(error, 1);
    expect({ kind, message }).toEqual({
      kind: 'stop-region',
      message: `The key [redacted] is not known. (key ${fingerprintOf(NEW_KEY)})`,
    });
    expect(server.received).toHaveLength(2);
  });

  test('is not looked for when something else is refused', async () => {
    const server = await serve(json({ error: { code: 'ERR_GROUP_NOT_JOINED', message: 'no' } }, 401));
    const client = connect(server.host, {
      currentKey: () => {
        throw new Error('nobody asked for a key');
      },
    });
    expect(await rejection(client.addMembers('g1', ONE))).toMatchObject({
      facts: { serviceCode: 'ERR_GROUP_NOT_JOINED' },
    });
  });

  test('keeps the old one out of every text', async () => {
    const server = await serve((response, request) =>
      json({ error: { code: 'ERR_BAD_REQUEST', message: `${API_KEY} ${request.headers['apikey']}` } }, 400)(
        response,
        request,
      ),
    );
    const client = connect(server.host, { currentKey: () => NEW_KEY });
    client.renewKey();
    expect(await rejection(client.addMembers('g1', ONE))).toMatchObject({
      facts: { serviceMessage: '[redacted] [redacted]' },
    });
  });
});

test('a fingerprint has 8 digits, and is the same for the same key only', () => {
  expect(fingerprintOf(API_KEY)).toMatch(/^[0-9a-f]{8}$/);
  expect(fingerprintOf(API_KEY)).toBe(fingerprintOf(API_KEY));
  expect(fingerprintOf(API_KEY)).not.toBe(fingerprintOf(NEW_KEY));
  expect(API_KEY).not.toContain(fingerprintOf(API_KEY));
});
