import { describe, expect, test } from 'vitest';
import { questionRefused } from '../../jobs/ask-service.ts';
import type { ListEntry, Page } from '../../src/chat/list-client.ts';
import { asFlag } from '../../src/errors/named-options.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import type { GroupPages } from '../../src/imports/ask/group-pages.ts';
import type { ImportOptions } from '../../src/imports/import-options.ts';
import { reasonFor } from '../../src/imports/reason-codes.ts';
import type { ImportLedger } from '../../src/imports/record/import-ledger.ts';
import { createFirstSteps } from '../../src/imports/send/ban-check.ts';
import { createOptions } from '../../src/options/create-options.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { withList } from '../chat/with-list.ts';
import { stagedImport } from './ledger/staged-import.ts';
import { csv, EMBEDDED, openPipeline, type Pipeline, participants, reached } from './pipeline-harness.ts';

/** A group in which `banned` are banned. */
const banning = (banned: readonly string[], more: SandboxOptions = {}): SandboxOptions => ({
  seed: { regions: { us: { members: { team: { usersToBan: [...banned] } } } } },
  ...more,
});

const rowsFor = (uids: readonly string[], guid = 'team') => uids.map((uid) => ({ guid, uid }));

/** Each row's outcome and code; the sums hold. */
function outcomes({ rows, counts, summary }: Pipeline, id: string): string[] {
  const { read, ...others } = counts(id);
  expect(Object.values(others).reduce((sum, n) => sum + n, 0)).toBe(read);
  expect(summary(id).rows).toEqual(counts(id));
  return rows(id).map(({ status, code }) => (code === '' ? status : `${status} ${code}`));
}

const place = EMBEDDED;

test('a row that would add a banned user fails, and the ban stays', async () => {
  const pipeline = await openPipeline({ place, sandbox: banning(['BAD', 'other']) });
  const { id, state } = await pipeline.run(csv(rowsFor(['ann', 'bad', 'bob'])), { bans: 'keep' });
  expect(state).toBe('completed');
  expect(outcomes(pipeline, id)).toEqual(['added', 'failed BANNED', 'added']);
  expect(pipeline.rows(id)[1]?.message).toBe('not sent: the user is banned from this group');
  expect(Object.fromEntries(pipeline.sandbox.members('us', 'team'))).toMatchObject({ bad: 'ban', ann: 'participant' });
  // One call for the rows; who is banned was asked beside it.
  expect(pipeline.calls(id)).toBe(1);
  expect(pipeline.summary(id)).toMatchObject({ calls: 1, banQuestions: 1 });
});

test('with --allow-unban it is added, and the row says that a ban was lifted', async () => {
  const pipeline = await openPipeline({ place, sandbox: banning(['bad']) });
  const { id } = await pipeline.run(csv(rowsFor(['ann', 'bad'])), { bans: 'lift' });
  expect(outcomes(pipeline, id)).toEqual(['added', 'added BAN_LIFTED']);
  expect(pipeline.sandbox.members('us', 'team').get('bad')).toBe('participant');
});

test('a service that refuses to add the banned is believed, whatever was allowed', async () => {
  const sandbox = banning(['bad'], { behaviour: { addingBanned: 'refuse' } });
  const pipeline = await openPipeline({ place, sandbox });
  const { id } = await pipeline.run(csv(rowsFor(['ann', 'bad'])), { bans: 'lift' });
  expect(outcomes(pipeline, id)).toEqual(['added', 'failed ERR_BANNED_GROUPMEMBER']);
});

test('an import of which every row is banned sends nothing and is over', async () => {
  const pipeline = await openPipeline({ place, sandbox: banning(['u1', 'u2']) });
  const { id, state } = await pipeline.run(csv(participants(2, 'team')), { bans: 'keep' });
  expect(state).toBe('completed');
  expect(outcomes(pipeline, id)).toEqual(['failed BANNED', 'failed BANNED']);
  expect(pipeline.calls(id)).toBe(0);
});

test('banned users in the middle of full batches: everyone else is added, and the sum holds', async () => {
  const banned = Array.from({ length: 40 }, (_, n) => `u${n * 3 + 1}`);
  const pipeline = await openPipeline({ place, sandbox: banning(banned) });
  const { id } = await pipeline.run(csv(participants(120, 'team')), { bans: 'keep' });
  expect(pipeline.counts(id)).toMatchObject({ added: 80, failed: 40 });
  expect(outcomes(pipeline, id)).toHaveLength(120);
  const members = [...pipeline.sandbox.members('us', 'team')];
  expect(members.filter(([, scope]) => scope === 'ban').map(([uid]) => uid)).toEqual(banned);
});

test('a row that bans a banned user is sent as it is', async () => {
  const pipeline = await openPipeline({ place, sandbox: banning(['bad']) });
  const { id } = await pipeline.run(csv([{ guid: 'team', uid: 'bad', scope: 'ban' }]), { bans: 'keep' });
  expect(pipeline.rows(id)[0]?.code).not.toBe('BANNED');
  expect(pipeline.sandbox.members('us', 'team').get('bad')).toBe('ban');
});

test('a group that is not there is not asked about: its rows say what the service says', async () => {
  const pipeline = await openPipeline({ place, sandbox: { users: 'any', groups: 0 } });
  const { id } = await pipeline.run(csv(rowsFor(['ann'], 'nowhere')), { bans: 'keep' });
  expect(outcomes(pipeline, id)).toEqual(['failed ERR_GUID_NOT_FOUND']);
});

test('groups that are created are asked as well, and nothing is in the way', async () => {
  const pipeline = await openPipeline({ place, sandbox: { ...banning(['bad']), groups: 0 } });
  const file = csv([...rowsFor(['ann', 'bad']), ...rowsFor(['bad'], 'fresh')]);
  const create = createOptions.parse({ groups: true, groupNameFrom: 'guid' });
  const { id } = await pipeline.run(file, { bans: 'keep', create });
  expect(outcomes(pipeline, id)).toEqual(['added', 'failed BANNED', 'added']);
});

test('too many banned users end an import before anything is sent', async () => {
  const pipeline = await openPipeline({ place, sandbox: banning(['u1', 'u2']) });
  const { id, state } = await pipeline.run(csv(participants(9, 'team')), { bans: 'keep', maxErrors: { rows: 1 } });
  expect(state).toBe('aborted');
  expect(pipeline.counts(id)).toMatchObject({ failed: 2, unprocessed: 7 });
  expect(pipeline.sandbox.members('us', 'team').size).toBe(2);
});

describe('while it is asked who is banned', () => {
  const file = csv(Array.from({ length: 5 }, (_, n) => rowsFor(['bad', 'ann'], n === 0 ? 'team' : `g${n}`)).flat());

  test.each(['pause', 'cancel'] as const)('%s takes effect at once, and nothing was sent', async (act) => {
    let asked = 0;
    const pipeline = await openPipeline({
      place,
      concurrency: 1,
      sandbox: banning(['bad']),
      chat: (service) =>
        withList(service, 'banned', async (page) => {
          asked += 1;
          if (asked === 2) await pipeline.coordinator[act](id);
          return page();
        }),
    });
    const id: string = await pipeline.send(file, { bans: 'keep' });
    await reached(pipeline.coordinator, id, act === 'pause' ? 'paused' : 'cancelled');
    expect(pipeline.sandbox.members('us', 'g1').size).toBe(0);
    if (act === 'cancel') return;
    await pipeline.coordinator.resume(id);
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ added: 9, failed: 1 });
  });

  test('a stop interrupts it, and after a restart the rest is asked and sent', async () => {
    let asked = 0;
    const stopping = Promise.withResolvers<() => Promise<void>>();
    const pipeline = await openPipeline({
      place,
      concurrency: 1,
      sandbox: banning(['bad']),
      chat: (service) =>
        withList(service, 'banned', async (page) => {
          asked += 1;
          if (asked === 2) stopping.resolve(() => pipeline.stop());
          return page();
        }),
    });
    const id = await pipeline.send(file, { bans: 'keep' });
    await (await stopping.promise)();
    await pipeline.restart();
    await pipeline.coordinator.continueAll();
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ added: 9, failed: 1 });
    expect(pipeline.sandbox.members('us', 'team').get('bad')).toBe('ban');
    // Each group is counted once, however often it was interrupted.
    expect(pipeline.summary(id).regions['us']?.banQuestions).toEqual({ asked: 5, of: 5 });
  });

  test.each(['reset-before=1', 'too-many=1', 'error=1,unavailable=1'])('%s: it is asked again', async (faults) => {
    const pipeline = await openPipeline({ place, sandbox: banning(['bad'], { faults }) });
    const { id } = await pipeline.run(file, { bans: 'keep' });
    expect(pipeline.counts(id)).toMatchObject({ added: 9, failed: 1 });
  });
});

test('nobody is banned from a group that is not there', async () => {
  const pipeline = await openPipeline({ place, sandbox: { groups: 0 } });
  const { id, state } = await pipeline.run(csv(rowsFor(['ann'], 'nowhere')), { bans: 'keep' });
  expect(state).toBe('completed');
  expect(outcomes(pipeline, id)).toEqual(['failed ERR_GUID_NOT_FOUND']);
});

describe('a list of banned users that cannot be read whole', () => {
  const many = Array.from({ length: 120 }, (_, n) => `b${n}`);
  const refusal = (httpStatus: number, serviceCode: string | null) => async (): Promise<never> => {
    throw new RollcallError('REFUSED', { httpStatus, serviceCode, serviceMessage: 'This is not for you.', rate: {} });
  };
  type BannedPage = Promise<Page<ListEntry<'banned'>>>;
  const broken: Record<string, (page: () => BannedPage, first: () => BannedPage) => BannedPage> = {
    'that lacks entries': async (page) => {
      const found = await page();
      return { ...found, entries: found.entries.slice(1) };
    },
    'of which the first page comes again and again': (_, first) => first(),
    'that the service does not have': refusal(404, 'ERR_API_NOT_FOUND'),
    'that is not in the plan': refusal(403, 'ERR_PLAN_RESTRICTION'),
    'that something else answers': refusal(404, null),
  };

  test.each(Object.entries(broken))('%s: nothing is sent until a person has decided', async (_, breaks) => {
    let isBroken = true;
    const pipeline = await openPipeline({
      place,
      sandbox: banning(many),
      chat: (service) =>
        withList(service, 'banned', (page, guid) =>
          isBroken ? breaks(page, () => service.listPage('banned', guid, 1)) : page(),
        ),
    });
    const { id, state, code, reason } = await pipeline.run(csv(rowsFor(['b1', 'ann'])), { bans: 'keep' });
    expect([state, code]).toEqual(['blocked', 'BANS_UNKNOWN']);
    expect(reason).toContain('lifts a ban');
    expect(reasonFor(pipeline.coordinator.find(id), asFlag)).toMatch(/[^.]\. Resume to ask again/);
    expect(pipeline.calls(id)).toBe(0);
    isBroken = false;
    await pipeline.coordinator.resume(id);
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(outcomes(pipeline, id)).toEqual(['failed BANNED', 'added']);
  });

  test('because no call gets an answer of the service, stops the region as adding does, and names app id, region and host', async () => {
    const nowhere = refusal(404, null);
    const pipeline = await openPipeline({
      place,
      sandbox: banning(many),
      chat: (service) => ({ ...service, listPage: nowhere, getGroup: nowhere, addMembers: nowhere }),
    });
    const { id, state, code, reason, remedy } = await pipeline.run(csv(rowsFor(['b1', 'ann'])), { bans: 'keep' });
    expect([state, code]).toEqual(['blocked', 'SERVICE_REFUSED']);
    expect(reason).toContain('region and host');
    expect(`${reason} ${remedy}`).not.toContain('banCheck');
    expect(pipeline.calls(id)).toBe(0);
  });

  test('because the region refuses every call: its other groups are neither asked nor looked for', async () => {
    const { ledger } = await stagedImport(Array.from({ length: 1_000 }, (_, n) => ({ guid: `g${n}` })));
    let looks = 0;
    const groupsToAsk = function* () {
      for (const some of ledger.bans.groupsToAsk('us')) {
        looks += 1;
        yield some;
      }
    };
    const refused = {
      kind: 'refused',
      region: true,
      code: 'AUTH_ERR_NO_ACCESS',
      message: 'This key may not.',
    } as const;
    const listPage = async (): Promise<never> => {
      throw questionRefused('us', refused);
    };
    const told: unknown[] = [];
    const steps = createFirstSteps(
      () => ({ listPage }) as Partial<GroupPages> as GroupPages,
      () => false,
    );
    await steps.take(
      'imp-1',
      { regionsUsed: () => ['us'], bans: { ...ledger.bans, groupsToAsk } } as Partial<ImportLedger> as ImportLedger,
      { bans: 'keep' } as ImportOptions,
      { ready: (region) => told.push(region), stopped: (stopped) => told.push(stopped) },
    );
    expect(told).toEqual([{ region: 'us', code: 'AUTH_ERR_NO_ACCESS', message: 'This key may not.' }]);
    expect(looks).toBe(1);
  });

  test('can be left unread when the import is resumed', async () => {
    const pipeline = await openPipeline({
      place,
      sandbox: banning(many),
      chat: (service) => withList(service, 'banned', refusal(404, 'ERR_API_NOT_FOUND')),
    });
    const { id } = await pipeline.run(csv(rowsFor(['b1', 'ann'])), { bans: 'keep' });
    await pipeline.coordinator.resume(id, { banCheck: false });
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(outcomes(pipeline, id)).toEqual(['added', 'added']);
  });
});

test('rows to try first: groups of the others are asked when they are sent', async () => {
  const asked: string[] = [];
  const pipeline = await openPipeline({
    place,
    sandbox: banning(['bad']),
    chat: (service) =>
      withList(service, 'banned', async (page, guid) => {
        asked.push(guid);
        return page();
      }),
  });
  const file = csv([...rowsFor(['ann'], 'club'), ...rowsFor(['bad'])]);
  const { id, state } = await pipeline.run(file, { bans: 'keep', first: 1 });
  expect([state, ...asked]).toEqual(['paused', 'club']);
  await pipeline.coordinator.resume(id);
  await pipeline.coordinator.settled(id);
  expect(asked).toEqual(['club', 'team']);
  expect(outcomes(pipeline, id)).toEqual(['added', 'failed BANNED']);
});
