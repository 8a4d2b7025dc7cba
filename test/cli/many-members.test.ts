import { expect, test } from 'vitest';
import { members, openSandboxPlace } from './workplace.ts';

const uids = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
const oneLine = (text: string) => text.replace(/\s+/g, ' ');

test('a check, a plan and an import say which groups grow beyond 300 members, and refuse nothing for it', async () => {
  const seed = {
    users: uids('new', 10),
    regions: {
      us: {
        members: {
          crossing: { participants: uids('a', 295) },
          large: { participants: uids('b', 301) },
          small: { participants: uids('c', 5) },
        },
      },
    },
  };
  const place = await openSandboxPlace({ seed });
  const rows = ['crossing', 'large', 'small'].flatMap((group) => uids('new', 10).map((uid) => [group, uid] as const));
  const file = place.file('m.csv', members(rows));
  const note = (grows: string) =>
    `1 group ${grows} beyond 300 members, "crossing" to 305: the service does not update the conversations and unread counts of larger groups.`;

  const checked = await place.run(['import', file, '--check']);
  expect([checked.code, oneLine(checked.stdout)]).toEqual([0, expect.stringContaining(note('would grow'))]);
  const planned = await place.run(['sync', file]);
  expect([planned.code, oneLine(planned.stdout)]).toEqual([0, expect.stringContaining(note('would grow'))]);
  const imported = await place.run(['import', file]);
  expect([imported.code, oneLine(imported.stdout)]).toEqual([0, expect.stringContaining(note('grew'))]);
  const again = await place.run(['import', file]);
  expect(again.stdout).not.toContain('beyond 300');
});
