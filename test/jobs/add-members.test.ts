import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMembers } from '../../jobs/add-members.ts';
import { SendAgain, withWait } from '../../jobs/service-call.ts';
import { MEMBER_LISTS } from '../../src/chat/service/lists.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { SlowDown } from '../../src/queue/job-definition.ts';
import { atLast, batchOf, connect, openService, run, start } from './add-members-run.ts';

const answered = { kind: 'answered', others: [], missing: [] };

describe('an answered call', () => {
  test('puts every UID into its list and says nothing of rows that are simply done', async () => {
    const { sandbox, chat } = await openService();
    const batch = batchOf({ admins: ['a'], moderators: ['m'], participants: ['p', 'q'], usersToBan: ['b'] });
    const { delivered, thrown, asked } = await run(chat, batch);
    expect(thrown).toBeUndefined();
    expect(asked).toEqual(['delivered']);
    expect(delivered).toMatchObject({ batch: 7, region: 'us', uncertainty: null, sent: answered });
    expect(Object.fromEntries(sandbox.members('us', 'g'))).toEqual({
      a: 'admin',
      m: 'moderator',
      p: 'participant',
      q: 'participant',
      b: 'ban',
    });
  });

  test('is recorded with its start, its length and its status', async () => {
    const { chat } = await openService();
    const before = Date.now();
    const { delivered } = await run(chat, batchOf({ participants: ['p'] }));
    expect(delivered?.calls).toHaveLength(1);
    const [call] = delivered?.calls ?? [];
    expect(call).toMatchObject({ kind: 'answered', code: '', httpStatus: 200 });
    expect(call?.at).toBeGreaterThanOrEqual(before);
    expect(delivered?.at).toBe((call?.at ?? 0) + (call?.ms ?? 0));
    expect(delivered?.at).toBeLessThanOrEqual(Date.now() + 1);
  });

  test('tells refused UIDs with code and message, and those who were in the group before', async () => {
    const { chat } = await openService({
      users: 0,
      seed: {
        users: ['new'],
        groups: ['g'],
        regions: { us: { members: { g: { admins: ['old'], usersToBan: ['out'] } } } },
      },
    });
    const { delivered } = await run(chat, batchOf({ participants: ['new', 'old', 'nobody'], usersToBan: ['out'] }));
    expect(delivered?.sent).toMatchObject({
      kind: 'answered',
      missing: [],
      others: [
        { row: 2, outcome: 'already_member', code: 'ERR_ALREADY_JOINED' },
        { row: 3, outcome: 'failed', code: 'ERR_UID_NOT_FOUND', message: expect.stringContaining('nobody') },
        { row: 4, outcome: 'banned', code: 'ERR_ALREADY_BANNED' },
      ],
    });
  });

  test('that leaves a UID out makes its row missing and not done', async () => {
    const { chat } = await openService({ faults: 'omit-uid' });
    const { delivered } = await run(chat, batchOf({ participants: ['p', 'q', 'r'] }));
    expect(delivered?.sent).toMatchObject({ ...answered, missing: [3] });
  });

  test('is read whatever the UIDs are called and however they are written', async () => {
    const { sandbox, chat } = await openService();
    const uids = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'MixedCase', '42'];
    const { delivered } = await run(chat, batchOf({ participants: uids }));
    expect(delivered?.sent).toMatchObject(answered);
    const stored = uids.map((uid) => uid.toLowerCase());
    expect([...sandbox.members('us', 'g').keys()].sort()).toEqual(stored.sort());
  });

  test('is made for the acting user', async () => {
    const { chat } = await openService({ seed: { regions: { us: { members: { g: { admins: ['boss'] } } } } } });
    const asBoss = await run(chat, batchOf({ participants: ['p'] }, { onBehalfOf: 'boss' }));
    expect(asBoss.delivered?.sent).toMatchObject(answered);
    const asStranger = await run(chat, batchOf({ participants: ['q', 'r'] }, { onBehalfOf: 'stranger' }));
    expect(asStranger.delivered?.sent).toMatchObject({
      kind: 'refused',
      outcome: 'failed',
      code: 'ERR_GROUP_NOT_JOINED',
    });
    // The stranger may join by itself, and a ban may be refused because of the user who is banned.
    for (const lists of [{ participants: ['q', 'Stranger'] }, { participants: ['q'], usersToBan: ['r'] }]) {
      const { delivered } = await run(chat, batchOf(lists, { onBehalfOf: 'stranger' }));
      expect(delivered?.sent).toMatchObject({ kind: 'halve', code: 'ERR_GROUP_NOT_JOINED' });
    }
    expect(asStranger.asked).toEqual(['delivered']);
  });
});

describe('a refusal', () => {
  test('of the group is reported as one of the group', async () => {
    const { chat } = await openService({ seed: { groups: [] } });
    const { delivered, asked } = await run(chat, batchOf({ participants: ['p', 'q'] }));
    expect(delivered?.sent).toMatchObject({ kind: 'group', code: 'ERR_GUID_NOT_FOUND' });
    expect(delivered?.calls).toMatchObject([{ kind: 'group', code: 'ERR_GUID_NOT_FOUND', httpStatus: 404 }]);
    expect(asked).toEqual(['delivered']);
  });

  test('of the key stops the region first, and consumes nothing', async () => {
    const { chat } = await openService({}, ({ apps }) => ({ apiKey: apps.us.authOnlyKey }));
    const { delivered, asked } = await run(chat, batchOf({ participants: ['p'] }));
    expect(asked).toEqual(['stopped', 'delivered']);
    expect(delivered).toMatchObject({ uncertainty: null, sent: { kind: 'stop-region', code: 'AUTH_ERR_NO_ACCESS' } });
  });

  test('of the whole call for one of its UIDs is one to halve, and final where there is only one', async () => {
    const { chat } = await openService({ behaviour: { maxUidsPerCall: 0 } });
    const two = await run(chat, batchOf({ participants: ['p', 'q'] }));
    expect(two.delivered?.sent).toMatchObject({ kind: 'halve', code: 'ERR_BAD_REQUEST' });
    const one = await run(chat, batchOf({ participants: ['p'] }));
    expect(one.delivered?.sent).toMatchObject({ kind: 'refused', outcome: 'failed', code: 'ERR_BAD_REQUEST' });
  });

  test.each([
    { list: 'participants', code: 'ERR_ALREADY_JOINED', outcome: 'already_member' },
    { list: 'usersToBan', code: 'ERR_ALREADY_BANNED', outcome: 'banned' },
    // A member is not banned by being a member, nor the reverse.
    { list: 'usersToBan', code: 'ERR_ALREADY_JOINED', outcome: 'failed' },
    { list: 'participants', code: 'ERR_ALREADY_BANNED', outcome: 'failed' },
  ])(
    'of a call for one UID with $code in $list is $outcome, as its entry would be',
    async ({ list, code, outcome }) => {
      const addMembers = async () => {
        throw new RollcallError('REFUSED', {
          httpStatus: 400,
          serviceCode: code,
          serviceMessage: 'so it is',
          rate: {},
        });
      };
      const { delivered } = await run({ addMembers }, batchOf({ [list]: ['p'] }));
      expect(delivered?.sent).toEqual({ kind: 'refused', outcome, code, message: 'so it is' });
    },
  );

  test('on our side of a call that cannot be put is final, and nothing is sent', async () => {
    const { sandbox, chat } = await openService();
    const { delivered } = await run(chat, batchOf({ participants: ['p', 'q'] }, { guid: '..' }));
    expect(delivered?.sent).toMatchObject({ kind: 'refused', outcome: 'failed', code: 'INVALID_CALL' });
    expect(sandbox.calls.us.requests).toBe(0);
  });

  test('for too many calls makes the queue wait, uses no attempt, and leaves delivery certain', async () => {
    const { chat } = await openService({ faults: 'too-many=1' });
    const first = await run(chat, atLast(batchOf({ participants: ['p'] })));
    expect(first.delivered).toBeUndefined();
    expect(first.thrown).toBeInstanceOf(SlowDown);
    expect(first.thrown).toMatchObject({ waitMs: 1_000 });
    expect(first.payload).toMatchObject({ uncertainty: null, calls: [{ kind: 'slow-down', httpStatus: 429 }] });
    const second = await run(chat, atLast(first.payload));
    expect(second.delivered).toMatchObject({ uncertainty: null, sent: answered, calls: [{}, {}] });
  });
});

describe('a call without a usable answer', () => {
  const kinds = {
    'reset-before': 'CONNECTION_LOST',
    'reset-midway': 'CONNECTION_LOST',
    'reset-after': 'CONNECTION_LOST',
    timeout: 'HEADERS_TIMEOUT',
    unavailable: 'HTTP_503',
    error: 'ERR_OPERATION_FAILED',
    truncated: 'MALFORMED_REPLY',
    'not-json': 'MALFORMED_REPLY',
  };
  /** Only an answer that never comes is waited for briefly. */
  const patience = (fault: string) => () => (fault.startsWith('timeout') ? { timeouts: { headersMs: 200 } } : {});

  test.each(Object.entries(kinds))('(%s) is made again, and says that delivery is uncertain', async (fault, code) => {
    const { sandbox, chat } = await openService({ faults: `${fault}=1` }, patience(fault));
    const first = await run(chat, batchOf({ participants: ['p', 'q'] }));
    expect(first.delivered).toBeUndefined();
    expect(first.thrown).toBeInstanceOf(SendAgain);
    expect(first.payload.calls).toMatchObject([{ kind: 'again', code }]);
    expect(first.payload.uncertainty).toContain(code);
    const second = await run(connect(sandbox), first.payload);
    expect(second.delivered).toMatchObject({
      uncertainty: first.payload.uncertainty,
      calls: [{ code }, { kind: 'answered' }],
    });
  });

  test.each(Object.entries(kinds))('(%s) that was the last one is reported as unanswered', async (fault, code) => {
    const { chat } = await openService({ faults: fault }, patience(fault));
    const { delivered, thrown } = await run(chat, atLast(batchOf({ participants: ['p', 'q'] })));
    expect(thrown).toBeUndefined();
    expect(delivered?.sent).toMatchObject({ kind: 'unanswered', maybeCarriedOut: true, code });
    expect(delivered?.uncertainty).toContain(code);
  });

  test('that could not even begin leaves delivery certain, unless it was uncertain before', async () => {
    const { sandbox, chat } = await openService();
    await sandbox.close();
    const first = await run(chat, batchOf({ participants: ['p'] }));
    expect(first.thrown).toBeInstanceOf(SendAgain);
    expect(first.payload).toMatchObject({ uncertainty: null, calls: [{ code: 'CONNECT_FAILED', httpStatus: null }] });
    const last = await run(chat, atLast(batchOf({ participants: ['p'] })));
    expect(last.delivered).toMatchObject({ uncertainty: null, sent: { kind: 'unanswered', maybeCarriedOut: false } });
    const uncertain = await run(chat, atLast(batchOf({ participants: ['p'] }, { uncertainty: 'older' })));
    expect(uncertain.delivered).toMatchObject({
      uncertainty: 'older',
      sent: { kind: 'unanswered', maybeCarriedOut: true },
    });
  });

  test('was carried out where its repeat finds everyone there, and the rows say so', async () => {
    const { sandbox, chat } = await openService({ faults: 'reset-after=1' });
    const first = await run(chat, batchOf({ admins: ['a'], usersToBan: ['b'] }));
    const { delivered } = await run(chat, first.payload);
    const note = expect.stringContaining('earlier call');
    expect(delivered?.sent).toEqual({
      kind: 'answered',
      missing: [],
      others: [
        { row: 1, outcome: 'already_member', code: 'ERR_ALREADY_JOINED', message: note },
        { row: 2, outcome: 'banned', code: 'ERR_ALREADY_BANNED', message: note },
      ],
    });
    expect(sandbox.members('us', 'g').size).toBe(2);
  });
});

describe('a batch that a worker has begun and never ended', () => {
  test('has an uncertain delivery when it is started again', async () => {
    const { chat } = await openService({ seed: { regions: { us: { members: { g: { participants: ['p'] } } } } } });
    const { delivered } = await run(chat, batchOf({ participants: ['p'] }), { starts: 2 });
    expect(delivered?.uncertainty).toBe('a worker or the queue ended meanwhile');
    expect(delivered?.sent).toMatchObject({
      others: [
        {
          outcome: 'already_member',
          message: expect.stringContaining('ended meanwhile'),
        },
      ],
    });
  });

  test('keeps saying why delivery is uncertain after a call that was not sent', async () => {
    const { chat } = await openService({ faults: 'too-many=1' });
    const first = await run(chat, batchOf({ participants: ['p'] }), { starts: 2 });
    expect(first.payload.uncertainty).toBe('a worker or the queue ended meanwhile');
    const second = await run(chat, first.payload, { starts: 3 });
    expect(second.delivered).toMatchObject({
      uncertainty: 'a worker or the queue ended meanwhile',
      sent: answered,
    });
  });

  test('differs from one that was started again for a call that is known', async () => {
    const { chat } = await openService({ faults: 'too-many=2' });
    const first = await run(chat, batchOf({ participants: ['p'] }), { starts: 1 });
    const second = await run(chat, first.payload, { starts: 2 });
    const third = await run(chat, second.payload, { starts: 3 });
    expect(third.delivered).toMatchObject({ uncertainty: null, sent: answered });
    expect(third.delivered?.calls).toHaveLength(3);
  });
});

describe('a batch that ends its workers', () => {
  test('is sent as long as ten of them may have died with it, and ends without a call after that', async () => {
    const { sandbox, chat } = await openService();
    const tenth = await run(chat, batchOf({ participants: ['p'] }), { starts: 10 });
    expect(tenth.delivered?.sent).toMatchObject(answered);
    const calls = sandbox.calls.us.requests;
    const eleventh = await run(chat, batchOf({ participants: ['q'] }), { starts: 11 });
    expect(eleventh.delivered?.sent).toMatchObject({ kind: 'unanswered', code: 'WORKERS_DIED' });
    expect(sandbox.calls.us.requests).toBe(calls);
  });
});

describe('a process that leaves', () => {
  test('hands nothing back for a call that was in flight, and the batch keeps why its delivery is uncertain', async () => {
    const { sandbox, chat } = await openService({ faults: 'timeout' });
    const leaving = new AbortController();
    const running = run(chat, batchOf({ participants: ['p'] }), { signal: leaving.signal });
    await expect.poll(() => sandbox.calls.us.requests).toBe(1);
    leaving.abort();
    const { delivered, thrown, payload } = await running;
    expect(delivered).toBeUndefined();
    expect(thrown).toMatchObject({ code: 'ABORTED' });
    expect(payload.uncertainty).toBe('the process that sent it was stopped before an answer came');
    expect(payload.calls).toMatchObject([{ code: 'ABORTED', httpStatus: null }]);
  });

  test('leaves a batch as it was when its call had not begun', async () => {
    const { sandbox, chat } = await openService();
    const batch = batchOf({ participants: ['p'] });
    const { delivered, thrown, payload } = await run(chat, batch, { signal: AbortSignal.abort() });
    expect(delivered).toBeUndefined();
    expect(thrown).toMatchObject({ code: 'ABORTED' });
    expect(payload).toEqual({ ...batch, handedBack: 1 });
    expect(sandbox.calls.us.requests).toBe(0);
  });
});

const faults = {
  'while calling': async () => {
    throw new TypeError('undefined is not a function');
  },
  'while reading the answer': async () => ({
    entries: {
      get: () => {
        throw new TypeError('undefined is not a function');
      },
    } as never,
    rate: {},
    httpStatus: 200,
    ms: 1,
  }),
};

describe('a fault of ours', () => {
  test.each(Object.entries(faults))(
    '%s is tried again, and in the end the batch is reported as unanswered',
    async (_, addMembers) => {
      const first = await run({ addMembers }, batchOf({ participants: ['p'] }));
      expect(first.thrown).toBeInstanceOf(SendAgain);
      expect(first.payload.calls).toMatchObject([{ kind: 'again', code: 'WORKER_FAULT' }]);
      const last = await run({ addMembers }, atLast(first.payload));
      expect(last.thrown).toBeUndefined();
      expect(last.delivered?.sent).toEqual({
        kind: 'unanswered',
        maybeCarriedOut: true,
        code: 'WORKER_FAULT',
        message: 'undefined is not a function',
      });
    },
  );
});

test('a fault of ours while an answer is read says that the service answered, and what it said of its limit', async () => {
  const rate = { limit: 600, remaining: 12 };
  const answered = faults['while reading the answer'];
  const told: unknown[] = [];
  const noted: typeof addMembers = {
    ...addMembers,
    process: (job, ports) =>
      addMembers.process(job, {
        ...ports,
        called: ({ kind, code, httpStatus }, said) => told.push([kind, code, httpStatus, said]),
      }),
  };
  await start(noted, { addMembers: async () => ({ ...(await answered()), rate }) }, batchOf({ participants: ['p'] }));
  expect(told).toEqual([['again', 'WORKER_FAULT', 200, rate]]);
});

describe('a call without an answer', () => {
  const silent = async () => (await openService({ faults: 'unavailable' })).chat;
  const at = (time: string, kind: 'again' | 'slow-down' = 'again') =>
    ({ at: Date.parse(`2026-01-10T02:14:${time}Z`), ms: 5, httpStatus: 503, code: 'HTTP_503', kind }) as const;
  const calls = [at('03'), at('04', 'slow-down'), at('09')];

  test('uses no attempt while the service answers no one, not even the last one', async () => {
    const batch = batchOf({ participants: ['p'] }, { calls });
    const { thrown, payload, delivered } = await run(await silent(), atLast(batch), {}, async () => ({ waitMs: 700 }));
    expect(thrown).toMatchObject({ name: 'SlowDown', waitMs: 700 });
    expect(delivered).toBeUndefined();
    expect(payload.calls).toHaveLength(4);
  });

  test('that was the last one says how many there were, since when, and whether others were answered', async () => {
    const batch = batchOf({ participants: ['p'] }, { calls });
    const message = async (answeredAt: number | null) =>
      (await run(await silent(), atLast(batch), {}, async () => ({ answeredAt }))).delivered?.sent;
    expect(await message(Date.now())).toMatchObject({
      kind: 'unanswered',
      code: 'HTTP_503',
      message: expect.stringMatching(
        /^3 calls since 2026-01-10 02:14:03 UTC got no usable answer, while other calls of the region were answered; the last one: HTTP 503/,
      ),
    });
    const unknown = { message: expect.stringMatching(/HTTP 503/) };
    expect(await message(null)).toMatchObject(unknown);
    expect(await message(at('02').at)).toMatchObject(unknown);
  });

  test('because there is no connection does not blame the settings', async () => {
    const { sandbox, chat } = await openService();
    await sandbox.close();
    const { delivered } = await run(chat, atLast(batchOf({ participants: ['p'] })));
    expect(delivered?.sent).toMatchObject({ code: 'CONNECT_FAILED', message: expect.not.stringContaining('app id') });
  });
});

describe('the wait before the next attempt', () => {
  const again = (waitMs: number | undefined, tries: number) =>
    new SendAgain({ code: 'HTTP_503', message: 'later', ...(waitMs !== undefined && { waitMs }) }, tries);
  const attempts = fc.integer({ min: 1, max: 20 });

  test('is never shorter than the service asked for, and else a minute at most', () => {
    fc.assert(
      fc.property(attempts, fc.integer({ min: 0, max: 600_000 }), (made, waitMs) => {
        const wait = addMembers.backoffMs(made, again(waitMs, made));
        expect(wait).toBeGreaterThanOrEqual(waitMs);
        expect(wait).toBeLessThanOrEqual(Math.max(waitMs, 60_000));
        expect(addMembers.backoffMs(made, again(undefined, made))).toBeLessThanOrEqual(60_000);
        expect(addMembers.backoffMs(made, new Error('of another kind'))).toBeLessThanOrEqual(60_000);
      }),
    );
  });
});

describe('the API key', () => {
  test('is in no result, payload or error, even where the service repeats it', async () => {
    const keys: string[] = [];
    const { chat } = await openService({ behaviour: { echoKey: true } }, ({ apps }) => {
      keys.push(apps.us.authOnlyKey);
      return { apiKey: apps.us.authOnlyKey };
    });
    const { delivered } = await run(chat, batchOf({ participants: ['p'] }));
    expect(delivered?.sent).toMatchObject({ message: expect.stringContaining('[redacted]') });
    for (const key of keys) expect(JSON.stringify(delivered)).not.toContain(key);
  });
});

test('a payload of another version, region or list is not taken for a batch', () => {
  const batch = batchOf({ participants: ['p'] });
  const accepts = (changes: object) => addMembers.payload.safeParse({ ...batch, ...changes }).success;
  expect(accepts({})).toBe(true);
  for (const list of MEMBER_LISTS) expect(accepts({ lists: { [list]: [[1, 'p']] } })).toBe(true);
  expect(accepts({ version: 2 })).toBe(false);
  expect(accepts({ region: 'mars' })).toBe(false);
  expect(accepts({ lists: { owners: [[1, 'p']] } })).toBe(false);
});

test('only a refusal for too many calls that names no wait gets one', () => {
  const ports = { untoldWaitMs: () => 7_000 };
  expect(withWait({ kind: 'slow-down' }, ports)).toEqual({ kind: 'slow-down', waitMs: 7_000 });
  expect(withWait({ kind: 'slow-down', waitMs: 5 }, ports)).toEqual({ kind: 'slow-down', waitMs: 5 });
  expect(withWait({ kind: 'again' }, ports)).toEqual({ kind: 'again' });
});

test('an answer shows that the service recovers where it repeats a call without one, not where it comes to the half of one', async () => {
  const { chat } = await openService({ faults: 'unavailable=1' });
  const recovers: (boolean | undefined)[] = [];
  const noted: typeof addMembers = {
    ...addMembers,
    process: (job, ports) =>
      addMembers.process(job, {
        ...ports,
        askBeforeRepeat: 'never',
        called: (_call, _rate, about) => recovers.push(about.recovers),
      }),
  };
  const { payload } = await start(noted, chat, batchOf({ participants: ['p'] }));
  const { standing } = payload;
  if (standing === undefined) throw new Error('it was answered');
  const now = { ...standing, notBefore: undefined };
  await start(noted, chat, { ...payload, standing: { ...now, tries: 0 } });
  await start(noted, chat, { ...payload, standing: now });
  expect(recovers).toEqual([false, false, true]);
});
