import fc from 'fast-check';
import { expect, onTestFinished, vi } from 'vitest';
import { createChatClient } from '../../src/chat/chat-client.ts';
import { syncSettled } from './sync-settled.ts';
import { openSyncing, type Syncing } from './syncing.ts';

const DAY_MS = 86_400_000;
const UIDS = ['anna', 'bob', 'cleo', 'dan'] as const;
const uid = fc.constantFrom(...UIDS);
/** Days from now; undefined: it does not end. */
const days = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
const row = fc.record({ uid, days });

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('import' as const), row }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('sync' as const),
      rows: fc.uniqueArray(row, { selector: (one) => one.uid, minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('join' as const), uid }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), uid }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('night' as const), days: fc.integer({ min: 0, max: 3 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A sync or an expiry is let through, whatever guards say: the law is about what is carried out. */
async function carriedOut(at: Syncing, id: string) {
  const done = await syncSettled(at.syncs, id);
  if (done.state === 'held') at.syncs.approve(id, 'tester', 'the law holds for any plan');
  expect((await syncSettled(at.syncs, id)).state).toMatch(/^(applied|unchanged)$/);
}

/**
 * Over random orders of imports, syncs, hands and nights nobody is removed before the time, nobody whom a later row kept, and who is
 * over is gone after the night.
 */
export async function expiryLaw(numRuns: number): Promise<void> {
  const at = await openSyncing({});
  const { sandbox } = at;
  const chat = createChatClient({ region: 'us', ...sandbox.apps.us, host: sandbox.host, ca: sandbox.caPem });
  onTestFinished(() => chat.close());
  const real = Date.now;
  let ahead = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + ahead);
  onTestFinished(() => clock.mockRestore());
  let runs = 0;

  const law = async (steps: readonly Step[]) => {
    runs += 1;
    const guid = `team-${runs}`;
    sandbox.addGroup('us', guid);
    const members = new Set<string>();
    const ends = new Map<string, number>();
    const file = (rows: readonly { uid: string; days: number | undefined }[]) => {
      const lines = rows.map((one) => {
        members.add(one.uid);
        if (one.days === undefined) {
          ends.delete(one.uid);
          return `${guid},${one.uid},`;
        }
        const until = Date.now() + one.days * DAY_MS;
        ends.set(one.uid, until);
        return `${guid},${one.uid},${new Date(until).toISOString()}`;
      });
      return ['guid,uid,until', ...lines, ''].join('\n');
    };
    for (const one of steps) {
      if (one.kind === 'import') expect((await at.run(file([one.row]))).state).toBe('completed');
      else if (one.kind === 'sync') {
        const named = new Set(one.rows.map((each) => each.uid));
        for (const gone of members.difference(named)) {
          members.delete(gone);
          ends.delete(gone);
        }
        const source = at.otherFile(file(one.rows), `${runs}`);
        const flags = { mode: 'mirror', missing: 'remove' } as const;
        await carriedOut(at, await at.syncs.create(at.request('', flags, { source })));
      } else if (one.kind === 'join') {
        await chat.addMembers(guid, { participants: [one.uid] });
        members.add(one.uid);
      } else if (one.kind === 'leave') {
        if (members.delete(one.uid)) await chat.removeMember(guid, one.uid);
      } else {
        ahead += one.days * DAY_MS;
        const over = [...ends].filter(([, until]) => until <= Date.now());
        if (over.length > 0) await carriedOut(at, await at.syncs.expire({ apply: true, who: 'tester' }));
        for (const [gone] of over) {
          members.delete(gone);
          ends.delete(gone);
        }
      }
      expect(new Set(Object.keys(at.members(guid)))).toEqual(members);
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), law), {
    numRuns,
    endOnFailure: true,
  });
}
