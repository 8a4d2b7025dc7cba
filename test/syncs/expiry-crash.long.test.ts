import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSandboxPlace } from '../cli/workplace.ts';
import { eventually } from '../imports/pipeline-harness.ts';

const GROUPS = ['team0', 'team1', 'team2'];
const GUESTS = 30;
const LIMITS = ['groupRemovalsPercent', 'regionRemovalsPercent', 'runRemovalsPercent', 'smallTotalRemovals'].flatMap(
  (name) => ['--limit', `${name}=100`],
);

test('kill -9 while an expiry plans and sends, again and again: those who are over are gone in the end, and nobody else', async () => {
  const stay = Array.from({ length: 40 }, (_, n) => `stay${n}`);
  const guests = Array.from({ length: GUESTS }, (_, n) => `guest${n}`);
  const members = Object.fromEntries(GROUPS.map((guid) => [guid, { participants: stay }]));
  const place = await openSandboxPlace({
    users: 'any',
    groups: 0,
    seed: { regions: { us: { members } } },
    latencyMs: [20, 60],
  });
  const rows = GROUPS.flatMap((guid) => guests.map((uid) => `${guid},${uid},2100-01-01`));
  place.file('guests.csv', ['guid,uid,until', ...rows, 'team0,stay0,2100-01-01'].join('\n'));
  expect((await place.run(['import', 'guests.csv'])).code).toBe(0);
  const ends = new DatabaseSync(join(place.dataDir, 'ends.sqlite'));
  ends.exec("update ends set until = 1 where uid <> 'stay0'");
  ends.close();

  const expire = ['expire', '--apply', ...LIMITS];
  const calls = () => place.sandbox.calls.us.requests;
  const gone = () =>
    GROUPS.length * (stay.length + GUESTS) -
    GROUPS.reduce((sum, guid) => sum + place.sandbox.members('us', guid).size, 0);
  const moments: readonly (readonly [() => number, number])[] = [
    [calls, calls() + 2],
    [gone, 1],
    [gone, 20],
    [gone, 60],
  ];
  for (const [count, goal] of moments) {
    const { child, ended } = place.start(expire);
    await Promise.race([eventually(count).toBeGreaterThanOrEqual(goal), ended]);
    expect(child.exitCode, 'it was killed before its end').toBe(null);
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }
  expect((await place.run(expire)).code).toBe(0);
  for (const guid of GROUPS) {
    expect([...place.sandbox.members('us', guid).keys()].toSorted(), guid).toEqual(stay.toSorted());
  }
  expect((await place.run(['expiring'])).stdout.match(/team/g)).toHaveLength(1);
  expect((await place.run(expire)).stderr).toContain('no membership');
});

test('kill -9 between the end of its import and the noting of ends, and between that and its final state: the next start ends it, once', async () => {
  const stay = Array.from({ length: 40 }, (_, n) => `stay${n}`);
  const place = await openSandboxPlace({
    users: 'any',
    groups: 0,
    seed: { regions: { us: { members: { team: { participants: stay } } } } },
  });
  const path = (...names: string[]) => join(place.dataDir, ...names);
  /** Holds a database as another program does; returns what lets it go. */
  const hold = (file: string) => {
    const database = new DatabaseSync(path(file), { timeout: 10_000 });
    database.exec('begin immediate');
    return () => database.close();
  };
  const found = (file: string, query: string) => {
    if (!existsSync(path(file))) return undefined;
    const database = new DatabaseSync(path(file), { readOnly: true });
    try {
      return Object.values(database.prepare(query).get() ?? {})[0];
    } finally {
      database.close();
    }
  };
  const over = () => found('ends.sqlite', 'select count(*) from ends where until = 1');
  const newest = () => String(found('catalog.sqlite', 'select id from syncs order by created_at desc limit 1'));
  const state = (table: 'imports' | 'syncs', id: string) =>
    found('catalog.sqlite', `select state from ${table} where id = '${id}'`);
  const isIndexed = (id: string) =>
    found(join('imports', id, 'ledger.sqlite'), "select 1 from sqlite_schema where name = 'rows_by_uid'") === 1;
  const isPast = (look: () => boolean) => eventually(look).toBe(true);
  /** Guests who are over, and one who is no member. */
  const begin = async (guests: readonly string[]) => {
    place.file('guests.csv', ['guid,uid,until', ...guests.map((uid) => `team,${uid},2100-01-01`)].join('\n'));
    expect((await place.run(['import', 'guests.csv'])).code).toBe(0);
    const ends = new DatabaseSync(path('ends.sqlite'));
    ends.exec(
      "update ends set until = 1 where until > 1; insert or ignore into ends select app, region, guid, 'ghost', 1, by, at from ends limit 1",
    );
    ends.close();
    const before = newest();
    const letGo = hold('ends.sqlite');
    const { child } = place.start(['expire', '--apply', ...LIMITS]);
    await isPast(() => newest() !== before && isIndexed(newest()));
    return { child, id: newest(), letGo };
  };
  const kill = async (child: Awaited<ReturnType<typeof begin>>['child']) => {
    expect(child.exitCode, 'it was killed before its end').toBe(null);
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  const team = () => [...place.sandbox.members('us', 'team').keys()].toSorted();

  const unnoted = await begin(['guest1', 'guest2']);
  await kill(unnoted.child);
  unnoted.letGo();
  expect([team(), over()]).toEqual([stay.toSorted(), 3]);
  expect((await place.run(['sync', 'apply', unnoted.id])).code).toBe(0);
  expect([state('syncs', unnoted.id), over()]).toEqual(['applied', 0]);

  const remembered = await begin(['guest3', 'guest4']);
  let letCatalogGo = hold('catalog.sqlite');
  remembered.letGo();
  await isPast(() => over() === 1);
  const letEndsGo = hold('ends.sqlite');
  letCatalogGo();
  await isPast(() => state('imports', remembered.id) === 'completed');
  letCatalogGo = hold('catalog.sqlite');
  letEndsGo();
  await isPast(() => over() === 0);
  await kill(remembered.child);
  letCatalogGo();
  expect(state('syncs', remembered.id)).toBe('applying');
  expect((await place.run(['expire', '--apply'])).stderr).toContain('no membership');
  expect([state('syncs', remembered.id), team()]).toEqual(['applied', stay.toSorted()]);
});
