import { describe, expect, test } from 'vitest';
import {
  ATTEMPTS,
  afterRefusal,
  afterReply,
  type Ended,
  isByEntity,
  LONG_PATIENCE_MS,
  PATIENCE_MS,
  type Unanswered,
} from '../../jobs/batch-policy.ts';
import type { Verdict } from '../../src/chat/error-policy.ts';
import { CALL_ENDED_BY_ENTITY } from '../../src/chat/service/codes.ts';
import type { RowOutcome, Standing } from '../../src/imports/record/batch-result.ts';

const START = 1_000_000;
const SOON = START + 1_000;
const LATE = START + PATIENCE_MS;

function call(standing?: Standing, given: Partial<Ended> = {}): Ended {
  return { standing, at: START, now: SOON, size: 25, asks: true, ...given };
}

const tried = (tries: number, more: Partial<Standing> = {}): Standing => ({ tries, since: START, ...more });

type Kind = Verdict['kind'] | 'in-place';

describe('a call that was refused or not answered', () => {
  test.each<[string, Kind, Ended, Unanswered, string, number?]>([
    ['the service is away', 'again', call(tried(7), { now: LATE }), { waitMs: 5 }, 'wait'],
    ['there were too many calls', 'slow-down', call(), {}, 'wait'],
    ['the key is refused', 'stop-region', call(), {}, 'stop-region'],
    ['it is the first without an answer', 'again', call(), { answeredAt: SOON }, 'again', 1],
    ['others are answered, it is not, four times', 'again', call(tried(3)), { answeredAt: SOON }, 'halve', 0],
    ['others were answered before that only', 'again', call(tried(3)), { answeredAt: START - 1 }, 'again', 4],
    ['it has one user', 'again', call(tried(3), { size: 1 }), { answeredAt: SOON }, 'again', 4],
    [
      'its calls are over, its time is not',
      'again',
      call(tried(ATTEMPTS + 9), { size: 1 }),
      {},
      'again',
      ATTEMPTS + 10,
    ],
    [
      'its time is over, its calls are not',
      'again',
      call(tried(ATTEMPTS - 2), { now: LATE }),
      {},
      'again',
      ATTEMPTS - 1,
    ],
    ['both are over', 'again', call(tried(ATTEMPTS - 1), { now: LATE }), {}, 'end', ATTEMPTS],
    [
      'both are over, and another call was answered at its repeat',
      'again',
      call(tried(ATTEMPTS - 1), { now: LATE }),
      { recoveredAt: START },
      'again',
      ATTEMPTS,
    ],
    [
      'that was before its first call',
      'again',
      call(tried(ATTEMPTS - 1), { now: LATE }),
      { recoveredAt: START - 1 },
      'end',
      ATTEMPTS,
    ],
    [
      'another call was answered at its repeat, long ago',
      'again',
      call(tried(ATTEMPTS - 1), { now: START + LONG_PATIENCE_MS }),
      { recoveredAt: START },
      'end',
      ATTEMPTS,
    ],
    ['its rows are refused', 'final', call(), {}, 'refused'],
    ['one of its rows may be refused', 'halve', call(), {}, 'refused'],
    ['its group is refused', 'group', call(), {}, 'refused'],
    ['it was so already', 'in-place', call(), {}, 'refused'],
  ])('%s', (_, kind, ended, region, step, tries) => {
    const next = afterRefusal({ kind, maybeCarriedOut: kind === 'again', waitMs: 7 }, ended, region);
    expect([next.step, 'standing' in next ? next.standing?.tries : undefined]).toEqual([step, tries]);
  });

  test.each<[string, Ended, string]>([
    ['its group is asked', call(), 'end'],
    ['a repeat tells, where the group cannot be asked', call(undefined, { asks: false }), 'again'],
    ['and where the repeat tells nothing, nothing is known', call(tried(1), { asks: false }), 'end'],
  ])('a refusal that may have been carried out: %s', (_, ended, step) => {
    for (const kind of ['final', 'halve', 'group'] as const)
      expect(afterRefusal({ kind, maybeCarriedOut: true }, ended, {}).step).toBe(step);
  });

  test('an outage of the service leaves a batch as if it had not been tried', () => {
    const next = afterRefusal({ kind: 'again', maybeCarriedOut: true }, call(tried(7)), { waitMs: 5 });
    expect(next).toEqual({ step: 'wait', waitMs: 5, standing: undefined });
  });
});

/** Rows that are sent again, and what is known of them. */
interface Expected {
  missing: number[];
  tries?: number;
  notBefore?: number;
  ended?: string;
}

describe('a reply', () => {
  const others = [{ row: 1, outcome: 'failed' as const, code: 'ERR_UID_NOT_FOUND', message: 'no' }];
  const forNow = { row: 2, outcome: 'failed' as const, code: 'ERR_OPERATION_FAILED', message: 'not now' };
  const unsaid = { row: 3, outcome: 'unconfirmed' as const, code: 'NOT_IN_REPLY', message: 'no reply mentions it' };

  test('that settles every row is the end', () => {
    expect(afterReply({ others, unsaid: [] }, call())).toEqual({ others, missing: [] });
  });

  test.each<[string, RowOutcome[], RowOutcome[], Ended, Expected]>([
    ['refuses a user for now', [forNow], [], call(), { missing: [2], tries: 1, notBefore: SOON + 1_000 }],
    ['says nothing of a user', [], [unsaid], call(), { missing: [3], tries: 1, notBefore: SOON }],
    [
      'does both',
      [forNow],
      [unsaid],
      call(tried(1, { unsaid: 1 })),
      { missing: [2, 3], tries: 2, notBefore: SOON + 2_000 },
    ],
    [
      'says nothing twice',
      [],
      [unsaid],
      call(tried(1, { unsaid: 1 })),
      { missing: [3], tries: 2, ended: 'NOT_IN_REPLY' },
    ],
    [
      'says nothing twice, and no one can be asked',
      [],
      [unsaid],
      call(tried(1, { unsaid: 1 }), { asks: false }),
      { missing: [] },
    ],
    ['refuses a user for now once too often', [forNow], [], call(tried(7), { now: LATE }), { missing: [] }],
  ])('that %s', (_, refused, left, ended, { missing, tries, notBefore, ended: code }) => {
    const {
      others: settled,
      missing: rest,
      again,
    } = afterReply({ others: [...others, ...refused], unsaid: left }, ended, 1);
    const { standing } = again ?? {};
    expect([rest, standing?.tries, standing?.notBefore, standing?.ended?.code]).toEqual([
      missing,
      tries,
      notBefore,
      code,
    ]);
    // No row gets lost, and none has two outcomes.
    expect([...settled.map(({ row }) => row), ...rest].sort()).toEqual([
      1,
      ...[...refused, ...left].map(({ row }) => row),
    ]);
  });
});

test('one entity may be why a call ended, but an outage may say the same after the first', () => {
  const standings = [undefined, tried(0), tried(1)];
  expect(standings.map((standing) => isByEntity(standing, CALL_ENDED_BY_ENTITY))).toEqual([false, false, true]);
  expect(isByEntity(tried(1), 'ERR_OTHER')).toBe(false);
});
