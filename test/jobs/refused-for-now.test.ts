import { expect, test } from 'vitest';
import { ATTEMPTS, SendAgain } from '../../jobs/send-batch.ts';
import { SlowDown } from '../../src/queue/define-job.ts';
import { connect, json, serve } from '../chat/chat-server.ts';
import { batchOf, run } from './add-members-run.ts';

const YES = { success: true, data: { id: '32', data: { entities: { for: { entity: { membersCount: 5 } } } } } };
const no = (code: string) => ({ success: false, error: { code, message: 'not now' } });

/** Starts a batch of four users with a service whose replies have these entries, one after the other. */
async function opened(...replies: readonly unknown[]) {
  const left = [...replies];
  const server = await serve((response, request) => json(left.shift())(response, request));
  const sent = () => server.received.map(({ body }) => JSON.parse(body).participants);
  return { chat: connect(server.host), sent };
}

const batch = batchOf({ participants: ['ann', 'bob', 'cem', 'dan'] });

test('an entry that is refused for now is sent again alone, and the result has what every reply said', async () => {
  const { chat, sent } = await opened(
    { data: { participants: { ann: YES, bob: no('ERR_OPERATION_FAILED'), cem: no('ERR_UID_NOT_FOUND') } } },
    { data: { participants: { bob: YES } } },
  );
  const first = await run(chat, batch);
  expect(first).toMatchObject({ delivered: undefined, thrown: expect.any(SendAgain) });
  const second = await run(chat, first.payload, { attemptsMade: 1 });
  expect(sent()).toEqual([['ann', 'bob', 'cem', 'dan'], ['bob']]);
  expect(second.delivered).toMatchObject({
    calls: [{ kind: 'answered' }, { kind: 'answered' }],
    sent: {
      kind: 'answered',
      others: [{ row: 3, outcome: 'failed', code: 'ERR_UID_NOT_FOUND' }],
      missing: [4],
      messages: [
        [1, '32'],
        [2, '32'],
      ],
      members: 5,
    },
  });
});

test('too many requests as an entry makes the region wait, and the user is sent again', async () => {
  const { chat } = await opened({
    data: { participants: { ann: YES, bob: no('ERR_TOO_MANY_REQUESTS'), cem: YES, dan: YES } },
  });
  const { thrown, delivered } = await run(chat, batch);
  expect(delivered).toBeUndefined();
  expect(thrown).toBeInstanceOf(SlowDown);
});

test('the last attempt keeps the refusal', async () => {
  const { chat } = await opened({
    data: { participants: { ann: YES, bob: no('ERR_MISSION_FAILED'), cem: YES, dan: YES } },
  });
  const { delivered } = await run(chat, batch, { attemptsMade: ATTEMPTS - 1 });
  expect(delivered?.sent).toMatchObject({
    others: [{ row: 2, outcome: 'failed', code: 'ERR_MISSION_FAILED', message: 'not now' }],
  });
});

test('a repeat whose users are in the group by now says so, whatever becomes of the others', async () => {
  const { chat } = await opened({ data: {} });
  const looked = { after: 0, next: 'none' as const, page: 1, found: [2], whole: [] };
  const earlier = { again: [2, 3], others: [], missing: [] };
  const payload = { ...batch, earlier, looked, uncertainty: 'no answer' };
  const refusing = { addMembers: () => chat.addMembers('..', { participants: ['cem'] }) };
  const { delivered } = await run(refusing, payload);
  expect(delivered?.sent).toMatchObject({
    kind: 'answered',
    others: [
      { row: 2, outcome: 'already_member', code: 'FOUND_IN_GROUP' },
      { row: 3, outcome: 'failed', code: 'INVALID_CALL' },
    ],
  });
});

test.each([
  ['is refused alone', 400, { error: { code: 'ERR_UID_NOT_FOUND', message: 'gone' } }, 'failed', 'ERR_UID_NOT_FOUND'],
  ['finds no group', 404, { error: { code: 'ERR_GUID_NOT_FOUND', message: 'gone' } }, 'failed', 'ERR_GUID_NOT_FOUND'],
  ['gets no answer', 500, { error: { code: 'ERR_EXCEPTION', message: 'gone' } }, 'unconfirmed', 'ERR_EXCEPTION'],
])(
  'a repeat that %s says nothing about those whom an earlier reply settled',
  async (_, status, body, outcome, code) => {
    let calls = 0;
    const entries = { ann: YES, bob: no('ERR_OPERATION_FAILED'), cem: YES, dan: YES };
    const server = await serve((response, request) =>
      calls++ === 0
        ? json({ data: { participants: entries } })(response, request)
        : json(body, status)(response, request),
    );
    const chat = connect(server.host);
    const { payload } = await run(chat, batch);
    const { delivered } = await run(chat, payload, { attemptsMade: ATTEMPTS - 1 });
    expect(delivered?.sent).toMatchObject({ kind: 'answered', others: [{ row: 2, outcome, code }], missing: [] });
  },
);

test('users whose repeat is refused together are left to smaller calls', async () => {
  const entries = { ann: YES, bob: no('ERR_OPERATION_FAILED'), cem: YES, dan: no('ERR_OPERATION_FAILED') };
  const { chat } = await opened(
    { data: { participants: entries } },
    { error: { code: 'ERR_UID_NOT_FOUND', message: 'one of them is gone' } },
  );
  const { payload } = await run(chat, batch);
  const { delivered } = await run(chat, payload, { attemptsMade: 1 });
  expect(delivered?.sent).toMatchObject({ kind: 'answered', others: [], missing: [], split: [2, 4] });
});
