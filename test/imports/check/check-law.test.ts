import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Verdict } from '../../../src/membership/check-words.ts';
import type { Outcome } from '../../../src/membership/outcome.ts';
import { createOptionsOf } from '../../../src/options/create-options.ts';
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

const MEMBER = new Set(['admin', 'moderator', 'participant']);

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

test('what a check says of a row is what the import then comes to', async () => {
  await fc.assert(
    fc.asyncProperty(users, members, rows, fc.boolean(), creates, async (known, groups, wanted, listBanned, create) => {
      const seed = {
        users: known,
        regions: {
          us: {
            members: Object.fromEntries(
              Object.entries(groups).map(([name, people]) => {
                const of = (which: string) => people.filter(([, one]) => one === which).map(([one]) => one);
                const [admins, moderators] = [of('admins'), of('moderators')];
                return [name, { admins, moderators, participants: of('participants'), usersToBan: of('usersToBan') }];
              }),
            ),
          },
        },
      };
      const at = await openChecking({ sandbox: { seed, behaviour: { listBanned } } });
      const id = await at.stage(
        `uid,guid,scope\n${wanted.map((row) => row.join(',')).join('\n')}\n`,
        create === undefined ? {} : { create },
      );
      expect(await at.check(id)).toMatchObject({ state: 'done' });
      const found = at.found(id);
      await at.coordinator.resume(id);
      expect((await at.coordinator.settled(id)).state).toBe('completed');
      const came = at.rows(id).map(({ status }) => status);
      // Whether such a row is sent before its user is created is known to nobody, and that is what the check says.
      const said = found.map(({ check, code, now = '' }, row) => {
        if (code === 'NEW_USER') return came[row];
        // The service lists deactivated members as members, and that is what they are when they are active again.
        if (code === 'REACTIVATE_USER' && MEMBER.has(now)) return 'already_member';
        return COMES_TO[check as Verdict];
      });
      expect(came).toEqual(said);
      await at.stop();
      await at.sandbox.close();
    }),
    { numRuns: 6, endOnFailure: true },
  );
});
