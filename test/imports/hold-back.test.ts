import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openImportLedger } from '../../src/imports/record/import-ledger.ts';
import type { TrialChoices } from '../../src/options/sending-options.ts';
import { openChecking } from './check/checking.ts';

const open = () => openChecking({ sandbox: { seed: { users: ['u0', 'u1', 'u2', 'u3'], groups: ['g0', 'g1'] } } });

/** The outcomes when the rows to try first are sent, and when all are. */
async function sent(at: Awaited<ReturnType<typeof open>>, csv: string, atStart: TrialChoices, atResume: TrialChoices) {
  const id = await at.stage(csv, atStart);
  await at.coordinator.resume(id, atResume);
  const { state, code } = await at.coordinator.settled(id);
  const first = at.rows(id).map(({ status }) => status);
  if (state === 'paused') await at.coordinator.resume(id, {});
  await at.coordinator.settled(id);
  const ledger = openImportLedger(at.dir.ledger(id));
  expect(ledger.check()).toMatchObject({ holds: true, difference: '' });
  ledger.close();
  const { writes } = at.summary(id);
  return { state, code, first, all: at.rows(id).map(({ status }) => status), writes };
}

const uid = fc.constantFrom('u0', 'U0', 'u1', 'u2', 'u3', 'bad id', '');
const guid = fc.constantFrom('g0', 'g1');

test('rows to try first that a resume names are those that the import could have named', async () => {
  const at = await open();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(uid, guid), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 8 }),
      async (rows, first) => {
        const csv = `uid,guid\n${rows.map((row) => row.join(',')).join('\n')}\n`;
        const [named, resumed] = [await sent(at, csv, { first }, {}), await sent(at, csv, {}, { first })];
        expect(resumed.first.map(isSent)).toEqual(named.first.map(isSent));
        expect(resumed).toMatchObject({ state: named.state, code: named.code, writes: named.writes });
        expect(resumed.all.map(isSent)).toEqual(named.all.map(isSent));
      },
    ),
    { numRuns: 6 },
  );
});

/** A user who was added by an earlier one is a member already. */
function isSent(status: string | null) {
  return status === 'added' || status === 'already_member' ? 'sent' : status;
}

test('a group that an import names is tried first, and the others wait', async () => {
  const only: TrialChoices['only'] = [{ field: 'guid', is: ['g1'] }];
  const { first, all } = await sent(await open(), 'uid,guid\nu1,g0\nu2,g1\n', { only }, {});
  expect(first).toEqual(['unprocessed', 'added']);
  expect(all).toEqual(['added', 'added']);
});

test('a group that is tried first must be in the file, and nothing is tried first of what has begun', async () => {
  const at = await open();
  const id = await at.stage('uid,guid\nu0,g0\nu1,g1\n', {});
  await expect(at.coordinator.resume(id, { only: [{ field: 'guid', is: ['g7'] }] })).rejects.toMatchObject({
    code: 'WRONG_STATE',
  });
  await at.coordinator.resume(id, { only: [{ field: 'guid', is: ['G1'] }] });
  expect(await at.coordinator.settled(id)).toMatchObject({ state: 'paused', code: 'FIRST_ROWS' });
  expect(at.rows(id).map(({ status }) => status === 'added')).toEqual([false, true]);
  await expect(at.coordinator.resume(id, { first: 1 })).rejects.toMatchObject({ code: 'WRONG_STATE' });
});
