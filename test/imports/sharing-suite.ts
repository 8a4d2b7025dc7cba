import { expect, test } from 'vitest';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import type { Coordinator } from '../../src/imports/life/coordinator.ts';
import { PER_ROUND } from '../../src/imports/send/fair-queue.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { csv, eventually, openPipeline, type QueuePlace, reached } from './pipeline-harness.ts';

/** Each row a call of its own. */
const calls = (count: number, name: string) =>
  csv(Array.from({ length: count }, (_, n) => ({ guid: `${name}-${n}`, uid: 'anna' })));

/** The callers in their order: the name before the hyphen of their group's, and whether it was a question. */
class Callers {
  readonly order: string[] = [];

  readonly chat = (service: ChatClient): ChatClient => ({
    ...service,
    addMembers: (guid, ...rest) => {
      this.order.push(guid.slice(0, guid.indexOf('-')));
      return service.addMembers(guid, ...rest);
    },
    listPage: (kind, guid, ...rest) => {
      this.order.push(`${guid.slice(0, guid.indexOf('-'))} asks`);
      return service.listPage(kind, guid, ...rest);
    },
  });

  count(name: string, from = 0, to = this.order.length): number {
    return this.order.slice(from, to).filter((one) => one === name).length;
  }
}

const CONCURRENCY = 4;
/**
 * Maximum lead of one import: some rounds (their clock follows recorded results, which lag behind), and calls under
 * way.
 */
const LEAD = 4 * PER_ROUND + CONCURRENCY;

/** Its additions wait at the door where that is shut. */
async function openShared(place: QueuePlace, callsPerMinute: number) {
  const callers = new Callers();
  const door = new Doorkeeper();
  door.open();
  const pipeline = await openPipeline({
    place,
    callsPerMinute,
    concurrency: CONCURRENCY,
    regions: ['us'],
    chat: (service, region) => callers.chat(door.chat(service, region)),
  });
  return { ...pipeline, coordinator: pipeline.coordinator, callers, door };
}

async function cancelled(coordinator: Coordinator, id: string): Promise<void> {
  await coordinator.cancel(id);
  await reached(coordinator, id, 'cancelled');
}

/** The most visible promise of shared budgets. */
export function describeSmallBehindBig(place: QueuePlace): void {
  test('a small import behind a big one is served at once, and half of the calls are its own', async () => {
    const { callers, door, send, coordinator, counts } = await openShared(place, 3_000);
    const big = await send(calls(1_000, 'big'));
    await eventually(() => callers.count('big')).toBeGreaterThan(10);
    door.shut();
    const id = await send(calls(30, 'small'));
    await reached(coordinator, id, 'running');
    const began = callers.order.length;
    door.open();
    const small = await coordinator.settled(id);
    const ended = callers.order.lastIndexOf('small');
    expect([small.state, counts(small.id).added]).toEqual(['completed', 30]);
    expect(callers.order.indexOf('small') - began).toBeLessThanOrEqual(LEAD);
    expect(callers.count('big', began, ended)).toBeLessThanOrEqual(30 + LEAD);
    await cancelled(coordinator, big);
  });

  test('an import that asks who is banned in many groups takes turns with the batches of others', async () => {
    const { callers, door, send, coordinator, counts } = await openShared(place, 12_000);
    const big = await send(calls(6_000, 'big'));
    await eventually(() => callers.count('big')).toBeGreaterThan(10);
    door.shut();
    const asking = await send(calls(200, 'asking'), { bans: 'keep' });
    await reached(coordinator, asking, 'running');
    door.open();
    await eventually(() => callers.count('asking asks')).toBe(200);
    const from = callers.order.indexOf('asking asks');
    const to = callers.order.lastIndexOf('asking asks');
    const meanwhile = callers.count('big', from, to);
    expect(meanwhile).toBeGreaterThanOrEqual(200 - LEAD);
    expect(meanwhile).toBeLessThanOrEqual(200 + LEAD);
    await coordinator.settled(asking);
    expect(counts(asking).added).toBe(200);
    await cancelled(coordinator, big);
  });
}

/** Imports share a region's budget of calls, wherever its jobs are kept. */
export function describeSharing(place: QueuePlace): void {
  describeSmallBehindBig(place);

  test('imports of the same size go on side by side, with as many calls as each takes alone', async () => {
    const { callers, door, send, coordinator, sandbox, counts } = await openShared(place, 1_000_000);
    const names = ['one', 'two', 'three'];
    const ids: string[] = [];
    door.shut();
    for (const name of names) ids.push(await send(calls(250, name)));
    for (const id of ids) await reached(coordinator, id, 'running');
    door.open();
    const ended = await Promise.all(ids.map((id) => coordinator.settled(id)));
    expect(ended.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed']);
    // The time in which all of them have something to send: from the beginning of the last to the end of the first.
    const from = Math.max(...names.map((name) => callers.order.indexOf(name)));
    const to = Math.min(...names.map((name) => callers.order.lastIndexOf(name)));
    const shares = names.map((name) => callers.count(name, from, to));
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(LEAD);
    expect(Math.min(...shares)).toBeGreaterThan(0);
    expect(sandbox.calls.us.requests).toBe(750);
    for (const id of ids) expect(counts(id)).toMatchObject({ read: 250, added: 250 });
  });

  test('pausing and cancelling one import touches no other', async () => {
    const { callers, door, send, coordinator, counts, sandbox } = await openShared(place, 1_000_000);
    door.shut();
    const paused = await send(calls(400, 'paused'));
    const dropped = await send(calls(400, 'dropped'));
    const kept = await send(calls(100, 'kept'));
    await door.until(CONCURRENCY);
    while (['paused', 'dropped', 'kept'].some((name) => callers.count(name) === 0)) {
      const next = door.until(door.arrived + 1);
      door.letIn(1);
      await next;
    }
    await coordinator.pause(paused);
    const left = cancelled(coordinator, dropped);
    door.open();
    await left;
    expect((await coordinator.settled(kept)).state).toBe('completed');
    expect((await coordinator.settled(paused)).state).toBe('paused');
    await coordinator.resume(paused);
    expect((await coordinator.settled(paused)).state).toBe('completed');
    expect([counts(kept).added, counts(paused).added]).toEqual([100, 400]);
    expect(counts(dropped).added + counts(dropped).unprocessed).toBe(400);
    expect(sandbox.calls.us.requests).toBe(500 + counts(dropped).added);
  });
}
