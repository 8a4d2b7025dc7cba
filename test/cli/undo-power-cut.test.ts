import { truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { manyMembers, openSandboxPlace, until } from './workplace.ts';

/** Bytes of a frame in the log of SQLite: its header, and a page. */
const FRAME = 24 + 4_096;

test('an import that a power cut has interrupted is taken back whole: what the ledger forgot counts as uncertain', async () => {
  const place = await openSandboxPlace({ users: 'any', groups: 'any', latencyMs: 50 });
  place.file('m.csv', manyMembers(300, 2));
  const { child, ended } = place.start(['import', 'm.csv', '--concurrency', '2']);
  await until(() => place.calls() > 5);
  child.kill('SIGKILL');
  await ended;
  const [{ id = '' } = {}] = JSON.parse((await place.run(['list', '--json'])).stdout) as { id: string }[];
  const log = `${dataDir(place.dataDir).ledger(id)}-wal`;
  truncateSync(log, 32 + 2 * FRAME);

  const resumed = await place.run(['resume', '--json']);
  expect([resumed.code, JSON.parse(resumed.stdout).rows.failed ?? 0]).toEqual([EXIT.ok, 0]);
  const added = () => [0, 1].flatMap((n) => [...place.sandbox.members('us', `g${n}`).keys()]).length;
  expect(added()).toBe(300);
  const undone = await place.run(['undo', id, '--include-uncertain', '--apply']);
  // Its guards know no one who would stay.
  expect(undone.code).toBe(EXIT.stopped);
  const [, sync = ''] = /sync approve (\S+)/.exec(undone.stderr) ?? [];
  expect(await place.run(['sync', 'approve', sync, '--reason', 'a power cut'])).toMatchObject({ code: EXIT.ok });
  expect(added()).toBe(0);
});
