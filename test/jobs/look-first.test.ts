import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type AddMembersPayload, addMembers } from '../../jobs/add-members.ts';
import { ATTEMPTS } from '../../jobs/batch-policy.ts';
import { SendAgain } from '../../jobs/service-call.ts';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import type { BatchResult } from '../../src/imports/record/batch-result.ts';
import type { AskBeforeRepeat } from '../../src/platform/settings.ts';
import { SlowDown } from '../../src/queue/job-definition.ts';
import { withList } from '../chat/with-list.ts';
import { batchOf, openService } from './add-members-run.ts';

/** Starts the job, as its queue does, until its result is delivered. Says what was called, in order. */
async function play(chat: ChatClient, given: AddMembersPayload, askBeforeRepeat: AskBeforeRepeat = 'auto') {
  const called: string[] = [];
  const delivered: BatchResult[] = [];
  const noted: ChatClient = {
    ...chat,
    addMembers: (guid, lists, options) => {
      called.push(`add ${Object.values(lists).flat().join(' ')}`);
      return chat.addMembers(guid, lists, options);
    },
    listPage: (kind, guid, page, options) => {
      called.push(`${kind} ${page}`);
      return chat.listPage(kind, guid, page, options);
    },
    getMembership: (guid, uid, options) => {
      called.push(`member ${uid}`);
      return chat.getMembership(guid, uid, options);
    },
  };
  let payload = given;
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let starts = 1; delivered.length === 0 && starts < 100; starts += 1) {
    const job = {
      id: 'imp-1-7',
      payload,
      attemptsMade: 0,
      starts,
      isLastAttempt: false,
      signal: new AbortController().signal,
      update: async (changed: AddMembersPayload) => {
        payload = addMembers.payload.parse(JSON.parse(JSON.stringify(changed)));
      },
    };
    const ports = {
      chat: noted,
      askBeforeRepeat,
      stopRegion: async () => {},
      deliver: async (_: unknown, result: BatchResult) => void delivered.push(result),
    };
    await addMembers.process(job, ports).catch((error: unknown) => {
      if (error instanceof SlowDown) return;
      if (!(error instanceof SendAgain)) throw error;
      vi.setSystemTime(Date.now() + 60_000);
    });
  }
  return { called, sent: delivered[0]?.sent, result: delivered[0] };
}

const there = { row: 1, outcome: 'already_member', code: 'FOUND_IN_GROUP' };
const UNCERTAIN = { uncertainty: 'the process that sent it ended before an answer came' };

describe('a call whose answer was lost', () => {
  test('is not repeated for those whom it added', async () => {
    const { sandbox, chat } = await openService({ faults: 'reset-after=1' });
    const { called, sent } = await play(chat, batchOf({ participants: ['p', 'q'] }));
    expect(called).toEqual(['add p q', 'members 1', 'banned 1']);
    const message = expect.stringContaining('earlier call');
    expect(sent).toEqual({ kind: 'answered', missing: [], others: [1, 2].map((row) => ({ ...there, row, message })) });
    expect(sandbox.members('us', 'g').size).toBe(2);
  });

  test('is repeated for those whom it did not add', async () => {
    const { chat } = await openService({ faults: 'reset-midway=1' });
    const { called, sent } = await play(chat, batchOf({ participants: ['p', 'q', 'r', 's'] }));
    expect(called).toEqual(['add p q r s', 'members 1', 'banned 1', 'add r s']);
    expect(sent).toMatchObject({ kind: 'answered', missing: [], others: [there, { ...there, row: 2 }] });
  });

  test('is repeated as it was where nobody was added, and counts every start that read', async () => {
    const { chat } = await openService({ faults: 'reset-before=2' });
    const { called, sent, result } = await play(chat, batchOf({ participants: ['p', 'q'] }));
    // The second reset hits the question.
    expect(called).toEqual(['add p q', 'members 1', 'members 1', 'add p q']);
    expect(sent).toMatchObject({ kind: 'answered', others: [], missing: [] });
    expect(result?.calls.map(({ kind }) => kind)).toEqual(['again', 'answered']);
    expect(result?.uncertainty).toContain('earlier call');
  });

  test('is repeated for a user who is banned, even if the list of members has such users', async () => {
    const seed = { regions: { us: { members: { g: { participants: ['p'], usersToBan: ['b'] } } } } };
    const { sandbox, chat } = await openService({ seed: { groups: ['g'], ...seed }, behaviour: { listBanned: true } });
    const { called, sent } = await play(chat, batchOf({ participants: ['p', 'b'] }, UNCERTAIN));
    expect(called).toEqual(['members 1', 'banned 1', 'add b']);
    expect(sent).toMatchObject({ others: [there] });
    expect(sandbox.members('us', 'g').get('b')).toBe('participant');
  });

  test('is not repeated for those whom it banned', async () => {
    const { chat } = await openService({ faults: 'reset-after=1' });
    const { called, sent } = await play(chat, batchOf({ participants: ['p'], usersToBan: ['b'] }));
    expect(called).toEqual(['add p b', 'members 1', 'banned 1']);
    expect(sent).toMatchObject({ others: [there, { row: 2, outcome: 'banned', code: 'FOUND_IN_GROUP' }] });
  });

  test('needs the list of banned users only, where all rows ban', async () => {
    const { chat } = await openService({ faults: 'reset-midway=1' });
    const { called } = await play(chat, batchOf({ usersToBan: ['b', 'c'] }));
    expect(called).toEqual(['add b c', 'banned 1', 'add c']);
  });

  test('is repeated at once where nothing is asked', async () => {
    const { chat } = await openService({ faults: 'reset-after=1' });
    expect((await play(chat, batchOf({ participants: ['p'] }), 'never')).called).toEqual(['add p', 'add p']);
  });

  test('is repeated where the service does not say who is in the group', async () => {
    const { chat } = await openService();
    const secretive = withList(chat, 'members', refused(404));
    const { sent } = await play(secretive, batchOf({ participants: ['p'] }, UNCERTAIN));
    expect(sent).toMatchObject({ kind: 'answered', others: [], missing: [] });
  });
});

describe('a group of more than one page', () => {
  const open = (members: number) => {
    const participants = Array.from({ length: members }, (_, n) => `m${String(n).padStart(5, '0')}`);
    return openService({ seed: { groups: ['g'], regions: { us: { members: { g: { participants } } } } } });
  };
  const given = ['m00001', 'm01400', 'p'];

  test('is read to its end where it has no more pages than there are users to ask for', async () => {
    const { chat } = await open(1_500);
    const { called } = await play(chat, batchOf({ participants: given }, UNCERTAIN));
    expect(called).toEqual(['members 1', 'members 2', 'banned 1', 'add p']);
  });

  test('is read to its first empty page where the service does not say how many there are', async () => {
    const { chat } = await open(1_500);
    const uncounted = withList(chat, 'members', async (page) => ({ ...(await page()), pagination: undefined }));
    const { called } = await play(uncounted, batchOf({ participants: ['p'] }, UNCERTAIN));
    expect(called).toEqual(['members 1', 'members 2', 'members 3', 'add p']);
  });

  test('is read no further when all users are found', async () => {
    const { chat } = await open(1_500);
    const { called } = await play(chat, batchOf({ participants: ['m00001'] }, UNCERTAIN));
    expect(called).toEqual(['members 1', 'banned 1']);
  });

  test('is asked for each user alone where that takes fewer calls: none is added twice, however large it is', async () => {
    const { chat } = await open(10_001);
    const { called, sent } = await play(chat, batchOf({ participants: given }, UNCERTAIN));
    expect(called).toEqual(['members 1', 'member m01400', 'member p', 'banned 1', 'add p']);
    expect(sent).toMatchObject({ others: [there, { ...there, row: 2 }], missing: [] });
  });

  test('is asked for users to add only, and for the banned', async () => {
    const { chat } = await open(10_001);
    const { called } = await play(chat, batchOf({ participants: ['p'], usersToBan: ['b'] }, UNCERTAIN));
    expect(called).toEqual(['members 1', 'member p', 'banned 1', 'add p b']);
  });

  test('is read up to ten pages where the service does not say whether a user is a member, or to its end when always asked', async () => {
    const pages = Array.from({ length: 11 }, (_, n) => `members ${n + 1}`);
    const asked = ['members 1', 'member m01400'];
    const silent = async ({ members, ask }: { members: number; ask: AskBeforeRepeat }) => {
      const { chat } = await open(members);
      const mute = { ...chat, getMembership: async () => ({ ...meta, scope: null, isKnown: false }) };
      return (await play(mute, batchOf({ participants: given }, UNCERTAIN), ask)).called;
    };
    const end = ['banned 1', 'add p'];
    expect(await silent({ members: 9_001, ask: 'auto' })).toEqual([...asked, ...pages.slice(1, 10), ...end]);
    expect(await silent({ members: 10_001, ask: 'auto' })).toEqual([...asked, 'members 2', ...end]);
    expect(await silent({ members: 10_001, ask: 'always' })).toEqual([...asked, ...pages.slice(1), ...end]);
  });

  test('says nothing of a user for whom it refuses the question: the others are known', async () => {
    const { chat } = await open(10_001);
    const strict: ChatClient = {
      ...chat,
      getMembership: (guid, uid, options) => (uid === 'p' ? refused(404)() : chat.getMembership(guid, uid, options)),
    };
    const { called } = await play(strict, batchOf({ participants: given }, UNCERTAIN));
    expect(called).toEqual(['members 1', 'member m01400', 'member p', 'banned 1', 'add p']);
    const last = await play({ ...strict, addMembers: refused(503) }, batchOf({ participants: ['m01400', 'p'] }));
    expect(last.sent).toMatchObject({
      others: [
        { row: 1, outcome: 'already_member' },
        { row: 2, outcome: 'unconfirmed', code: 'HTTP_503' },
      ],
    });
  });

  test('decides after the last attempt: only a group that cannot be asked leaves a row unconfirmed', async () => {
    const { chat } = await open(10_001);
    const down = { ...chat, addMembers: refused(503) };
    const { called, sent } = await play(down, batchOf({ participants: ['m10000', 'p'] }));
    expect(called.slice(-3)).toEqual(['member m10000', 'member p', 'banned 1']);
    expect(sent).toMatchObject({
      others: [
        { row: 1, outcome: 'already_member' },
        { row: 2, outcome: 'failed', code: 'HTTP_503' },
      ],
    });
  });
});

describe('the last attempt', () => {
  test('is followed by the question: who is in the group is not added again, who is not has failed', async () => {
    const { chat } = await openService();
    let calls = 0;
    const gone = {
      ...chat,
      addMembers: async (...[guid, , options]: Parameters<ChatClient['addMembers']>) => {
        calls += 1;
        if (calls === ATTEMPTS) await chat.addMembers(guid, { participants: ['p'] }, options);
        return refused(503)();
      },
    };
    const { called, sent } = await play(gone, batchOf({ participants: ['p', 'q'], usersToBan: ['b'] }));
    expect(called.filter((one) => one.startsWith('add'))).toEqual(Array(ATTEMPTS).fill('add p q b'));
    expect(called.slice(-3)).toEqual(['add p q b', 'members 1', 'banned 1']);
    const absent = expect.stringContaining("afterwards this user was not in the group's list of members");
    expect(sent).toMatchObject({
      others: [
        there,
        { row: 2, outcome: 'failed', code: 'HTTP_503', message: absent },
        { row: 3, outcome: 'failed', code: 'HTTP_503', message: expect.stringContaining('banned users') },
      ],
    });
  });

  test('is unconfirmed where the group cannot be asked', async () => {
    const { chat } = await openService();
    const down = withList({ ...chat, addMembers: refused(503) }, 'members', refused(503));
    const { sent } = await play(down, batchOf({ participants: ['p'] }));
    expect(sent).toMatchObject({ others: [{ row: 1, outcome: 'unconfirmed', code: 'HTTP_503' }] });
  });
});

const meta = { httpStatus: 200, ms: 1, rate: {} };

/** A call that is answered with this status. */
function refused(httpStatus: number): () => Promise<never> {
  return async () => {
    throw new RollcallError('REFUSED', { httpStatus, serviceCode: null, serviceMessage: 'away', rate: {} });
  };
}
