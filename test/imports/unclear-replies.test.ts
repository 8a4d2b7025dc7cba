import { expect, test } from 'vitest';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import { addMembersReply } from '../../src/chat/contract.ts';
import { entriesOf } from '../../src/chat/member-entries.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { csv, EMBEDDED, openPipeline, participants } from './pipeline-harness.ts';

/** A service that adds everyone but `not`, and says of each user only this. */
const saying =
  (entry: unknown, not: string) =>
  (service: ChatClient): ChatClient => ({
    ...service,
    addMembers: async (guid, { participants: all = [] }, options) => {
      const added = all.filter((uid) => uid !== not);
      const reply = await service.addMembers(guid, { participants: added.length > 0 ? added : ['other'] }, options);
      const list = Object.fromEntries(all.map((uid) => [uid, entry]));
      return { ...reply, entries: entriesOf(addMembersReply.parse({ data: { participants: list } }), String) };
    },
  });

/** One that adds everyone, and answers 200 with an error. */
const refusing =
  (serviceCode: string) =>
  (service: ChatClient): ChatClient => ({
    ...service,
    addMembers: async (...call) => {
      const { rate } = await service.addMembers(...call);
      throw new RollcallError('REFUSED', { httpStatus: 200, serviceCode, serviceMessage: 'odd', rate, doubtful: true });
    },
  });

test.each([
  ['null', null],
  ['a text in place of true', { success: 'true' }],
  ['nothing', {}],
])('users whose entry is %s have the outcome that the group says, not a failure', async (_, entry) => {
  const { run, rows } = await openPipeline({ place: EMBEDDED, chat: saying(entry, 'u1') });
  const file = participants(3);
  const [first, ...others] = await run(csv(file)).then(({ id }) => rows(id));
  expect(others.map(({ status, code }) => [status, code])).toEqual(Array(2).fill(['already_member', 'FOUND_IN_GROUP']));
  // This one was sent twice, and is in no group.
  expect(first).toMatchObject({ status: 'failed', code: 'MALFORMED_REPLY', attempts: 2 });
});

test.each(['ERR_GUID_NOT_FOUND', 'ERR_UID_NOT_FOUND', 'ERR_ODD', 'oops'])(
  '200 with the error %s fails nobody who is in the group',
  async (code) => {
    const { run, rows, counts } = await openPipeline({ place: EMBEDDED, chat: refusing(code) });
    const { id } = await run(csv(participants(30)));
    expect(counts(id)).toMatchObject({ already_member: 30, failed: 0, unconfirmed: 0 });
    expect(rows(id)[0]?.message).toContain('earlier call');
  },
);
