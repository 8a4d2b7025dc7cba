import { createServer as createTcpServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callAborted } from '../../src/chat/call-errors.ts';
import type { AddMembersRequest } from '../../src/chat/contract.ts';
import {
  backoffMs,
  judge,
  MAX_BACKOFF_MS,
  NO_CODE,
  readEntry,
  refusedOutcome,
  type Verdict,
} from '../../src/chat/error-policy.ts';
import type { MemberResult } from '../../src/chat/member-entries.ts';
import type { MemberList } from '../../src/chat/service/lists.ts';
import { connect, json, listen, rejection, serve } from './chat-server.ts';

const uids = (count: number): AddMembersRequest => ({
  participants: Array.from({ length: count }, (_, index) => `user-${index}`),
});

interface Refusal {
  readonly status: number;
  readonly code?: string;
  readonly headers?: Record<string, string>;
  readonly uids?: number;
  readonly onBehalfOf?: string;
}

/** Returns the verdict on a call that the service refuses in this way, over the wire. */
async function verdictOn({ status, code, headers, uids: count = 25, onBehalfOf = '' }: Refusal): Promise<Verdict> {
  const server = await serve(json({ error: { message: 'Words.', ...(code && { code }) } }, status, headers));
  const client = connect(server.host);
  return judge(await rejection(client.addMembers('g1', uids(count), { onBehalfOf })), count, onBehalfOf);
}

describe('a refusal with a code is judged by the code, whatever the status', () => {
  test.each([
    ['ERR_MISSION_FAILED', 417, 'again'],
    ['ERR_OPERATION_FAILED', 500, 'again'],
    ['ERR_EXCEPTION', 400, 'again'],
    ['ERR_BAD_ERROR_RESPONSE', 417, 'again'],
    ['ERR_MEMBER_BAN_FAILED', 400, 'again'],
    ['ERR_GROUP_DELETE_FAILED', 400, 'again'],
    ['ERR_UID_DELETE_FAILED', 400, 'again'],
    ['ERR_EMPTY_GROUP_PASS', 400, 'halve'],
    ['ERR_ROLE_NOT_FOUND', 404, 'halve'],
    ['ERR_GROUP_JOIN_NOT_ALLOWED', 401, 'halve'],
    ['ERR_GROUP_NO_CLEARANCE', 403, 'halve'],
    ['ERR_TOO_MANY_REQUESTS', 403, 'slow-down'],
    ['ERR_BAD_REQUEST', 400, 'halve'],
    ['ERR_UID_NOT_FOUND', 404, 'halve'],
    ['ERR_ALREADY_JOINED', 417, 'halve'],
    ['ERR_BANNED_GROUPMEMBER', 403, 'halve'],
    ['ERR_GUID_NOT_FOUND', 404, 'group'],
    ['ERR_NO_VACANCY', 400, 'group'],
    ['ERR_PLAN_QUOTA_RESTRICTION', 403, 'group'],
    ['AUTH_ERR_NO_ACCESS', 403, 'stop-region'],
    ['AUTH_ERR_APIKEY_NOT_FOUND', 404, 'stop-region'],
    ['AUTH_ERR_SOMETHING_NEW', 400, 'stop-region'],
    ['ERR_SUBSCRIPTION_EXPIRED', 400, 'stop-region'],
    ['ERR_PLAN_RESTRICTION', 400, 'stop-region'],
    ['ERR_INVALID_API_VERSION', 404, 'stop-region'],
    ['ERR_GROUP_SOMETHING_NEW', 401, 'halve'],
    ['constructor', 409, 'halve'],
  ])('%s with %i: %s', async (code, status, kind) => {
    expect(await verdictOn({ status, code })).toMatchObject({
      kind,
      code,
      // The key that was refused is named.
      message: expect.stringMatching(/^Words\.( \(key [0-9a-f]{8}\))?$/),
      httpStatus: status,
    });
  });

  test.each([
    ['ERR_GUID_NOT_FOUND', 'group'],
    ['ERR_UID_NOT_FOUND', 'halve'],
    // It may come from anything between us and the service.
    ['oops', 'again'],
  ])('an error with status 200, %s, is a refusal, but it may have been carried out', async (code, kind) => {
    expect(await verdictOn({ status: 200, code })).toMatchObject({ kind, httpStatus: 200, maybeCarriedOut: true });
  });
});

describe('a refusal without a known code is judged by its status', () => {
  test.each([
    [400, 'halve'],
    [401, 'stop-region'],
    [402, 'stop-region'],
    [403, 'stop-region'],
    [408, 'again'],
    [409, 'halve'],
    [413, 'halve'],
    [417, 'halve'],
    [422, 'halve'],
    [425, 'again'],
    [429, 'slow-down'],
    [500, 'again'],
    [502, 'again'],
    [503, 'again'],
    [504, 'again'],
  ])('%i: %s', async (status, kind) => {
    expect(await verdictOn({ status })).toMatchObject({ kind, code: `HTTP_${status}`, httpStatus: status });
    expect(await verdictOn({ status, code: 'ERR_NEVER_HEARD_OF' })).toMatchObject({ kind, code: 'ERR_NEVER_HEARD_OF' });
  });

  test.each([
    ['the page of a proxy', '<html>Bad gateway</html>'],
    ['nothing at all', ''],
    ['a list', '[1]'],
    ['a text', '"no"'],
  ])('a body that is %s does not hide the status', async (_what, body) => {
    const server = await serve((response) => response.writeHead(502).end(body));
    const error = await rejection(connect(server.host).addMembers('g1', uids(2)));
    expect(judge(error, 2)).toMatchObject({ kind: 'again', code: 'HTTP_502' });
  });

  test.each([{ error: 'Words.' }, { message: 'Words.' }, { error: { message: 'Words.', code: 7, details: 'odd' } }])(
    'words are found in %o',
    async (body) => {
      const server = await serve(json(body, 409));
      const error = await rejection(connect(server.host).addMembers('g1', uids(2)));
      expect(judge(error, 2)).toMatchObject({ code: 'HTTP_409', message: 'Words.' });
    },
  );

  test('a bare 404 is no answer of the service and names what to check; one with a code is about what is missing', async () => {
    const bare = await verdictOn({ status: 404 });
    expect(bare).toMatchObject({ kind: 'again', code: 'HTTP_404', httpStatus: 404 });
    expect(bare.message).toContain('region and host');
    expect(await verdictOn({ status: 404, code: 'ERR_NEVER_HEARD_OF' })).toMatchObject({ kind: 'halve' });
  });
});

describe('halving', () => {
  test.each([400, 413, 422])('a single UID is not halved, it is refused: %i', async (status) => {
    expect(await verdictOn({ status, uids: 2 })).toMatchObject({ kind: 'halve' });
    expect(await verdictOn({ status, uids: 1 })).toMatchObject({ kind: 'final' });
  });
});

describe('problems of the acting user concern the batch alone, and may be those of one row', () => {
  test.each([
    ['ERR_GROUP_NOT_JOINED', 401],
    ['ERR_GROUP_NO_CLEARANCE', 403],
    ['ERR_GROUP_NO_ADMIN_SCOPE', 403],
    ['ERR_GROUP_NO_SCOPE_CLEARANCE', 401],
    ['ERR_NOT_A_MEMBER', 404],
    ['ERR_UID_NOT_FOUND', 404],
    ['ERR_NEVER_HEARD_OF', 401],
    ['ERR_NEVER_HEARD_OF', 403],
  ])('%s with %i', async (code, status) => {
    expect(await verdictOn({ status, code, onBehalfOf: 'boss' })).toMatchObject({ kind: 'halve', code });
    expect(await verdictOn({ status, code, onBehalfOf: 'boss', uids: 1 })).toMatchObject({ kind: 'final', code });
  });

  test.each([
    [401, undefined],
    [403, 'AUTH_ERR_NO_ACCESS'],
  ])('a refused key stops the region all the same: %i %s', async (status, code) => {
    const refusal = code === undefined ? { status } : { status, code };
    expect(await verdictOn({ ...refusal, onBehalfOf: 'boss' })).toMatchObject({ kind: 'stop-region' });
  });
});

describe('waiting', () => {
  test('slowing down takes as long as the service says', async () => {
    const headers = { 'Retry-After': '15', 'X-Rate-Limit': '500' };
    expect(await verdictOn({ status: 429, headers })).toMatchObject({ kind: 'slow-down', waitMs: 15_000 });
  });

  test('slowing down without a word on how long takes ten seconds', async () => {
    expect(await verdictOn({ status: 429 })).toEqual(expect.not.objectContaining({ waitMs: expect.anything() }));
  });

  test('slowing down takes a second at least', async () => {
    expect(await verdictOn({ status: 429, headers: { 'Retry-After': '0' } })).toMatchObject({ waitMs: 1_000 });
  });

  test('a server that is down may say when to come back', async () => {
    const headers = { 'Retry-After': '7' };
    expect(await verdictOn({ status: 503, headers })).toMatchObject({ kind: 'again', waitMs: 7_000 });
  });
});

describe('whether a call may have been carried out', () => {
  test.each([
    [500, true],
    [502, true],
    [429, false],
    [400, false],
    [403, false],
  ])('after %i: %s', async (status, maybeCarriedOut) => {
    expect(await verdictOn({ status })).toMatchObject({ maybeCarriedOut });
  });
});

describe('calls without a usable reply', () => {
  test('nobody there: again, and nothing was carried out', async () => {
    const error = await rejection(connect('localhost:1').addMembers('g1', uids(1)));
    expect(judge(error, 1)).toMatchObject({ kind: 'again', code: 'CONNECT_FAILED', maybeCarriedOut: false });
  });

  test('no TLS there: again, and the key was not sent', async () => {
    let heard = '';
    const plain = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        heard += data.toString('latin1');
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
    });
    const error = await rejection(connect(await listen(plain)).addMembers('g1', uids(1)));
    expect(judge(error, 1)).toMatchObject({ kind: 'again', code: 'CONNECT_FAILED', maybeCarriedOut: false });
    expect(heard).not.toBe('');
    expect(heard).not.toContain('apikey');
  });

  test('an untrusted certificate: again, and nothing was sent', async () => {
    const server = await serve(json({ data: {} }));
    const error = await rejection(connect(server.host, { ca: undefined }).addMembers('g1', uids(1)));
    expect(judge(error, 1)).toMatchObject({ kind: 'again', code: 'CERTIFICATE_REFUSED', maybeCarriedOut: false });
    expect(server.received).toEqual([]);
  });

  test('a certificate for another name: again', async () => {
    const server = await serve(json({ data: {} }));
    const error = await rejection(connect(server.host, { region: 'eu' }).addMembers('g1', uids(1)));
    expect(judge(error, 1)).toMatchObject({ kind: 'again', code: 'CERTIFICATE_REFUSED' });
    expect(server.received).toEqual([]);
  });

  test('a connection that breaks after the request: again, and it may have been carried out', async () => {
    const server = await serve((_response, request) => request.socket.destroy());
    const error = await rejection(connect(server.host).addMembers('g1', uids(1)));
    expect(judge(error, 1)).toMatchObject({ kind: 'again', code: 'CONNECTION_LOST', maybeCarriedOut: true });
  });

  test('a success that cannot be read: again, and it may have been carried out', async () => {
    const server = await serve((response) => response.end('<html>Welcome</html>'));
    const error = await rejection(connect(server.host).addMembers('g1', uids(1)));
    expect(judge(error, 1)).toMatchObject({
      kind: 'again',
      code: 'MALFORMED_REPLY',
      httpStatus: 200,
      maybeCarriedOut: true,
    });
    expect(error).toMatchObject({ code: 'MALFORMED_REPLY' });
  });

  test('a call that cannot be put: final, and nothing was carried out', async () => {
    const error = await rejection(connect('localhost:1').addMembers('..', uids(1)));
    expect(error).toMatchObject({ code: 'INVALID_CALL' });
    expect(judge(error, 1)).toMatchObject({ kind: 'final', code: 'INVALID_CALL', maybeCarriedOut: false });
  });

  test('a call that we gave up, and a fault of ours, say nothing about the batch', () => {
    for (const error of [callAborted(true, undefined), new TypeError('a bug'), undefined]) {
      expect(() => judge(error, 25)).toThrow(error === undefined ? undefined : (error as Error).message);
    }
  });
});

describe('one UID of a reply', () => {
  test.each<[MemberList, MemberResult, string | null, string | null]>([
    ['admins', { success: true }, 'added', null],
    ['moderators', { success: true }, 'added', null],
    ['participants', { success: true, addition: { messageId: '32' } }, 'added', null],
    ['usersToBan', { success: true }, 'banned', null],
    ['participants', { success: true, error: { code: 'ERR_ODD' } }, 'added', null],
    ['participants', { success: false, error: { code: 'ERR_ALREADY_JOINED' } }, 'already_member', 'ERR_ALREADY_JOINED'],
    ['admins', { success: false, error: { code: 'ERR_SAME_SCOPE' } }, 'already_member', 'ERR_SAME_SCOPE'],
    ['usersToBan', { success: false, error: { code: 'ERR_ALREADY_BANNED' } }, 'banned', 'ERR_ALREADY_BANNED'],
    ['participants', { success: false, error: { code: 'ERR_ALREADY_BANNED' } }, 'failed', 'ERR_ALREADY_BANNED'],
    ['usersToBan', { success: false, error: { code: 'ERR_ALREADY_JOINED' } }, 'failed', 'ERR_ALREADY_JOINED'],
    ['participants', { success: false, error: { code: 'ERR_UID_NOT_FOUND' } }, 'failed', 'ERR_UID_NOT_FOUND'],
    ['participants', { success: false, error: { message: 'No.' } }, 'failed', NO_CODE],
    ['participants', { success: false }, 'failed', NO_CODE],
    ['participants', {}, null, 'MALFORMED_REPLY'],
  ])('%s %o: %s', (list, entry, outcome, code) => {
    const read = readEntry(list, entry);
    expect(read).toMatchObject({ outcome, code });
    if (code === null) expect(read.message).toBeNull();
    else expect(read.message).not.toBe('');
  });

  test('a refusal of the whole call means the same for its last UID', () => {
    expect(refusedOutcome('participants', 'ERR_ALREADY_JOINED')).toBe('already_member');
    expect(refusedOutcome('usersToBan', 'ERR_ALREADY_JOINED')).toBe('failed');
  });
});

describe('backoff', () => {
  test('the ceiling starts at a second, doubles, and ends at a minute', () => {
    expect([1, 2, 3, 6, 7, 8, 1000].map((attempt) => backoffMs(attempt, 1))).toEqual([
      1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });

  const randomNumber = fc.double({ min: 0, max: 1, noNaN: true });

  test('jitter is full: every wait from nothing to the ceiling can come', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), randomNumber, (attempt, random) => {
        const wait = backoffMs(attempt, random);
        expect(wait).toBe(Math.round(random * backoffMs(attempt, 1)));
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(MAX_BACKOFF_MS);
      }),
    );
  });

  test('a later attempt never waits less with the same luck', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), randomNumber, (attempt, random) => {
        expect(backoffMs(attempt + 1, random)).toBeGreaterThanOrEqual(backoffMs(attempt, random));
      }),
    );
  });
});
