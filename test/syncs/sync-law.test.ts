import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { PlanFlags } from '../../src/api/sync-entry.ts';
import { createChatClient } from '../../src/chat/chat-client.ts';
import { SCOPES } from '../../src/membership/membership.ts';
import type { Place } from '../../src/membership/plan-reasons.ts';
import { rightPlace, wantedIn } from './right-place.ts';
import { syncSettled } from './sync-settled.ts';
import { file, openSyncing, type Syncing } from './syncing.ts';

const UIDS = ['anna', 'bob', 'cleo', 'dan', 'eve'] as const;
const scopes = fc.dictionary(fc.constantFrom(...UIDS), fc.constantFrom(...SCOPES), { noNullPrototype: true });
const someUids = fc.uniqueArray(fc.constantFrom(...UIDS), { maxLength: 1 });
const flags: fc.Arbitrary<PlanFlags> = fc.record({
  mode: fc.constantFrom('add', 'mirror', 'mirror'),
  missing: fc.constantFrom('report', 'remove', 'ban'),
  whose: fc.constant('all'),
  left: fc.constant('re-add'),
  changed: fc.constant('restore'),
  allowDemotion: fc.boolean(),
  allowUnban: fc.boolean(),
  protect: someUids,
  removeNamed: someUids,
});

const FAULTS = 'reset-after=1,unavailable=1,truncated=1';

/** Whatever the guards would say is let through: the law is about what is carried out. */
async function carriedOut(at: Syncing, wanted: string, chosen: PlanFlags) {
  const done = await at.sync(wanted, chosen);
  if (done.state !== 'held') return done;
  at.syncs.approve(done.id, 'tester', 'the law holds for any plan');
  return syncSettled(at.syncs, done.id);
}

test('what a sync has carried out is what the file says within mode and protection, whatever fails on the way; the next one has nothing to do', async () => {
  const at = await openSyncing({});
  const { sandbox } = at;
  const chat = createChatClient({ region: 'us', ...sandbox.apps.us, host: sandbox.host, ca: sandbox.caPem });
  onTestFinished(() => chat.close());
  let runs = 0;
  // The first ones strike while groups are listed, the others while changes are sent.
  at.coordinator.events.on('state', ({ state }) => {
    if (state === 'running') sandbox.faults.set(FAULTS);
  });

  await fc.assert(
    fc.asyncProperty(
      // Several groups a run: they are read and sent side by side, and so are the waits after faults.
      fc.array(fc.record({ now: scopes, want: scopes }), { minLength: 6, maxLength: 8 }),
      flags,
      async (groups, chosen) => {
        runs += 1;
        const before = groups.map(({ now }) => now);
        const wanted = groups.map(({ want }) => want);
        const guids = groups.map((_, nth) => `team-${runs}-${nth}`);
        sandbox.faults.clear();
        for (const [index, guid] of guids.entries()) {
          sandbox.addGroup('us', guid);
          const lists = Object.groupBy(Object.entries(before[index] ?? {}), ([, scope]) => scope);
          const uids = (scope: (typeof SCOPES)[number]) => lists[scope]?.map(([uid]) => uid);
          const named = {
            admins: uids('admin'),
            moderators: uids('moderator'),
            participants: uids('participant'),
            usersToBan: uids('ban'),
          };
          const request = Object.fromEntries(Object.entries(named).filter(([, list]) => list !== undefined));
          if (Object.keys(request).length > 0) await chat.addMembers(guid, request);
        }
        sandbox.faults.set(FAULTS);

        const asked = Object.fromEntries(guids.map((guid, index) => [guid, wanted[index] ?? {}]));
        // A file without rows is not a file of members.
        fc.pre(Object.values(asked).some((group) => Object.keys(group).length > 0));
        const content = file(asked);
        expect((await carriedOut(at, content, chosen)).state).toMatch(/^(applied|unchanged)$/);

        for (const [index, guid] of guids.entries()) {
          const rows = Object.entries(asked[guid] ?? {}).map(([uid, scope]) => ({ guid, uid, scope }));
          const now = before[index] ?? {};
          const right: Record<string, Place> = {};
          for (const uid of UIDS) {
            const place =
              rows.length === 0
                ? (now[uid] ?? '')
                : rightPlace(wantedIn(guid, rows).get(uid), now[uid] ?? '', uid, 'app_system', chosen);
            if (place !== '') right[uid] = place;
          }
          expect(at.members(guid)).toEqual(right);
        }
        const next = await carriedOut(at, content, chosen);
        expect([next.state, at.changes(next.id)]).toEqual(['unchanged', []]);
      },
    ),
    // A run takes seconds: what failed first is shown, not searched for something smaller.
    { numRuns: 3, endOnFailure: true },
  );
});
