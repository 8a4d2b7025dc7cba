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
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('two' as const), first: row, second: row }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stage' as const), row }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('join' as const), uid }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), uid }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('night' as const), days: fc.integer({ min: 0, max: 3 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
type Row = typeof row extends fc.Arbitrary<infer One> ? One : never;

/** A sync or an expiry is let through, whatever guards say: the law is about what is carried out. */
async function carriedOut(at: Syncing, id: string) {
  const done = await syncSettled(at.syncs, id);
  if (done.state === 'held') at.syncs.approve(id, 'tester', 'the law holds for any plan');
  expect((await syncSettled(at.syncs, id)).state).toMatch(/^(applied|unchanged)$/);
}

/**
 * Over random orders of imports, also at the same time, staged, paused and resumed, of syncs, hands and nights nobody is removed before
 * the time, nobody whom a later row kept or an import names that is not over, and who is over is gone after the night.
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
    /** The number of the import or sync whose row was the latest for a user. */
    const latest = new Map<string, number>();
    let begun = 0;
    /** Imports that are staged, oldest first. */
    const open: (Row & { id: string; until: number | undefined; number: number })[] = [];
    const untilOf = (one: Row) => (one.days === undefined ? undefined : Date.now() + one.days * DAY_MS);
    const text = (rows: readonly (Row & { until: number | undefined })[]) =>
      [
        'guid,uid,until',
        ...rows.map((one) => `${guid},${one.uid},${one.until === undefined ? '' : new Date(one.until).toISOString()}`),
        '',
      ].join('\n');
    const forget = (gone: string) => {
      ends.delete(gone);
      latest.delete(gone);
    };
    const count = (one: { uid: string; until: number | undefined }, number: number) => {
      members.add(one.uid);
      if ((latest.get(one.uid) ?? 0) > number) return;
      latest.set(one.uid, number);
      if (one.until === undefined) ends.delete(one.uid);
      else ends.set(one.uid, one.until);
    };
    /** No two are begun in the same millisecond. */
    const begin = async (one: Row, start: boolean) => {
      ahead += 1;
      const stated = { ...one, until: untilOf(one) };
      return { ...stated, id: await at.send(text([stated]), {}, { start }), number: ++begun };
    };
    const completed = async (id: string) => expect((await at.coordinator.settled(id)).state).toBe('completed');
    const resume = async (one: (typeof open)[number]) => {
      await at.coordinator.resume(one.id);
      // It may have sent its row already.
      await at.coordinator.pause(one.id).catch(() => {});
      if ((await at.coordinator.settled(one.id)).state === 'paused') await at.coordinator.resume(one.id);
      await completed(one.id);
      count(one, one.number);
    };
    for (const one of steps) {
      if (one.kind === 'import') {
        const sent = await begin(one.row, true);
        await completed(sent.id);
        count(sent, sent.number);
      } else if (one.kind === 'two') {
        const both = [await begin(one.first, true), await begin(one.second, true)];
        for (const { id } of both) await completed(id);
        for (const sent of both) count(sent, sent.number);
      } else if (one.kind === 'stage') {
        const staged = await begin(one.row, false);
        expect((await at.coordinator.settled(staged.id)).state).toBe('staged');
        open.push(staged);
      } else if (one.kind === 'resume') {
        const staged = open.shift();
        if (staged !== undefined) await resume(staged);
      } else if (one.kind === 'sync') {
        ahead += 1;
        const stated = one.rows.map((each) => ({ ...each, until: untilOf(each) }));
        const named = new Set(stated.map((each) => each.uid));
        for (const gone of members.difference(named)) {
          members.delete(gone);
          forget(gone);
        }
        begun += 1;
        for (const each of stated) count(each, begun);
        const source = at.otherFile(text(stated), `${runs}`);
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
          if (members.has(gone) && open.some((staged) => staged.uid === gone)) continue;
          members.delete(gone);
          forget(gone);
        }
      }
      expect(new Set(Object.keys(at.members(guid)))).toEqual(members);
    }
    for (const staged of open) await resume(staged);
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), law), {
    numRuns,
    endOnFailure: true,
  });
}
