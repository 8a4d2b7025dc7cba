import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
  expect(failed.stderr).toContain(`resume ${id}`);
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

test('an import at which the process died too often has failed: it does not wait, and can be ended', async () => {
  const place = await openSandboxPlace({ users: 'any', groups: 'any' });
  place.file('m.csv', manyMembers(60, 2));
  await place.run(['import', 'm.csv', '--dry-run']);
  using catalog = new DatabaseSync(join(place.dataDir, 'catalog.sqlite'));
  catalog.exec(`update imports set state = 'failed', code = 'PROCESS_DIED', reason = 'rollcall ended'`);
  const { stderr } = await place.run(['status']);
  expect(stderr).toContain('Failed: rollcall ended. [PROCESS_DIED]');
  expect(stderr).toContain('rollcall cancel');
});

test.each(['gone', 'empty'])(
  'an import whose ledger is %s is failed, whatever is asked of it, and says what can still be done',
  async (how) => {
    const place = await openSandboxPlace({ users: 'any', groups: 'any' });
    place.file('m.csv', manyMembers(60, 2));
    await place.run(['import', 'm.csv', '--first', '10']);
    const [id = ''] = readdirSync(join(place.dataDir, 'imports'));
    const folder = join(place.dataDir, 'imports', id);
    for (const file of readdirSync(folder)) if (file.startsWith('ledger')) rmSync(join(folder, file));
    if (how === 'empty') writeFileSync(join(folder, 'ledger.sqlite'), '');
    const left = readdirSync(folder);
    for (const command of [['status'], ['undo', id], ['resume'], ['undo', id], ['report'], ['resume']]) {
      const { code, stderr } = await place.run(command);
      expect([command, code]).toEqual([command, EXIT.fatal]);
      expect(stderr).toContain('[LEDGER_MISSING]');
    }
    const { findings } = JSON.parse((await place.run(['doctor', '--json'])).stdout);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'imports', ok: false, detail: expect.stringContaining('LEDGER_MISSING') }),
    );
    const status = await place.run(['status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: 'failed', code: 'LEDGER_MISSING' });
    expect(readdirSync(folder)).toEqual(left);
    expect((await place.run(['cancel'])).code).toBe(EXIT.ok);
  },
);

test('an import whose ledger is damaged in the middle fails as DAMAGED_LEDGER, and is not told to resume', async () => {
  const place = await openSandboxPlace({ users: 'any', groups: 'any' });
  place.file('m.csv', manyMembers(6_000, 40));
  await place.run(['import', 'm.csv', '--first', '10']);
  const [id = ''] = readdirSync(join(place.dataDir, 'imports'));
  const path = join(place.dataDir, 'imports', id, 'ledger.sqlite');
  const bytes = readFileSync(path);
  // The first page stays whole, so that it opens.
  bytes.fill(0x5a, 8_192);
  writeFileSync(path, bytes);
  const resumed = await place.run(['resume']);
  expect(resumed.code).toBe(EXIT.fatal);
  expect(resumed.stderr).toContain('[DAMAGED_LEDGER]');
  const status = await place.run(['status', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ state: 'failed', code: 'DAMAGED_LEDGER' });
  expect((await place.run(['status'])).stdout).not.toContain(`resume ${id}`);
});

test('an import that failed while it was sent, and whose ledger is gone then, is not read and sent again', async () => {
  const place = await openSandboxPlace({ users: 'any', groups: 'any' });
  place.file('m.csv', manyMembers(60, 2));
  await place.run(['import', 'm.csv', '--dry-run']);
  const [id = ''] = readdirSync(join(place.dataDir, 'imports'));
  const folder = join(place.dataDir, 'imports', id);
  mkdirSync(join(folder, 'report.csv.part'));
  expect((await place.run(['cancel'])).code).toBe(EXIT.fatal);
  for (const file of readdirSync(folder)) if (file.startsWith('ledger')) rmSync(join(folder, file));
  const resumed = await place.run(['resume']);
  expect([resumed.code, resumed.stderr]).toEqual([EXIT.fatal, expect.stringContaining('[LEDGER_MISSING]')]);
  expect(place.sandbox.members('us', 'g0').size).toBe(0);
});
