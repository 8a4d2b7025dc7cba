import { appendFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { openWorkplace } from './workplace.ts';

test('a foreign role column is ignored with --map scope=, for the file and for its retry', async () => {
  const place = await openWorkplace();
  const file = place.file('enrollments.csv', 'course,user,role\nc1,u1,teacher\nc1,u2,student\n');
  const unknown = await place.run(['import', file, '--map', 'guid=course', '--dry-run']);
  expect(unknown.stdout + unknown.stderr).toMatch(/import the\s+file\s+again\s+with\s+--map\s+scope=/);
  // Every row is invalid: there is nothing that resume could send, and it is not offered as if there were.
  expect(unknown.stderr).toContain('rollcall report');
  expect(unknown.stderr).toMatch(/without sending:\s+rollcall cancel/);
  const { code, summary } = await place.summary(['import', file, '--map', 'guid=course,scope=', '--dry-run']);
  expect([code, summary.rows.invalid]).toEqual([EXIT.ok, 0]);
});

test('a bound is raised with --bound, and one that cannot be is refused with what can', async () => {
  const place = await openWorkplace();
  const file = place.file('wide.csv', `uid,guid${',x'.repeat(1_500)}\nu,g${',1'.repeat(1_500)}\n`);
  const refused = await place.run(['import', file, '--dry-run']);
  expect(refused.code).toBe(EXIT.usage);
  expect(refused.stderr).toContain('1502');
  expect(refused.stderr).toContain('--bound columns=4000');
  expect((await place.run(['import', file, '--dry-run', '--bound', 'columns=4000'])).code).toBe(EXIT.ok);
  const wrong = await place.run(['import', file, '--dry-run', '--bound', 'columns=99999']);
  expect([wrong.code, wrong.stderr]).toEqual([EXIT.usage, expect.stringContaining('16384')]);
});

test('resume says when the file has changed since it was checked', async () => {
  const place = await openWorkplace();
  const file = place.file('m.csv', 'uid,guid\nu1,g1\n');
  expect((await place.run(['import', file, '--dry-run', '--sandbox', '--wait-for-quiet', '1s'])).code).toBe(EXIT.ok);
  appendFileSync(join(place.root, file), 'u2,g1\n');
  const { code, stdout, stderr } = await place.run(['resume', '--sandbox']);
  expect(stderr).toContain('m.csv');
  expect([code, stdout]).toEqual([EXIT.ok, expect.stringContaining('1 row')]);
});

test('a file behind a loop of links is not said to be missing', async () => {
  const place = await openWorkplace();
  symlinkSync('b.csv', join(place.root, 'a.csv'));
  symlinkSync('a.csv', join(place.root, 'b.csv'));
  for (const command of ['import', 'sync']) {
    const { code, stderr } = await place.run([command, 'a.csv', '--sandbox']);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('ELOOP')]);
  }
});
