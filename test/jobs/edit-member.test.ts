import { describe, expect, test } from 'vitest';
import { type EditMemberPayload, editMember } from '../../jobs/edit-member.ts';
import type { BatchPorts } from '../../jobs/send-batch.ts';
import { SendAgain } from '../../jobs/service-call.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import type { Sent } from '../../src/imports/record/batch-result.ts';
import type { JobRun } from '../../src/queue/job-definition.ts';
import { atLast, openService, type Service, start } from './add-members-run.ts';

/** A group with one of each, and users outside. */
const team = (faults = ''): Promise<Service> =>
  openService({
    users: 0,
    faults,
    seed: {
      users: ['out'],
      regions: {
        us: { members: { g: { owner: 'boss', admins: ['ann'], participants: ['pat'], usersToBan: ['bad'] } } },
      },
    },
  });

const change = (uid: string, scope: 'moderator' | 'participant' = 'moderator') =>
  edit(uid, { action: 'change', scope });
const remove = (uid: string, guid?: string) => edit(uid, { action: 'remove' }, guid);

function edit(uid: string, asked: EditMemberPayload['edit'], guid = 'g'): EditMemberPayload {
  return editMember.payload.parse({
    version: 1,
    importId: 'imp-1',
    replyTo: null,
    batch: 7,
    region: 'us',
    guid,
    onBehalfOf: '',
    uncertainty: null,
    row: 3,
    uid,
    edit: asked,
    calls: [],
    handedBack: 0,
  });
}

/** Outcome, code and message of the row. */
function outcomeOf(sent: Sent | undefined): readonly string[] {
  if (sent?.kind === 'answered') {
    const [row] = sent.others;
    return row === undefined || sent.others.length > 1 ? [] : [row.outcome, row.code, row.message];
  }
  return sent?.kind === 'refused' ? [sent.outcome, sent.code] : [sent?.kind ?? 'nothing'];
}

test('a change gives the member its scope, a removal makes it none, and each is one call', async () => {
  const { chat, sandbox } = await team();
  const changed = await start(editMember, chat, change('Pat'));
  expect(outcomeOf(changed.delivered?.sent)).toEqual(['changed', '', '']);
  const removed = await start(editMember, chat, remove('ann'));
  expect(outcomeOf(removed.delivered?.sent)).toEqual(['removed', '', '']);
  expect(Object.fromEntries(sandbox.members('us', 'g'))).toEqual({ boss: 'admin', pat: 'moderator', bad: 'ban' });
  expect(sandbox.calls.us.requests).toBe(2);
});

describe('what is so already', () => {
  test('is the outcome that was asked for, with a note, and its call counts as answered', async () => {
    const { chat } = await team();
    const { delivered } = await start(editMember, chat, change('pat', 'participant'));
    const [outcome, code, message] = outcomeOf(delivered?.sent);
    expect([outcome, code]).toEqual(['changed', 'ERR_SAME_SCOPE']);
    expect(message).toContain('before (');
    expect(delivered?.calls).toMatchObject([{ kind: 'answered', code: '' }]);
    const gone = await start(editMember, chat, remove('out'));
    expect(outcomeOf(gone.delivered?.sent).slice(0, 2)).toEqual(['removed', 'ERR_NOT_A_MEMBER']);
    expect(outcomeOf(gone.delivered?.sent)[2]).toContain('no member (');
  });

  test.each([
    ['change', change('pat')],
    ['removal', remove('pat')],
  ])('may be so by an earlier call that got no answer: the %s says it', async (_, batch) => {
    const { chat } = await team('reset-after=1');
    const first = await start(editMember, chat, batch);
    expect(first.thrown).toBeInstanceOf(SendAgain);
    const { delivered } = await start(editMember, chat, first.payload);
    expect(outcomeOf(delivered?.sent)[2]).toContain('earlier call');
    expect(delivered?.calls).toHaveLength(2);
  });
});

test.each([
  ['a change of a user who is not a member: the plan is stale', change('out'), 'ERR_NOT_A_MEMBER'],
  ['a change of a user who is banned', change('bad'), 'ERR_BANNED_GROUPMEMBER'],
  ['a removal of the owner', remove('boss'), 'ERR_GROUP_NO_CLEARANCE'],
  ['a removal of somebody whom the service does not know', remove('nobody'), 'ERR_UID_NOT_FOUND'],
])('%s fails with the code', async (_, batch, code) => {
  const { chat } = await team();
  const { delivered } = await start(editMember, chat, batch);
  expect(outcomeOf(delivered?.sent)).toEqual(['failed', code]);
});

test('a group that is not there is an error of the group, not of the member', async () => {
  const { chat } = await team();
  const { delivered } = await start(editMember, chat, remove('pat', 'nowhere'));
  expect(delivered?.sent).toMatchObject({ kind: 'group', code: 'ERR_GUID_NOT_FOUND' });
});

test('a removal that never gets an answer is unanswered after the last attempt, not done', async () => {
  const { chat } = await team('unavailable');
  const { delivered } = await start(editMember, chat, atLast(remove('pat')));
  expect(delivered?.sent).toMatchObject({ kind: 'unanswered', maybeCarriedOut: true });
});

const asking = {
  ...editMember,
  process: (job: JobRun<EditMemberPayload>, ports: BatchPorts) =>
    editMember.process(job, { ...ports, askBeforeRepeat: 'auto' }),
};

describe('an edit whose reply is an error with status 200 is settled by asking its group', () => {
  const unban = (uid: string) => edit(uid, { action: 'unban' });

  test.each([
    ['a change that was carried out', change('pat'), true, 'changed'],
    ['a change that was not', change('pat'), false, 'failed'],
    ['a removal that was carried out', remove('pat'), true, 'removed'],
    ['a removal that was not', remove('pat'), false, 'failed'],
    ['an unban that was carried out', unban('bad'), true, 'unbanned'],
    ['an unban that was not', unban('bad'), false, 'failed'],
  ])('%s', async (_, batch, carriedOut, outcome) => {
    const { chat } = await team();
    let edits = 0;
    const unclear =
      <Given extends readonly unknown[]>(call: (...given: Given) => Promise<unknown>) =>
      async (...given: Given): Promise<never> => {
        edits += 1;
        if (carriedOut) await call(...given);
        throw new RollcallError('REFUSED', {
          httpStatus: 200,
          serviceCode: 'ERR_ODD',
          serviceMessage: 'odd',
          rate: {},
          doubtful: true,
        });
      };
    const { changeScope, removeMember, unbanMember } = chat;
    const odd = {
      ...chat,
      changeScope: unclear(changeScope),
      removeMember: unclear(removeMember),
      unbanMember: unclear(unbanMember),
    };
    let run = await start(asking, odd, carriedOut ? batch : atLast(batch));
    for (let starts = 2; run.delivered === undefined && starts < 9; starts += 1) {
      run = await start(asking, odd, run.payload, { starts });
    }
    expect([outcomeOf(run.delivered?.sent)[0], edits]).toEqual([outcome, 1]);
  });
});

test('an edit without an answer whose group cannot be asked either may have been carried out', async () => {
  const { chat } = await team('unavailable');
  let run = await start(asking, chat, atLast(remove('pat')));
  for (let starts = 2; run.delivered === undefined && starts < 20; starts += 1) {
    run = await start(asking, chat, run.payload, { starts, isLastAttempt: true });
  }
  expect(run.delivered?.sent).toMatchObject({ kind: 'unanswered', maybeCarriedOut: true });
});

test('so may one whose group is asked no more: its last worker asked first, and this one never does', async () => {
  const { chat, sandbox } = await team();
  const ended = { code: 'BODY_TIMEOUT', message: 'no reply in time' };
  const batch = {
    ...remove('pat'),
    uncertainty: 'an earlier call got no usable answer',
    standing: { tries: 8, since: 0, ended },
  };
  const { delivered } = await start(editMember, chat, batch);
  expect(delivered?.sent).toEqual({ kind: 'unanswered', maybeCarriedOut: true, ...ended });
  expect(sandbox.calls.us.requests).toBe(0);
});

test('a group that is too long to be read says nothing of a user who is not on its first pages: the call is repeated', async () => {
  const { chat, sandbox } = await team();
  const meta = { httpStatus: 200, ms: 1, rate: {} };
  const long = {
    ...chat,
    listPage: async () => ({ entries: [{ uid: 'ann', scope: 'admin' }], pagination: { totalPages: 11 }, ...meta }),
    getMembership: async () => ({ scope: null, isKnown: false, ...meta }),
  } as unknown as BatchPorts['chat'];
  let run = await start(asking, long, { ...remove('pat'), uncertainty: 'the process that sent it ended' });
  for (let starts = 2; run.delivered === undefined && starts < 9; starts += 1) {
    run = await start(asking, long, run.payload, { starts });
  }
  expect(outcomeOf(run.delivered?.sent)).toEqual(['removed', '', '']);
  expect(sandbox.members('us', 'g').has('pat')).toBe(false);
});
