import { describe, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../jobs/batch-policy.ts';
import { malformedReply } from '../../src/chat/call-errors.ts';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import type { FaultKind } from '../../src/sandbox/injected-faults.ts';
import { csv, EMBEDDED, eventually, openPipeline, participants, QUEUE_PLACES } from './pipeline-harness.ts';

describe.each(QUEUE_PLACES)('an outage of the service ($name)', (place) => {
  const circuitOf = async ({ coordinator }: Awaited<ReturnType<typeof openPipeline>>) =>
    (await coordinator.regions.status()).find(({ region }) => region === 'us')?.circuit;

  test.each(['reset-before', 'firewall'] satisfies FaultKind[])('(%s) costs time and no rows', async (fault) => {
    const pipeline = await openPipeline({ place });
    const { sandbox } = pipeline;
    const told: string[] = [];
    pipeline.coordinator.events.on('circuit', (region, { state }) => told.push(`${region} ${state}`));
    sandbox.faults.set(fault);
    const id = await pipeline.send(csv(participants(500)));
    await eventually(async () => (await circuitOf(pipeline))?.state ?? '').toMatch(/open/);
    const [region] = await pipeline.coordinator.regions.status();
    expect(region?.unanswered).toMatchObject({ since: region?.circuit.since });
    expect(region?.circuit.calls).toBeGreaterThanOrEqual(3);
    const atOpening = sandbox.calls.us.requests;
    await eventually(async () => (await circuitOf(pipeline))?.calls).toBeGreaterThan(region?.circuit.calls ?? 0);
    expect(sandbox.calls.us.requests - atOpening).toBeLessThan(25);
    // Circuits are looked at from time to time: one that closes again before is not told.
    await eventually(() => told).toHaveLength(1);
    sandbox.faults.clear();
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ added: 500 });
    await eventually(() => told.at(-1)).toBe('us closed');
    expect([told.length, told[0]]).toEqual([2, expect.stringMatching(/^us (half-)?open$/)]);
    expect(await circuitOf(pipeline)).toMatchObject({
      state: 'closed',
      since: null,
      nextTryAt: null,
      calls: 0,
      code: '',
    });
  });
});

test.each([
  [
    'a wrong certificate',
    () => new RollcallError('CERTIFICATE_REFUSED', { what: 'not trusted', maybeCarriedOut: false }),
  ],
  [
    'a 404 that is cut off',
    () => new RollcallError('REFUSED', { httpStatus: 404, serviceCode: null, serviceMessage: '', rate: {} }),
  ],
])('%s is waited for, and the import continues by itself', async (_, failure) => {
  let isWrong = true;
  const failing = <Call extends (...given: never[]) => Promise<unknown>>(call: Call) =>
    ((...given: Parameters<Call>) => (isWrong ? Promise.reject(failure()) : call(...given))) as Call;
  const pipeline = await openPipeline({
    place: EMBEDDED,
    chat: (service: ChatClient): ChatClient => ({
      ...service,
      addMembers: failing(service.addMembers),
      getGroup: failing(service.getGroup),
      listPage: failing(service.listPage),
    }),
  });
  const id = await pipeline.send(csv(participants(100)));
  await eventually(async () => (await pipeline.coordinator.regions.status())[0]?.circuit.state).toBe('open');
  isWrong = false;
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(pipeline.counts(id)).toMatchObject({ added: 100 });
});

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
        throw malformedReply('the reply is not JSON', 200);
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
