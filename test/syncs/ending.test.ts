import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endingBefore } from '../../src/imports/ends/ends.ts';
import { tempDir } from '../temp-dir.ts';
import { openSyncing, type Syncing } from './syncing.ts';

const DAY_MS = 86_400_000;
const TEAM = { team: { participants: ['there'] } };

/** Imports rows of the columns `guid,uid,until`. Returns the number of rows that are invalid. */
async function imported(at: Syncing, ...rows: string[]) {
  const { id } = await at.run(`guid,uid,until\n${rows.join('\n')}\n`);
  return at.counts(id).invalid;
}

/** All memberships that end, as "uid until". */
function ending({ dir, coordinator }: Pick<Syncing, 'dir' | 'coordinator'>, before = Number.MAX_SAFE_INTEGER) {
  return endingBefore(dir.ends, coordinator.sendsTo, before, 100).map(
    ({ uid, until }) => `${uid} ${new Date(until).toISOString()}`,
  );
}

test('the latest row for a membership says when it ends, or that it does not', async () => {
  const at = await openSyncing(TEAM);
  await imported(at, 'team,anna,2100-03-31', 'team,bob,2100-01-01T12:00+02:00', 'team,there,2100-02-01', 'team,dan,');
  const there = 'there 2100-02-02T00:00:00.000Z';
  expect(ending(at)).toEqual(['bob 2100-01-01T10:00:00.000Z', there, 'anna 2100-04-01T00:00:00.000Z']);
  await imported(at, 'TEAM,ANNA,2100-01-01', 'team,bob,', 'team,cleo,2100-12-31');
  expect(ending(at)).toEqual(['anna 2100-01-02T00:00:00.000Z', there, 'cleo 2101-01-01T00:00:00.000Z']);
  // Of rows of one file for the same membership, the last end counts.
  await imported(at, 'team,there,2100-01-01', 'team,there,2100-06-01', 'team,cleo,2100-01-01', 'team,cleo,');
  expect(ending(at)).toEqual(['anna 2100-01-02T00:00:00.000Z', 'there 2100-06-02T00:00:00.000Z']);
});

test('an end that cannot be read or is over makes a row invalid, and 90d counts from now', async () => {
  const at = await openSyncing(TEAM);
  const began = Date.now();
  expect(await imported(at, 'team,anna,soon', 'team,bob,2020-01-01', 'team,cleo,2100-02-30', 'team,dan,90d')).toBe(3);
  const [dan] = endingBefore(at.dir.ends, at.coordinator.sendsTo, Number.MAX_SAFE_INTEGER, 9);
  expect(dan?.uid).toBe('dan');
  expect(dan?.until).toBeGreaterThanOrEqual(began + 90 * DAY_MS);
  expect(dan?.until).toBeLessThanOrEqual(Date.now() + 90 * DAY_MS);
  expect(endingBefore(join(tempDir(), 'ends.sqlite'), undefined, 0, 9)).toEqual([]);
});
