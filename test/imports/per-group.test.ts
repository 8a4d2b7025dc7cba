import { expect, test } from 'vitest';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { csv, EMBEDDED, openPipeline, participants, reached } from './pipeline-harness.ts';

const PER_GROUP = 3;

/** A service behind a door, and the most calls that each group had at once. */
function watched() {
  const door = new Doorkeeper();
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  const chat = (client: ChatClient): ChatClient => {
    const behind = door.chat(client, 'us');
    return {
      ...behind,
      addMembers: async (...call) => {
        const guid = call[0].toLowerCase();
        now.set(guid, (now.get(guid) ?? 0) + 1);
        most.set(guid, Math.max(most.get(guid) ?? 0, now.get(guid) ?? 0));
        return behind.addMembers(...call).finally(() => now.set(guid, (now.get(guid) ?? 0) - 1));
      },
    };
  };
  return { door, most, now, chat };
}

const others = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ guid: `other-${nth}`, uid: `user-${nth}` }));

test('a group never has more calls at once than it may, and holds up no other group', async () => {
  const { door, most, now, chat } = watched();
  const pipeline = await openPipeline({ place: EMBEDDED, concurrency: 40, perGroup: PER_GROUP, chat });
  const id = await pipeline.send(csv([...participants(500, 'big'), ...others(15)]));
  await door.until(PER_GROUP + 15);
  expect(now.get('big')).toBe(PER_GROUP);
  door.open();
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(pipeline.counts(id)).toMatchObject({ added: 515 });
  expect(most.get('big')).toBe(PER_GROUP);
  expect(pipeline.sandbox.calls.us.requests).toBe(20 + 15);
});

test('imports that send to the same group share what it may have, and each goes on when the other has ended', async () => {
  const { door, most, chat } = watched();
  const pipeline = await openPipeline({ place: EMBEDDED, concurrency: 40, perGroup: PER_GROUP, chat });
  const { send, coordinator, counts } = pipeline;
  const first = await send(csv(participants(200, 'big')));
  await door.until(PER_GROUP);
  const second = await send(csv(participants(150, 'Big').map((row) => ({ ...row, uid: `too-${row.uid}` }))));
  door.open();
  for (const id of [first, second]) expect((await coordinator.settled(id)).state).toBe('completed');
  expect([counts(first).added, counts(second).added]).toEqual([200, 150]);
  expect(most.get('big')).toBe(PER_GROUP);
});

test('a call that is sent again keeps its place in its group, and a paused import gives its places back', async () => {
  const { door, most, chat } = watched();
  const pipeline = await openPipeline({
    place: EMBEDDED,
    concurrency: 40,
    perGroup: PER_GROUP,
    chat,
    sandbox: { faults: 'unavailable=2' },
  });
  const { send, coordinator, counts } = pipeline;
  const id = await send(csv(participants(300, 'big')));
  await door.until(PER_GROUP);
  const paused = reached(coordinator, id, 'paused');
  await coordinator.pause(id);
  door.open();
  await paused;
  await coordinator.resume(id);
  expect((await coordinator.settled(id)).state).toBe('completed');
  expect(counts(id).added).toBe(300);
  expect(most.get('big')).toBe(PER_GROUP);
});
