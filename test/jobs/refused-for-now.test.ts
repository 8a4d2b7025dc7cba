import { expect, test } from 'vitest';
import { SendAgain } from '../../jobs/service-call.ts';
import { connect, json, serve } from '../chat/chat-server.ts';
import { atLast, batchOf, run } from './add-members-run.ts';

const YES = { success: true, data: { id: '32', data: { entities: { for: { entity: { membersCount: 5 } } } } } };
const no = (code: string) => ({ success: false, error: { code, message: 'not now' } });

/** The result of a batch of four users whose reply has these entries. */
async function read(entries: Readonly<Record<string, unknown>>, isLast = false) {
  const server = await serve(json({ data: { participants: entries } }));
  const batch = batchOf({ participants: ['ann', 'bob', 'cem', 'dan'] });
  const { delivered, asked, payload } = await run(connect(server.host), isLast ? atLast(batch) : batch);
  return { sent: delivered?.sent, asked, payload };
}

test('an entry that is refused for now has its own batch from then on, and the others their outcomes', async () => {
  const { sent } = await read({ ann: YES, bob: no('ERR_OPERATION_FAILED'), cem: no('ERR_UID_NOT_FOUND'), dan: YES });
  expect(sent).toEqual({
    kind: 'answered',
    others: [{ row: 3, outcome: 'failed', code: 'ERR_UID_NOT_FOUND', message: 'not now' }],
    missing: [2],
    again: {
      why: 'an earlier reply refused this user with ERR_OPERATION_FAILED',
      standing: { tries: 1, since: expect.any(Number), unsaid: 0, notBefore: expect.any(Number) },
      slowsDown: false,
    },
    messages: [
      [1, '32'],
      [4, '32'],
    ],
    members: 5,
  });
});

test.each([
  ['null', null, 'the entry reads null'],
  ['a text in place of true', { success: 'true' }, 'the entry reads {"success":"true"}'],
  ['nothing', {}, 'the entry reads {}'],
])('an entry that is %s is neither done nor refused: its user is looked for, and sent again', async (_, entry, why) => {
  const { sent } = await read({ ann: YES, bob: entry, cem: YES, dan: YES });
  expect(sent).toMatchObject({ others: [], missing: [2], again: { why: expect.stringContaining(why) } });
});

test('too many requests as an entry makes the region wait, and the user is sent again', async () => {
  const { sent, asked } = await read({ ann: YES, bob: no('ERR_TOO_MANY_REQUESTS'), cem: YES, dan: YES });
  expect(sent).toMatchObject({ missing: [2] });
  expect(asked).toEqual(['delivered', 'slowed']);
});

test('the last call keeps the refusal', async () => {
  const { sent } = await read({ ann: YES, bob: no('ERR_MISSION_FAILED'), cem: YES, dan: YES }, true);
  expect(sent).toMatchObject({
    others: [{ row: 2, outcome: 'failed', code: 'ERR_MISSION_FAILED', message: 'not now' }],
    missing: [],
  });
});

test('a batch that is not to be sent yet waits, once, and that is no call', async () => {
  const server = await serve(json({ data: { participants: { ann: YES } } }));
  const chat = connect(server.host);
  const standing = { tries: 1, since: 1, notBefore: Date.now() + 3_600_000 };
  const first = await run(chat, batchOf({ participants: ['ann'] }, { standing }));
  expect(first).toMatchObject({ delivered: undefined, thrown: expect.any(SendAgain) });
  // However late the clock of another machine may be.
  expect(first.thrown).toMatchObject({ waitMs: 60_000 });
  const second = await run(chat, first.payload, { starts: 2 });
  expect(second.delivered).toMatchObject({ uncertainty: null, calls: [{ kind: 'answered' }] });
});
