import { expect, test } from 'vitest';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import type { MemberEntries } from '../../src/chat/member-entries.ts';
import { csv, EMBEDDED, openPipeline } from './pipeline-harness.ts';

/** The first call refuses one user with this code, as an entry of its reply, and carries out the rest. */
function refusingOnce(uid: string, code: string) {
  const asked: string[][] = [];
  const chat = (service: ChatClient): ChatClient => ({
    ...service,
    addMembers: async (guid, { usersToBan = [], participants = [] }, options) => {
      asked.push([...participants, ...usersToBan]);
      const taken = (all: readonly string[]) => (asked.length > 1 ? all : all.filter((one) => one !== uid));
      const lists = Object.entries({ participants: taken(participants), usersToBan: taken(usersToBan) });
      const request = Object.fromEntries(lists.filter(([, all]) => all.length > 0));
      const reply = await service.addMembers(guid, request, options);
      if (asked.length > 1) return reply;
      const entry = { success: false, error: { code, message: 'not now' } };
      const entries: MemberEntries = new Map([...reply.entries, [uid, entry]]);
      return { ...reply, entries };
    },
  });
  return { asked, chat };
}

test.each([
  ['ERR_OPERATION_FAILED', 'bob'],
  ['ERR_MISSION_FAILED', 'bob'],
  ['ERR_MEMBER_BAN_FAILED', 'bad'],
])('%s as the entry of one user is repeated, as for a whole call, and for this user alone', async (code, uid) => {
  const { asked, chat } = refusingOnce(uid, code);
  const pipeline = await openPipeline({ place: EMBEDDED, chat });
  const rows = [...['ann', 'bob', 'cem'].map((one) => ({ uid: one })), { uid: 'bad', scope: 'ban' as const }];
  const { id } = await pipeline.run(csv(rows.map((row) => ({ guid: 'team', ...row }))));
  expect(pipeline.rows(id).map(({ status }) => status)).toEqual(['added', 'added', 'added', 'banned']);
  expect(asked).toEqual([['ann', 'bob', 'cem', 'bad'], [uid]]);
  expect(pipeline.summary(id)).toMatchObject({ calls: 2, rows: { added: 3, banned: 1 } });
});
