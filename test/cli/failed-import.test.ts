import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importSummary } from '../../src/api/import-summary.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { manyMembers, openSandboxPlace } from './workplace.ts';

test('an import that fails says with which code, and is looked at, resumed and cancelled; cancel never hangs', async () => {
  const place = await openSandboxPlace({ users: 'any', groups: 'any' });
  place.file('m.csv', manyMembers(60, 2));
  await place.run(['import', 'm.csv', '--dry-run']);
  const [id = ''] = readdirSync(join(place.dataDir, 'imports'));
  const obstacle = join(place.dataDir, 'imports', id, 'report.csv.part');
  mkdirSync(obstacle);

  const failed = await place.run(['cancel']);
  expect([failed.code, failed.stderr]).toEqual([EXIT.fatal, expect.stringContaining('Failed: CLOSING_FAILED: ')]);
  expect(failed.stderr).toContain(`rollcall resume ${id}`);
  const status = await place.run(['status', '--json']);
  expect(importSummary.parse(JSON.parse(status.stdout))).toMatchObject({ state: 'failed', code: 'CLOSING_FAILED' });
  expect((await place.run(['report'])).stdout.trim().split('\n')).toHaveLength(61);

  rmSync(obstacle, { recursive: true });
  const cancelled = await place.run(['cancel', '--json']);
  expect(cancelled.code).toBe(EXIT.ok);
  expect(importSummary.parse(JSON.parse(cancelled.stdout))).toMatchObject({
    state: 'cancelled',
    rows: { read: 60, unprocessed: 60 },
  });
});
