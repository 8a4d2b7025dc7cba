import { expect, test } from 'vitest';
import { MalformedReply } from '../../src/chat/call-errors.ts';
import { csv, EMBEDDED, openPipeline, participants } from './pipeline-harness.ts';

test('a batch that alone gets no answer fails after its attempts, also when nothing else is left to send', async () => {
  let calls = 0;
  const { run, rows, counts } = await openPipeline({
    place: EMBEDDED,
    chat: (chat) => ({
      ...chat,
      addMembers: async (guid, ...rest) => {
        if (guid !== 'cursed') return chat.addMembers(guid, ...rest);
        calls += 1;
        throw new MalformedReply('the reply is not JSON', 200);
      },
    }),
  });
  const { id, state } = await run(csv([...participants(10, 'cursed'), ...participants(500)]));
  expect(state).toBe('completed');
  expect(counts(id)).toMatchObject({ added: 500, failed: 10 });
  expect(rows(id)[0]?.message).toMatch(
    /^\d+ calls since .* UTC got no usable answer, while other calls of the region were answered; the last one: the reply is not JSON; afterwards this user was not in the group's list of members$/,
  );
  // Eight attempts, and one call for each time that the circuit opened.
  expect(calls).toBeGreaterThanOrEqual(8);
  expect(calls).toBeLessThan(16);
});
