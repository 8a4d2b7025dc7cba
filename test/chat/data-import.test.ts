import { expect, test } from 'vitest';
import { connect, json, rejection, serve } from './chat-server.ts';

const USERS = new Map([['u1', { uid: 'u1', name: 'x' }]]);
const imported = async (reply: object) => connect((await serve(json(reply))).host).importEntities('users', USERS);

const RESULTS = { U1: { success: true }, data: { success: false, error: { code: 'ERR_UID_ALREADY_EXISTS' } } };

test.each([
  ['once', { data: RESULTS }],
  ['twice', { data: { data: RESULTS } }],
])('results by key, %s under `data`', async (_, reply) => {
  const { entries } = await imported(reply);
  expect([...entries.keys()]).toEqual(['u1', 'data']);
  expect(entries.get('u1')?.success).toBe(true);
  expect(entries.get('data')).toMatchObject({ success: false, error: { code: 'ERR_UID_ALREADY_EXISTS' } });
});

test.each([{ data: {} }, { data: [] }, { data: { data: {} } }, { data: { data: [] } }])(
  'no result: %j',
  async (reply) => {
    expect((await imported(reply)).entries.size).toBe(0);
  },
);

test.each([{ data: [{ success: true }] }, { data: 'done' }, { data: null }, {}])(
  'results of which none has a key say of no user what became of it: %j',
  async (reply) => {
    const error = await rejection(imported(reply));
    expect(error).toMatchObject({ code: 'MALFORMED_REPLY', facts: { httpStatus: 200, maybeCarriedOut: true } });
  },
);
