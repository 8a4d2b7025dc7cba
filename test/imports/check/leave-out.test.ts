import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkFacts, checkOf } from '../../../src/features/check/check-view.ts';
import { openCatalogReader } from '../../../src/imports/catalog.ts';
import { readOptions } from '../../../src/imports/import-options.ts';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { findFailing, leaveOut } from '../../../src/imports/stage/leave-out.ts';
import { createOptionsOf } from '../../../src/options/create-options.ts';
import { openChecking } from './checking.ts';

type Checking = Awaited<ReturnType<typeof openChecking>>;

/** Groups `g0` to `g2`; users whose name begins with `u` are known. */
const open = (known: readonly string[] = []) =>
  openChecking({ sandbox: { seed: { users: ['u', ...known], groups: ['g0', 'g1', 'g2'] } } });

const staged = async (at: Checking, rows: readonly (readonly [uid: string, guid: string])[], options = {}) =>
  at.stage(`uid,guid\n${rows.map((row) => row.join(',')).join('\n')}\n`, options);

const outcomes = (at: Checking, id: string) => at.rows(id).map(({ status }) => status);

/** The sum holds, and every counter is what the rows say. */
function sums(at: Checking, id: string): void {
  const ledger = openImportLedger(at.dir.ledger(id));
  expect(ledger.check()).toMatchObject({ holds: true, difference: '' });
  ledger.close();
}

const withoutFailing = async (at: Checking, id: string) => {
  await at.coordinator.resume(id, { leaveOutFailing: true });
  return at.coordinator.settled(id);
};

test('rows that would fail are left out with the reason of the check, and all others are sent', async () => {
  const at = await open(['u1', 'u2']);
  const id = await staged(at, [
    ['u1', 'g0'],
    ['ghost', 'g0'],
    ['u2', 'nowhere'],
    ['u2', 'g0'],
    ['bad id', 'g0'],
    ['u2', 'g0'],
  ]);
  await at.check(id);
  expect(await withoutFailing(at, id)).toMatchObject({ state: 'completed' });
  expect(at.rows(id).map(({ status, code }) => [status, code])).toEqual([
    ['added', ''],
    ['skipped', 'LEFT_OUT'],
    ['skipped', 'LEFT_OUT'],
    ['added', ''],
    ['invalid', 'BAD_CHARACTER'],
    ['duplicate', 'DUPLICATE'],
  ]);
  expect(at.rows(id)[1]).toMatchObject({
    message: 'not sent: the check found that the user does not exist (ERR_UID_NOT_FOUND)',
    uid: 'ghost',
    guid: 'g0',
    attempts: 0,
  });
  expect(at.summary(id)).toMatchObject({ calls: 1, writes: { messages: 2, groups: 1 } });
  const catalog = openCatalogReader(at.dir.catalog);
  expect(catalog.transitions(id).map(({ reason }) => reason)).toContainEqual(expect.stringContaining('2 rows'));
  catalog.close();
  sums(at, id);
});

test('when every row would fail, nothing is sent and the import is over', async () => {
  const at = await open();
  const id = await staged(at, [
    ['a', 'g0'],
    ['b', 'nowhere'],
  ]);
  await at.check(id);
  expect(await withoutFailing(at, id)).toMatchObject({ state: 'completed' });
  expect(outcomes(at, id)).toEqual(['skipped', 'skipped']);
  expect(at.summary(id).calls).toBe(0);
  sums(at, id);
});

test('when no row would fail, all are sent', async () => {
  const at = await open(['u1']);
  const id = await staged(at, [['u1', 'g0']]);
  await at.check(id);
  expect(await withoutFailing(at, id)).toMatchObject({ state: 'completed' });
  expect(outcomes(at, id)).toEqual(['added']);
});

test('a group that only failing rows would be sent to is neither looked for nor created', async () => {
  const at = await open(['u1']);
  const create = createOptionsOf({ createGroups: true, groupNameFrom: 'guid', groupOwner: 'nobody' });
  const id = await staged(
    at,
    [
      ['u1', 'g0'],
      ['u1', 'fresh'],
    ],
    { create },
  );
  await at.check(id);
  expect(await withoutFailing(at, id)).toMatchObject({ state: 'completed' });
  expect(outcomes(at, id)).toEqual(['added', 'skipped']);
  expect(at.sandbox.group('us', 'fresh')).toBeUndefined();
});

test('rows that an interrupted start has left out can still be repaired after the import was checked again', async () => {
  const at = await open(['u1']);
  const id = await staged(at, [
    ['u1', 'g0'],
    ['ghost', 'g0'],
  ]);
  await at.check(id);
  const folder = at.dir.folder(id);
  // Its process ends before the import is sent.
  leaveOut({ id, folder, options: readOptions(at.coordinator.find(id)) }, findFailing);
  await at.check(id);
  expect(await checkFacts(checkOf(folder), folder, 'staged', 1)).toMatchObject({
    checkedRows: { canBeSent: 1, wouldFail: 0 },
    refused: 1,
  });
  await at.coordinator.resume(id);
  await at.coordinator.settled(id);
  expect(await checkFacts(checkOf(folder), folder, 'completed', 1)).toMatchObject({ refused: 1 });
});

test('of rows that wait until the first are sent, those that would fail are left out too', async () => {
  const at = await open(['u1', 'u2']);
  const rows = ['u1', 'ghost', 'u2', 'ghost2'].map((uid) => [uid, 'g0'] as const);
  const id = await staged(at, rows, { first: 1 });
  await at.check(id);
  expect(await withoutFailing(at, id)).toMatchObject({ state: 'paused', code: 'FIRST_ROWS' });
  expect(outcomes(at, id)).toEqual(['added', 'skipped', 'unprocessed', 'skipped']);
  await at.coordinator.resume(id);
  expect(await at.coordinator.settled(id)).toMatchObject({ state: 'completed' });
  expect(outcomes(at, id)).toEqual(['added', 'skipped', 'added', 'skipped']);
  sums(at, id);
});

describe('it is refused, and nothing is sent or left out,', () => {
  const refused = async (at: Checking, id: string, changes = {}) => {
    const error = await at.coordinator.resume(id, { leaveOutFailing: true, ...changes }).catch((one: unknown) => one);
    const { message, code } = error as { message: string; code: string };
    return `${code}: ${message.replaceAll(id, 'ID')}`;
  };
  const one = async (at: Checking) => staged(at, [['ghost', 'g0']]);
  const untouched = (at: Checking, id: string) => {
    expect(at.coordinator.find(id).state).toBe('staged');
    expect(outcomes(at, id)).toEqual(['unprocessed']);
  };

  test('without a check', async () => {
    const at = await open();
    const id = await one(at);
    expect(await refused(at, id)).toBe(
      'NO_CHECK_YET: import ID was not checked with the service, so it is not known which rows would fail; nothing was sent; `rollcall check <id>` begins one, or continues it',
    );
    untouched(at, id);
  });

  test('with a check that is not done', async () => {
    const at = await open();
    const id = await one(at);
    await at.check(id, 1);
    expect(await refused(at, id)).toContain('NO_CHECK_YET: import ID has a check that is not done');
    untouched(at, id);
  });

  test('with a check of other options, which are not kept either', async () => {
    const at = await open();
    const id = await one(at);
    await at.check(id);
    const { options } = at.coordinator.find(id);
    expect(await refused(at, id, { createUsers: true, userNameFrom: 'uid' })).toContain(
      'NO_CHECK_YET: import ID has a check that was made with other options',
    );
    expect(at.coordinator.find(id).options).toBe(options);
    untouched(at, id);
  });

  test('of an import that was sent', async () => {
    const at = await open(['u1']);
    const id = await staged(at, [['u1', 'g0']]);
    await at.check(id);
    await at.coordinator.resume(id);
    await at.coordinator.settled(id);
    expect(await refused(at, id)).toContain('WRONG_STATE');
  });
});

const uid = fc.oneof(
  fc.integer({ min: 0, max: 60 }).map((n) => `u${n}`),
  fc.integer({ min: 0, max: 20 }).map((n) => `ghost${n}`),
);
const guid = fc.constantFrom('g0', 'g1', 'g2', 'nowhere');
const KNOWN = Array.from({ length: 61 }, (_, n) => `u${n}`);

test('whatever would fail, every row has one outcome, and no call has more or fewer users than it needs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(uid, guid), { minLength: 1, maxLength: 200 }), async (rows) => {
      const at = await open(KNOWN);
      const id = await staged(at, rows);
      await at.check(id);
      const would = at.found(id).map(({ check }) => check);
      await withoutFailing(at, id);
      expect(outcomes(at, id)).toEqual(
        would.map((check) => ({ fail: 'skipped', duplicate: 'duplicate', add: 'added' })[check ?? '']),
      );
      sums(at, id);
      const sent = at.rows(id).filter(({ status }) => status === 'added');
      const groups = Map.groupBy(sent, (row) => row.guid);
      const calls = [...groups.values()].reduce((sum, { length }) => sum + Math.ceil(length / 25), 0);
      expect(at.summary(id).calls).toBe(calls);
      await at.stop();
      await at.sandbox.close();
    }),
    { numRuns: 8, endOnFailure: true },
  );
});
