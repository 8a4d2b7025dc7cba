import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ImportOptions } from '../../../src/imports/import-options.ts';
import type { Verdict } from '../../../src/membership/check-words.ts';
import type { Outcome } from '../../../src/membership/outcome.ts';
import { createOptionsOf } from '../../../src/options/create-options.ts';
import { type Behaviour, SWITCHES } from '../../../src/sandbox/behaviour.ts';
import type { SeedDocument } from '../../../src/sandbox/seed.ts';
import { openChecking } from './checking.ts';

/** The outcome of a row's import, by the verdict of the check. */
const COMES_TO: Readonly<Record<Verdict, Outcome | undefined>> = {
  add: 'added',
  create: 'added',
  change: 'changed',
  remove: 'removed',
  unban: 'unbanned',
  nothing_to_do: undefined,
  skipped: 'skipped',
  lifts_ban: 'added',
  ban: 'banned',
  already_member: 'already_member',
  already_banned: 'banned',
  other_scope: 'already_member',
  fail: 'failed',
  invalid: 'invalid',
  duplicate: 'duplicate',
  not_checked: undefined,
};

const uid = fc.integer({ min: 0, max: 30 }).map((n) => `u${n}`);
const guid = fc.integer({ min: 0, max: 8 }).map((n) => `g${n}`);
const list = fc.constantFrom('admins', 'moderators', 'participants', 'usersToBan');
const scope = fc.constantFrom('admin', 'moderator', 'participant', 'ban', 'nonsense');
const users = fc.uniqueArray(fc.record({ uid, deactivated: fc.boolean() }), {
  selector: (user) => user.uid,
  maxLength: 25,
});
const members = fc.dictionary(guid, fc.uniqueArray(fc.tuple(uid, list), { selector: ([one]) => one, maxLength: 10 }), {
  maxKeys: 7,
  noNullPrototype: true,
});
const rows = fc.array(fc.tuple(uid, guid, scope), { minLength: 40, maxLength: 150 });

/** Nothing, or any of users, groups and reactivation. */
const creates = fc
  .record({ users: fc.boolean(), groups: fc.boolean(), reactivate: fc.boolean() })
  .map(({ users, groups, reactivate }) =>
    users || groups || reactivate
      ? createOptionsOf({
          createUsers: users,
          createGroups: groups,
          reactivate,
          userNameFrom: 'uid',
          groupNameFrom: 'guid',
          maxCreate: { users: { count: 1000 }, groups: { count: 1000 } },
        })
      : undefined,
  );

const MEMBER = new Set(['admin', 'moderator', 'participant']);

/** Groups with their members, for the seed of a sandbox. */
function membersOf(groups: Readonly<Record<string, readonly (readonly [uid: string, list: string])[]>>) {
  return Object.fromEntries(
    Object.entries(groups).map(([name, people]) => {
      const of = (which: string) => people.filter(([, one]) => one === which).map(([one]) => one);
      const [admins, moderators] = [of('admins'), of('moderators')];
      return [name, { admins, moderators, participants: of('participants'), usersToBan: of('usersToBan') }];
    }),
  );
}

interface World {
  readonly seed: SeedDocument;
  readonly header: string;
  readonly rows: readonly (readonly string[])[];
  readonly options: Partial<ImportOptions>;
  readonly behaviour: Partial<Behaviour>;
}

/** Checks a file, imports it, and compares: what the check says of a row is what the import then comes to. */
async function expectForetold({ seed, header, rows, options, behaviour }: World): Promise<void> {
  const at = await openChecking({ sandbox: { seed, behaviour } });
  const id = await at.stage(`${header}\n${rows.map((row) => row.join(',')).join('\n')}\n`, options);
  expect(await at.check(id)).toMatchObject({ state: 'done' });
  const found = at.found(id);
  await at.coordinator.resume(id);
  expect((await at.coordinator.settled(id)).state).toBe('completed');
  const came = at
    .rows(id)
    .map(({ status, code }, row) => `${rows[row]}: ${status}${status === 'failed' ? ` ${code}` : ''}`);
  const said = found.map(({ check, code, now = '' }, row) => {
    // Whether such a row is sent before its user is created is known to nobody, and that is what the check says.
    if (check === 'not_checked' || check === 'nothing_to_do') return came[row];
    // The service lists deactivated members as members, and that is what they are when they are active again.
    if (code === 'REACTIVATE_USER' && MEMBER.has(now)) return `${rows[row]}: already_member`;
    // A change says so too where there was nothing to change.
    const outcome =
      check === 'already_member' && rows[row]?.at(-1) === 'change' ? 'changed' : COMES_TO[check as Verdict];
    if (outcome !== 'failed') return `${rows[row]}: ${outcome}`;
    return came[row]?.includes(': failed ') ? came[row] : `${rows[row]}: failed ${code}`;
  });
  expect(came).toEqual(said);
  await at.stop();
  await at.sandbox.close();
}

test('what a check says of a row is what the import then comes to', async () => {
  await fc.assert(
    fc.asyncProperty(users, members, rows, fc.boolean(), creates, (known, groups, wanted, listBanned, create) =>
      expectForetold({
        seed: { users: known, regions: { us: { members: membersOf(groups) } } },
        header: 'uid,guid,scope',
        rows: wanted,
        options: create === undefined ? {} : { create },
        behaviour: { listBanned },
      }),
    ),
    { numRuns: 6, endOnFailure: true },
  );
});

describe('with acting users', () => {
  const someone = fc.integer({ min: 0, max: 9 }).map((n) => `u${n}`);
  const places = fc.uniqueArray(fc.tuple(someone, list), { selector: ([one]) => one, maxLength: 7 });
  const group = fc.record({
    guid: fc.integer({ min: 0, max: 6 }).map((n) => `g${n}`),
    type: fc.constantFrom('public', 'public', 'private', 'password'),
    owner: fc.option(someone, { nil: undefined }),
    places,
  });
  const groups = fc.uniqueArray(group, { selector: ({ guid: name }) => name, minLength: 3, maxLength: 6 });
  const row = fc.tuple(
    someone,
    fc.integer({ min: 0, max: 6 }).map((n) => `g${n}`),
    fc.constantFrom('admin', 'moderator', 'participant', 'participant', 'ban'),
    fc.oneof(fc.constant(''), { arbitrary: someone, weight: 4 }),
    fc.constantFrom('add', 'add', 'add', 'add', 'change', 'remove', 'unban'),
  );
  /** Every position of the switches that decide what an acting user may do, and who shows up as banned. */
  const positions = <Name extends keyof Behaviour>(name: Name) => {
    const values: unknown = SWITCHES[name];
    return fc.constantFrom(...(values as readonly Behaviour[Name][]));
  };
  const behaviour = fc.record({
    moderatorsAdd: positions('moderatorsAdd'),
    moderatorsChange: positions('moderatorsChange'),
    selfActions: positions('selfActions'),
    clearance: positions('clearance'),
    listBanned: positions('listBanned'),
  });
  const known = fc.uniqueArray(fc.record({ uid: someone, deactivated: fc.constantFrom(false, false, false, true) }), {
    selector: (user) => user.uid,
    minLength: 6,
  });

  test('a new group is not foretold if a row of another group makes its owner active again, perhaps before', async () => {
    const at = await openChecking({
      sandbox: {
        seed: {
          users: [{ uid: 'u2', deactivated: true }],
          groups: [{ guid: 'g4', type: 'public' }],
          regions: { us: { members: { g4: {} } } },
        },
      },
    });
    const create = createOptionsOf({ createGroups: true, reactivate: true, groupNameFrom: 'guid' });
    const text = 'uid,guid,scope,on_behalf_of\nu2,g4,participant,\nu2,g3,moderator,u2\n';
    const id = await at.stage(text, create && { create });
    await at.check(id);
    expect(at.found(id).map(({ check, code }) => `${check} ${code}`)).toEqual([
      'create REACTIVATE_USER',
      'not_checked NEW_USER',
    ]);
    await at.stop();
    await at.sandbox.close();
  });

  test('the same holds, whatever the service lets them do', async () => {
    await fc.assert(
      fc.asyncProperty(
        known,
        groups,
        fc.array(row, { minLength: 60, maxLength: 120 }),
        behaviour,
        creates,
        fc.boolean(),
        (...world) => {
          const [people, there, wanted, switches, create, keepsBans] = world;
          const entries = there.map(({ guid: name, owner, places: of }) => {
            const { [name]: lists = {} } = membersOf({ [name]: of });
            return [name, owner === undefined ? lists : { ...lists, owner }] as const;
          });
          return expectForetold({
            seed: {
              users: people,
              groups: there.map(({ guid: name, type }) => ({ guid: name, type }) as const),
              regions: { us: { members: Object.fromEntries(entries) } },
            } as SeedDocument,
            header: 'uid,guid,scope,on_behalf_of,action',
            rows: wanted.map(([one, name, as, acting, action]) => [
              ...[one, name, action === 'remove' || action === 'unban' ? '' : as, acting, action],
            ]),
            options: {
              shape: { actions: { column: 'action' } },
              ...(create !== undefined && { create }),
              ...(keepsBans && { bans: 'keep' as const }),
            } as Partial<ImportOptions>,
            behaviour: switches,
          });
        },
      ),
      { numRuns: 12, endOnFailure: true },
    );
  });
});
