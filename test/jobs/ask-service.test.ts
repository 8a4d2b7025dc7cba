import { describe, expect, test } from 'vitest';
import {
  type AskServicePayload,
  type AskServicePorts,
  askService,
  type ServiceAnswer,
} from '../../jobs/ask-service.ts';
import { SendAgain } from '../../jobs/service-call.ts';
import { SlowDown } from '../../src/queue/job-definition.ts';
import { openService } from './add-members-run.ts';

const GROUP = { members: { g: { owner: 'boss', participants: ['anna', 'bob'], usersToBan: ['mallory'] } } };

/** One start of the job, as the queue makes it. */
async function run(
  chat: AskServicePorts['chat'],
  wanted: Partial<AskServicePayload>,
  { isLastAttempt = false, attemptsMade = 0, signal = new AbortController().signal } = {},
): Promise<{ answer: ServiceAnswer | undefined; thrown: unknown; called: string[] }> {
  let answer: ServiceAnswer | undefined;
  const called: string[] = [];
  const payload = askService.payload.parse({
    version: 1,
    requestId: 'read-1',
    replyTo: null,
    region: 'us',
    guid: 'g',
    ask: 'members',
    page: 1,
    ...wanted,
  });
  const thrown = await askService
    .process(
      { id: 'read-1', payload, attemptsMade, starts: 1, isLastAttempt, signal, update: async () => {} },
      {
        chat,
        answer: async ({ requestId }, found) => {
          expect([requestId, answer]).toEqual(['read-1', undefined]);
          answer = found;
        },
        called: ({ kind, code }, _rate, { attempt, recovers }) =>
          called.push(`${attempt}${recovers ? ', a repeat' : ''}: ${kind} ${code}`.trim()),
      },
    )
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  return { answer, thrown, called };
}

test('a page of members, a page of the banned, or the owner is handed back to the one who asked', async () => {
  const { chat } = await openService({ seed: { regions: { us: GROUP } } });
  const read = async (what: AskServicePayload['ask']) => (await run(chat, { ask: what })).answer;
  expect(await read('members')).toMatchObject({
    kind: 'members',
    entries: expect.arrayContaining([
      { uid: 'boss', scope: 'admin', joinedAt: expect.any(Number), name: 'boss' },
      { uid: 'anna', scope: 'participant', joinedAt: expect.any(Number), name: 'anna' },
    ]),
    pagination: { total: 4, totalPages: 1 },
  });
  expect(await read('banned')).toMatchObject({
    kind: 'banned',
    entries: [{ uid: 'mallory' }],
    pagination: { total: 1 },
  });
  expect(await read('group')).toMatchObject({
    kind: 'group',
    group: { owner: 'boss', type: 'public', membersCount: 3 },
  });
});

describe('a call that does not succeed', () => {
  test('is made again when no answer came, and ends as an answer at the last attempt', async () => {
    const { chat, sandbox } = await openService({ faults: 'unavailable' });
    const first = await run(chat, {});
    expect([first.answer, first.thrown, first.called]).toEqual([
      undefined,
      expect.any(SendAgain),
      ['1: again HTTP_503'],
    ]);
    const last = await run(chat, {}, { isLastAttempt: true, attemptsMade: 1 });
    expect(last.answer).toMatchObject({ kind: 'refused', region: false, code: 'HTTP_503' });
    expect(last.called).toEqual(['2, a repeat: again HTTP_503']);
    expect(sandbox.calls.us.requests).toBe(2);
  });

  test('makes the region wait when the service asks for it', async () => {
    const { chat } = await openService({ faults: 'too-many' });
    const { answer, thrown } = await run(chat, {}, { isLastAttempt: true });
    expect([answer, thrown]).toEqual([undefined, expect.any(SlowDown)]);
  });

  test('says whether it is about the group or about the whole region', async () => {
    const { chat, sandbox } = await openService();
    expect((await run(chat, { guid: 'none' })).answer).toMatchObject({ region: false, code: 'ERR_GUID_NOT_FOUND' });
    sandbox.faults.set('refuse-key');
    expect((await run(chat, {})).answer).toMatchObject({ region: true, code: 'AUTH_ERR_APIKEY_NOT_FOUND' });
  });

  test('that its process gives up goes back into the queue', async () => {
    const { chat } = await openService({ faults: 'timeout' });
    const leaving = new AbortController();
    const running = run(chat, {}, { isLastAttempt: true, signal: leaving.signal });
    leaving.abort();
    expect(await running).toMatchObject({ answer: undefined, thrown: { code: 'ABORTED' } });
  });

  test('for a fault of the worker is the answer to the one who asked', async () => {
    const broken = async (): Promise<never> => {
      throw new TypeError('a fault');
    };
    const { chat: real } = await openService();
    const chat = { ...real, listPage: broken };
    expect((await run(chat, {}, { isLastAttempt: true })).answer).toMatchObject({
      kind: 'refused',
      code: 'WORKER_FAULT',
      message: 'a fault',
    });
  });
});
