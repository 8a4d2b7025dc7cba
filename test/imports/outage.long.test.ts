import { expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../jobs/batch-policy.ts';
import { MalformedReply } from '../../src/chat/call-errors.ts';
import { csv, EMBEDDED, openPipeline, participants } from './pipeline-harness.ts';

test('a user for whom the service always fails is given up alone, and the 24 others of the call are added', async () => {
  const now = Date.now.bind(Date);
  let later = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + later);
  let alone = 0;
  const { run, rows, counts } = await openPipeline({
    place: EMBEDDED,
    chat: (chat) => ({
      ...chat,
      addMembers: async (guid, lists, options) => {
        const uids = lists.participants ?? [];
        if (guid !== 'cursed' || !uids.includes('u7')) return chat.addMembers(guid, lists, options);
        if (uids.length === 1) alone += 1;
        // Its time is over long before its calls are.
        if (alone === 2) later = PATIENCE_MS;
        throw new MalformedReply('the reply is not JSON', 200);
      },
    }),
  });
  const { id, state } = await run(csv([...participants(25, 'cursed'), ...participants(500)]));
  expect(state).toBe('completed');
  expect(counts(id)).toMatchObject({ added: 524, failed: 1 });
  expect(rows(id).find(({ status }) => status === 'failed')).toMatchObject({
    uid: 'u7',
    message: expect.stringMatching(
      /^\d+ calls since .* UTC got no usable answer, while other calls of the region were answered; the last one: the reply is not JSON; afterwards this user was not in the group's list of members$/,
    ),
  });
  // Eight calls, and one for each time that the circuit opened.
  expect(alone).toBeGreaterThanOrEqual(8);
  expect(alone).toBeLessThan(16);
});
