import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSyncing } from '../syncs/syncing.ts';
import { openExport } from './exporting.ts';

const id = fc.stringMatching(/^[a-z0-9_-]{1,12}$/);
const member = fc.record({
  uid: id,
  list: fc.constantFrom('admins', 'moderators', 'participants', 'usersToBan'),
});
const group = fc.record({
  members: fc.uniqueArray(member, { selector: ({ uid }) => uid, maxLength: 12 }),
  owner: fc.option(id, { nil: undefined }),
});
const state = fc.dictionary(id, group, { minKeys: 8, maxKeys: 30, size: 'max', noNullPrototype: true });

test('what an export wrote changes nothing when a mirror sync reads it, and an import finds everyone there', async () => {
  await fc.assert(
    fc.asyncProperty(
      state,
      fc.constantFrom('csv', 'ndjson'),
      fc.boolean(),
      fc.constantFrom('right', 'absent', 'odd', 'sample'),
      async (groups, format, listBanned, pagination) => {
        const seed = Object.fromEntries(
          Object.entries(groups).map(([guid, { members, owner }]) => {
            const list = (name: string) => members.filter((one) => one.list === name).map(({ uid }) => uid);
            const lists = {
              admins: list('admins'),
              moderators: list('moderators'),
              participants: list('participants'),
              usersToBan: list('usersToBan'),
            };
            return [guid, { ...lists, ...(owner !== undefined && { owner }) }];
          }),
        );
        const syncing = await openSyncing(seed, { behaviour: { listBanned, pagination } });
        const exporting = openExport(syncing);
        expect(await exporting.run()).toBeUndefined();
        const everybody = () => Object.fromEntries(Object.keys(groups).map((guid) => [guid, syncing.members(guid)]));
        const before = everybody();
        const rows = Object.values(before).reduce((sum, members) => sum + Object.keys(members).length, 0);
        expect(exporting.members()).toHaveLength(rows);
        const text = exporting.text('members', format);
        if (rows > 0) {
          const flags = { mode: 'mirror', missing: 'remove', allowDemotion: true, allowUnban: true } as const;
          expect(await syncing.sync(text, flags)).toMatchObject({ state: 'unchanged' });
          const { id: imported } = await syncing.run(text);
          const { read, already_member: members, banned } = syncing.counts(imported);
          expect([read, members + banned]).toEqual([rows, rows]);
        }
        expect(everybody()).toEqual(before);
        await syncing.stop();
        await syncing.sandbox.close();
      },
    ),
    { numRuns: 4, endOnFailure: true },
  );
});
