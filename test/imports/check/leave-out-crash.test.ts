import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { readOptions } from '../../../src/imports/import-options.ts';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { totalsOf } from '../../../src/imports/report/summarize.ts';
import { findFailing, leaveOut } from '../../../src/imports/stage/leave-out.ts';
import { tempDir } from '../../temp-dir.ts';
import { openChecking } from './checking.ts';

/** Returns the state of an import's ledger: its rows left out, and those that would be sent. */
function stateOf(folder: string) {
  const ledger = openImportLedger(join(folder, 'ledger.sqlite'));
  const { holds, difference, rows } = ledger.check();
  const batches = ledger
    .toSend('us', ledger.pendingBatches('us', 1_000))
    .map((batch) => batch.rows.map(({ uid }) => uid));
  const writes = totalsOf(ledger.counters(), true).writes;
  ledger.close();
  expect([holds, difference]).toEqual([true, '']);
  return { leftOut: rows.skipped, batches, writes };
}

test('a process that is killed while it leaves rows out has left out all or none, and the next one ends alike', async () => {
  const known = Array.from({ length: 60 }, (_, n) => `u${n}`);
  const at = await openChecking({ sandbox: { seed: { users: known, groups: ['team'] } } });
  // Every third row would fail.
  const rows = Array.from({ length: 90 }, (_, n) => (n % 3 === 0 ? `ghost${n}` : `u${n % 60}`));
  const id = await at.stage(`uid,guid\n${rows.map((uid) => `${uid},team`).join('\n')}\n`);
  await at.check(id);
  const folder = at.dir.folder(id);
  const checked = { id, folder, options: readOptions(at.coordinator.find(id)) };
  await at.stop();
  const before = stateOf(folder);

  // The files as they are before each statement are what a process leaves that is killed there.
  const killed: string[] = [];
  const root = tempDir();
  const keep = (): void => {
    const copy = join(root, String(killed.length));
    cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith('-shm') });
    killed.push(copy);
  };
  for (const method of ['prepare', 'exec'] as const) {
    const real = DatabaseSync.prototype[method];
    vi.spyOn(DatabaseSync.prototype, method).mockImplementation(function (this: DatabaseSync, sql: string) {
      keep();
      return real.call(this, sql) as never;
    });
  }
  const leftOut = leaveOut(checked, findFailing);
  vi.restoreAllMocks();
  keep();

  const after = stateOf(folder);
  expect([before.leftOut, leftOut, after.leftOut]).toEqual([0, 30, 30]);
  expect(after.batches.map(({ length }) => length)).toEqual([25, 15]);
  expect(after.writes).toEqual({ messages: 40, groups: 1 });
  const found = killed.map((copy) => stateOf(copy));
  for (const state of found) expect([before, after]).toContainEqual(state);
  // From one to the other, once.
  expect(found.filter((state, at) => at > 0 && state.leftOut !== found[at - 1]?.leftOut)).toHaveLength(1);
  expect(killed.length).toBeGreaterThan(25);
  for (const [at, copy] of killed.entries()) {
    expect(leaveOut({ ...checked, folder: copy }, findFailing)).toBe(30 - (found[at]?.leftOut ?? 0));
    expect(stateOf(copy)).toEqual(after);
  }
});
