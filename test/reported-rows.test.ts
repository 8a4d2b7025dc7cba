import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ReportedRow, readReport, runImport } from '../src/index.ts';
import { tempDir } from './temp-dir.ts';

test('an import from a program ends with its summary, and its report has a row for each membership', async () => {
  const dir = tempDir();
  const file = join(dir, 'members.csv');
  writeFileSync(file, 'uid,guid\nanna,choir;band\nbob,choir\n,band\n');
  const settings = { dataDir: join(dir, 'data'), env: {} };
  const run = await runImport(file, { ...settings, sandbox: true, shape: { split: { guid: ';' } } });
  expect(await run.finished).toMatchObject({ state: 'completed', rows: { read: 4, added: 3, invalid: 1 } });

  const rows: ReportedRow[] = [];
  for await (const row of readReport(run.id, settings)) rows.push(row);
  expect(rows.map(({ _row, _value, _status }) => [_row, _value, _status])).toEqual([
    [2, 'guid=choir', 'added'],
    [2, 'guid=band', 'added'],
    [3, '', 'added'],
    [4, '', 'invalid'],
  ]);
  const [anna] = rows;
  expect(anna?.input).toEqual({ uid: 'anna', guid: 'choir;band' });
  expect(anna?._member_count).toBeGreaterThan(0);
  expect(rows.at(-1)?._member_count).toBeNull();
});
