import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GivenSettings } from '../../src/features/schedule/routes/schedule-settings.ts';
import { openScheduleCatalog } from '../../src/features/schedule/schedule-catalog.ts';
import { MEMORY_SCHEMA } from '../../src/features/sync/memory/memory.ts';
import { openForWriting } from '../../src/platform/sqlite.ts';
import { allOver, type Office, openOffice, runEnds } from './scheduling.ts';

const MINUTE_MS = 60_000;

/** Rings every ten minutes and at every due time, from `office.now` to `end`: more often than any queue would. */
async function ringUntil(office: Office, end: string): Promise<void> {
  const runs = office.runs();
  for (; office.now <= Date.parse(end); office.now += 10 * MINUTE_MS) {
    runs.ring();
    runs.ring();
    await allOver(office, runs);
  }
  await runs.stop();
}

describe('a clock moved over the change', () => {
  test('to summer time begins one run each night', async () => {
    const office = openOffice();
    await office.add({ repair: true });
    await ringUntil(office, '2027-03-30T12:00:00Z');
    expect(office.history()).toEqual(
      ['2027-03-27T01:30', '2027-03-28T01:30', '2027-03-29T00:30', '2027-03-30T00:30'].map((due) => ({
        due,
        state: 'ran',
      })),
    );
  });

  test('to winter time begins one run each night', async () => {
    const office = openOffice();
    office.moveTo('2026-10-23T12:00:00Z');
    await office.add({ repair: true });
    await ringUntil(office, '2026-10-27T12:00:00Z');
    expect(office.history()).toEqual(
      ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30'].map((due) => ({
        due,
        state: 'ran',
      })),
    );
  });
});

describe('runs that were missed', () => {
  test('are noted once, with the time at which they were due, and the next one is due as ever', async () => {
    const office = openOffice();
    await office.add();
    office.moveTo('2027-03-30T12:00:00Z');
    const runs = office.runs();
    runs.start();
    runs.start();
    expect(office.history()).toEqual([{ due: '2027-03-27T01:30', state: 'missed' }]);
    expect(office.last()?.reason).toContain('run nightly');
    expect(new Date(office.catalog.get('nightly').nextDue).toISOString()).toBe('2027-03-31T00:30:00.000Z');
    expect(office.syncs.wanted).toEqual([]);
  });

  test('are made up for once where the settings say so', async () => {
    const office = openOffice();
    await office.add({ catchUp: true });
    office.moveTo('2027-03-30T12:00:00Z');
    const runs = office.runs();
    runs.start();
    await allOver(office, runs);
    runs.start();
    runs.ring();
    expect(office.history()).toEqual([{ due: '2027-03-27T01:30', state: 'ran' }]);
  });

  test('are none while the process is only started anew', async () => {
    const office = openOffice();
    await office.add();
    office.moveTo('2027-03-27T01:31:00Z');
    const runs = office.runs();
    runs.start();
    await allOver(office, runs);
    expect(office.history()).toEqual([{ due: '2027-03-27T01:30', state: 'ran' }]);
  });

  test('are none while the schedule is paused', async () => {
    const office = openOffice();
    await office.add();
    office.catalog.setPaused('nightly', true);
    office.moveTo('2027-03-30T12:00:00Z');
    const runs = office.runs();
    runs.start();
    runs.ring();
    office.catalog.setPaused('nightly', false);
    runs.ring();
    expect(office.history()).toEqual([]);
  });

  test('and when it was paused is known afterwards', async () => {
    const office = openOffice();
    await office.add();
    const since = office.now;
    const pauses = () => office.catalog.get('nightly').pauses;
    expect(pauses()).toEqual([]);
    office.catalog.setPaused('nightly', true);
    office.moveTo('2027-03-27T12:00:00Z');
    office.catalog.setPaused('nightly', true);
    expect(pauses()).toEqual([{ since, until: null }]);
    const until = office.now;
    office.catalog.setPaused('nightly', false);
    office.moveTo('2027-03-28T12:00:00Z');
    office.catalog.setPaused('nightly', false);
    expect(pauses()).toEqual([{ since, until }]);
    office.catalog.setPaused('nightly', true);
    expect(pauses()).toEqual([
      { since, until },
      { since: office.now, until: null },
    ]);
    const last = office.now;
    office.moveTo('2027-05-07T12:00:00Z');
    office.catalog.setPaused('nightly', false);
    expect(pauses()).toEqual([{ since: last, until: office.now }]);
  });
});

describe('an edit while it runs', () => {
  test('applies from the next run, which looks at the groups although its file is the same', async () => {
    const office = openOffice();
    await office.add();
    office.syncs.comeTo = undefined;
    const runs = office.runs();
    const begun = Promise.withResolvers<void>();
    runs.events.on('run', ({ syncId }) => syncId !== null && begun.resolve());
    const first = runs.begin('nightly', 'ann');
    await begun.promise;
    await office.edit({ cron: '0 4 * * *', catchUp: true }, 1);
    office.syncs.end(office.syncs.first, 'applied');
    expect(await runEnds(office, runs, first.id)).toMatchObject({ state: 'ran' });
    expect(office.catalog.get('nightly')).toMatchObject({ cron: '0 4 * * *', version: 2, placedHash: null });
    office.syncs.comeTo = 'applied';
    const states = [];
    for (let run = 0; run < 2; run++) states.push((await runEnds(office, runs, runs.begin('nightly', 'ann').id)).state);
    expect(states).toEqual(['ran', 'skipped-unchanged']);
  });

  test('begins the nights that may be missed again only where it changes their times', async () => {
    const office = openOffice();
    await office.add();
    const addedAt = office.now;
    office.moveTo('2027-03-27T12:00:00Z');
    expect(await office.edit({ catchUp: true }, 1)).toMatchObject({ timedAt: addedAt });
    expect(await office.edit({ catchUp: true, tz: 'UTC' }, 2)).toMatchObject({ timedAt: office.now });
  });

  test('to another address forgets the copy of the earlier one, also where that arrives later', async () => {
    const office = openOffice();
    const address = (name: string) => ({
      file: `https://files.example/${name}`,
    });
    const before = await office.add(address('old.csv'));
    await office.edit(address('new.csv'), 1);
    office.catalog.note(before, { copy: { hash: 'of old.csv', version: '"1"' } });
    expect(office.catalog.get('nightly').copy).toBeNull();
    const copy = { hash: 'of new.csv', version: '"2"' };
    office.catalog.note(office.catalog.get('nightly'), { copy });
    expect(office.catalog.get('nightly').copy).toEqual(copy);
  });
});

describe('never two runs of a schedule at a time:', () => {
  test('the second is noted as skipped, and one that someone asks for is refused', async () => {
    const office = openOffice();
    await office.add();
    office.syncs.comeTo = undefined;
    const runs = office.runs();
    office.moveTo('2027-03-27T01:30:00Z');
    runs.ring();
    office.moveTo('2027-03-28T01:30:00Z');
    runs.ring();
    expect(office.history()).toEqual([
      { due: '2027-03-27T01:30', state: 'running' },
      { due: '2027-03-28T01:30', state: 'skipped-running' },
    ]);
    expect(() => runs.begin('nightly', 'ann')).toThrow(
      expect.objectContaining({
        code: 'SCHEDULE_RUNNING',
        facts: expect.objectContaining({ name: 'nightly', dueAt: '2027-03-27T01:30:00.000Z' }),
      }),
    );
  });

  test('a run that a stop interrupted is followed by the next process to its end', async () => {
    const office = openOffice();
    await office.add();
    office.syncs.comeTo = undefined;
    const first = office.runs();
    const begun = Promise.withResolvers<void>();
    first.events.on('run', ({ syncId }) => syncId !== null && begun.resolve());
    const { id } = first.begin('nightly', 'ann');
    await begun.promise;
    await first.stop();
    expect(office.last()?.state).toBe('running');
    const second = office.runs();
    second.start();
    office.syncs.end(office.syncs.first, 'unchanged');
    expect(await runEnds(office, second, id)).toMatchObject({
      state: 'ran',
      reason: expect.stringContaining('unchanged'),
      who: 'ann',
    });
  });

  test('one that waits for a person, and that a run before the start was made in place of, waits no longer', async () => {
    const office = openOffice();
    await office.add();
    office.syncs.comeTo = 'held';
    const first = office.runs();
    await runEnds(office, first, first.begin('nightly', 'ann').id);
    await first.stop();
    expect(office.last()?.state).toBe('waiting');
    office.syncs.comeTo = 'applied';
    const second = office.runs();
    await runEnds(office, second, second.begin('nightly', 'ann').id);
    second.start();
    await second.stop();
    expect(office.history().map(({ state }) => state)).toEqual(['ran', 'ran']);
  });

  test.each([
    [false, ['missed']],
    [true, ['missed', 'ran']],
  ])('one that had no sync yet is missed; made up for: %s', async (catchUp, states) => {
    const office = openOffice();
    await office.add({ catchUp });
    const dueAt = new Date(office.now).toISOString();
    office.catalog.addRun({
      schedule: 'nightly',
      dueAt,
      at: dueAt,
      state: 'running',
      reason: 'getting the file',
      who: '',
    });
    const runs = office.runs();
    runs.start();
    await allOver(office, runs);
    expect(office.history().map(({ state }) => state)).toEqual(states);
  });
});

test('a run at which two processes have died is not made up for a third time', async () => {
  const office = openOffice();
  await office.add({ catchUp: true });
  const dueAt = new Date(office.now).toISOString();
  const interrupted = {
    schedule: 'nightly',
    dueAt,
    at: dueAt,
    state: 'running',
    reason: 'getting the file',
    who: '',
  } as const;
  office.catalog.changeRun(office.catalog.addRun(interrupted).id, {
    state: 'missed',
    reason: 'the process ended before it had a sync',
  });
  office.catalog.addRun(interrupted);
  const runs = office.runs();
  runs.start();
  await allOver(office, runs);
  expect(office.history().map(({ state }) => state)).toEqual(['missed', 'missed']);
  expect(office.catalog.runs('nightly', 1)[0]?.reason).toContain('twice: ');
});

describe('an unchanged file', () => {
  async function nights(office: Office, count: number): Promise<string[]> {
    const runs = office.runs();
    for (let night = 0; night < count; night++) await runEnds(office, runs, runs.begin('nightly', 'ann').id);
    await runs.stop();
    return office.history().map(({ state }) => state);
  }

  test('is noted and skipped, until it changes', async () => {
    const office = openOffice();
    await office.add();
    expect(await nights(office, 2)).toEqual(['ran', 'skipped-unchanged']);
    office.file('members.csv', 'guid,uid\ng1,bob\n');
    expect(await nights(office, 2)).toEqual(['ran', 'skipped-unchanged', 'ran', 'skipped-unchanged']);
    expect(office.syncs.wanted).toHaveLength(2);
  });

  test('is looked at when a file beside it has changed, and not when only the protect file has', async () => {
    const office = openOffice();
    const write = (people: string, teams: string) => ({
      identities: office.file('people.csv', people),
      groups: office.file('teams.csv', teams),
    });
    const [some, others] = ['key,id\n1,one\n', 'key,id\n2,two\n'];
    const protectFile = office.file('protect.txt', 'ann\n');
    await office.add({ ...write(some, others), protectFile });
    const newest = async () => (await nights(office, 2)).slice(-2);
    expect(await newest()).toEqual(['ran', 'skipped-unchanged']);
    for (const [people, teams] of [
      [others, some],
      [others, others],
      [some, others],
    ] as const) {
      write(people, teams);
      expect(await newest()).toEqual(['ran', 'skipped-unchanged']);
    }
    office.file('protect.txt', 'bob\n');
    expect(await newest()).toEqual(['skipped-unchanged', 'skipped-unchanged']);
  });

  test('is looked at where a person has let users back', async () => {
    const office = openOffice();
    await office.add();
    await nights(office, 1);
    const memory = openForWriting(join(office.root, 'memberships.sqlite'), MEMORY_SCHEMA);
    memory.exec(
      `insert into groups values (1, 'nightly', '', 'us', 'g1'); insert into made values (1, 'ann', 3, 0, 1)`,
    );
    memory.close();
    expect(await nights(office, 1)).toEqual(['ran', 'ran']);
    expect(office.syncs.wanted[1]).toMatchObject({ syncName: 'nightly' });
  });

  test('is synced all the same with --repair', async () => {
    const office = openOffice();
    await office.add({ repair: true });
    expect(await nights(office, 2)).toEqual(['ran', 'ran']);
  });

  test.each(['held', 'incomplete', 'planned'] as const)('is synced again when the last sync was %s', async (state) => {
    const office = openOffice();
    await office.add();
    office.syncs.comeTo = state;
    // A held plan waits for a person until the next run is made in its place.
    expect(await nights(office, 2)).toEqual(['ran', state === 'held' ? 'waiting' : 'ran']);
    expect(office.last()?.reason).toContain(`${state}`);
  });
});

test('a run that cannot have its file fails with the reason, and nothing is synced', async () => {
  const office = openOffice();
  const path = office.file('members.csv', 'guid,uid\ng1,ann\n');
  await office.add({ file: `${path}.gone` });
  const runs = office.runs();
  const over = await runEnds(office, runs, runs.begin('nightly', 'ann').id);
  expect(over).toMatchObject({ state: 'failed', syncId: null, reason: expect.stringContaining('members.csv.gone') });
  expect(office.syncs.wanted).toEqual([]);
});

test('a schedule of the sandbox never runs against the service, nor the reverse', async () => {
  const office = openOffice();
  await office.add();
  office.syncs.sendsTo = { sandbox: true };
  const runs = office.runs();
  const over = await runEnds(office, runs, runs.begin('nightly', 'ann').id);
  expect(over).toMatchObject({ state: 'failed', reason: expect.stringContaining('the sandbox') });
});

test('its sync is read, decided and protected as the schedule says, by the protect file of that night', async () => {
  const office = openOffice();
  const protectFile = office.file('protect.txt', 'ann\n');
  await office.add({ protectFile });
  office.file('protect.txt', 'ann\nbob\n');
  const runs = office.runs();
  await runEnds(office, runs, runs.begin('nightly', 'carl').id);
  expect(office.syncs.wanted).toEqual([
    expect.objectContaining({
      schedule: 'nightly',
      who: 'carl',
      apply: true,
      mode: 'add',
      protect: ['ann', 'bob'],
    }),
  ]);
  office.file('protect.txt', '');
  const over = await runEnds(office, runs, runs.begin('nightly', 'carl').id);
  expect(over.state).toBe('skipped-unchanged');
});

describe('what cannot be a schedule is refused, and nothing is written:', () => {
  test.each([
    [{ name: 'Nightly!' }, 'cannot be the name of a schedule'],
    [{ name: 'next' }, 'cannot be the name of a schedule'],
    [{ name: 'look' }, 'cannot be the name of a schedule'],
    [{ name: 'try' }, 'cannot be the name of a schedule'],
    [{ cron: '30 2' }, 'is not a valid cron expression'],
    [{ tz: 'Europe/Roma' }, 'is not a valid time zone'],
    [{ file: 'http://exports.example/m.csv' }, 'allowed are https'],
    [{ headers: { Authorization: 'TOKEN' } }, 'headers are for https addresses'],
    [{ protectFile: '/no/such/file' }, 'the protect file'],
  ])('%j', async ({ name, ...changes }: Partial<GivenSettings> & { name?: string }, says) => {
    const office = openOffice();
    await expect(office.add(changes, name)).rejects.toThrow(says);
    expect(office.catalog.list()).toEqual([]);
  });

  test('a name that is taken', async () => {
    const office = openOffice();
    await office.add();
    await expect(office.add({ cron: '0 4 * * *' })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      facts: expect.objectContaining({ field: 'name' }),
    });
    expect(office.catalog.get('nightly').cron).toBe('30 2 * * *');
  });
});

test('a schedule is kept as it was added, by whoever opens the catalog next', async () => {
  const office = openOffice();
  const added = await office.add({ catchUp: true, repair: true });
  const again = openScheduleCatalog(`${office.root}/catalog.sqlite`);
  expect(again.find('nightly')).toEqual(added);
  again.close();
  await office.catalog.remove('nightly');
  expect(office.history()).toEqual([]);
  expect(() => office.catalog.setPaused('nightly', true)).toThrow(
    expect.objectContaining({ code: 'UNKNOWN_SCHEDULE', facts: { name: 'nightly' } }),
  );
});
