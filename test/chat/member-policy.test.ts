import { describe, expect, test } from 'vitest';
import { callAborted } from '../../src/chat/call-errors.ts';
import { type EditOperation, judgeEdit, judgeReading } from '../../src/chat/error-policy.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { connect, json, rejection, serve } from './chat-server.ts';

/** Returns the verdict on an edit that the service refuses in this way, over the wire. */
async function verdictOn(operation: EditOperation, status: number, code?: string, onBehalfOf = '') {
  const server = await serve(json({ error: { message: 'Words.', ...(code !== undefined && { code }) } }, status));
  const chat = connect(server.host);
  const calls = {
    'change-scope': () => chat.changeScope('g1', 'u1', 'admin', { onBehalfOf }),
    remove: () => chat.removeMember('g1', 'u1', { onBehalfOf }),
    unban: () => chat.unbanMember('g1', 'u1', { onBehalfOf }),
  };
  return judgeEdit(operation, await rejection(calls[operation]()), onBehalfOf);
}

const OPERATIONS: readonly EditOperation[] = ['change-scope', 'remove', 'unban'];

describe('what is so already is in place', () => {
  test.each<[EditOperation, string]>([
    ['change-scope', 'ERR_SAME_SCOPE'],
    ['remove', 'ERR_NOT_A_MEMBER'],
    ['remove', 'ERR_BANNED_GROUPMEMBER'],
    ['remove', 'ERR_GROUP_NOT_JOINED'],
    ['unban', 'ERR_NOT_A_BANNED_USER'],
  ])('%s: %s', async (operation, code) => {
    expect(await verdictOn(operation, 400, code)).toMatchObject({ kind: 'in-place', code, message: 'Words.' });
    for (const other of OPERATIONS) {
      if (other !== operation) expect(await verdictOn(other, 400, code)).toMatchObject({ kind: 'final', code });
    }
  });

  test('an acting user who is not in the group does not make the member gone', async () => {
    expect(await verdictOn('remove', 401, 'ERR_GROUP_NOT_JOINED', 'boss')).toMatchObject({ kind: 'final' });
  });

  test('a refusal in a reply with status 200 means the same', async () => {
    const server = await serve(json({ data: { success: false, error: { code: 'ERR_NOT_A_MEMBER' } } }));
    const error = await rejection(connect(server.host).removeMember('g1', 'u1'));
    expect(judgeEdit('remove', error)).toMatchObject({ kind: 'in-place', httpStatus: 200 });
  });
});

describe('what is not so', () => {
  test.each<[EditOperation, number, string | undefined, string]>([
    ['change-scope', 404, 'ERR_NOT_A_MEMBER', 'final'],
    ['change-scope', 500, 'ERR_MEMBER_SCOPE_CHANGE_FAILED', 'again'],
    ['remove', 400, 'ERR_MEMBER_DELETE_FAILED', 'again'],
    ['unban', 400, 'ERR_MEMBER_UNBAN_FAILED', 'again'],
    ['remove', 404, 'ERR_UID_NOT_FOUND', 'final'],
    ['remove', 403, 'ERR_GROUP_NO_CLEARANCE', 'final'],
    ['remove', 400, 'ERR_BAD_REQUEST', 'final'],
    ['remove', 404, 'ERR_GUID_NOT_FOUND', 'group'],
    ['unban', 404, 'ERR_API_NOT_FOUND', 'final'],
    ['remove', 401, 'AUTH_ERR_NO_ACCESS', 'stop-region'],
    ['remove', 429, 'ERR_TOO_MANY_REQUESTS', 'slow-down'],
    ['remove', 503, undefined, 'again'],
    ['remove', 422, undefined, 'final'],
    ['remove', 409, 'constructor', 'final'],
  ])('%s: %i %s is %s', async (operation, status, code, kind) => {
    expect(await verdictOn(operation, status, code)).toMatchObject({ kind, httpStatus: status });
  });

  test('a lost reply is tried again, and may have been carried out', async () => {
    const server = await serve((_response, request) => request.socket.destroy());
    const error = await rejection(connect(server.host).removeMember('g1', 'u1'));
    expect(judgeEdit('remove', error)).toMatchObject({ kind: 'again', maybeCarriedOut: true });
  });
});

describe('a list that could not be read', () => {
  test('is read again when it did not add up', () => {
    const error = new RollcallError('UNTRUSTED_LISTING', {
      list: 'members of group "g1"',
      problem: 'page 2 of 3 came empty',
      readings: 3,
    });
    expect(judgeReading(error)).toMatchObject({ kind: 'again', code: 'UNTRUSTED_LISTING', maybeCarriedOut: false });
  });

  test.each([
    [404, 'ERR_GUID_NOT_FOUND', 'group'],
    [404, 'ERR_API_NOT_FOUND', 'final'],
    [403, 'AUTH_ERR_NO_ACCESS', 'stop-region'],
    [503, undefined, 'again'],
  ])('%i %s is %s', async (status, code, kind) => {
    const server = await serve(json({ error: { message: 'Words.', ...(code !== undefined && { code }) } }, status));
    expect(judgeReading(await rejection(connect(server.host).listPage('banned', 'g1', 1)))).toMatchObject({ kind });
  });
});

test('a call that we gave up, and a fault of ours, say nothing about the member', () => {
  for (const error of [callAborted(true, undefined), new TypeError('a bug')]) {
    expect(() => judgeEdit('remove', error)).toThrow(error.message);
    expect(() => judgeReading(error)).toThrow(error.message);
  }
});
