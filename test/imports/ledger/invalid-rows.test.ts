import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openImportReader } from '../../../src/imports/report/import-reader.ts';
import { stageFile } from '../../../src/imports/stage/stage-file.ts';
import { tempDir } from '../../temp-dir.ts';

async function staged(content: string) {
  const root = tempDir();
  const source = join(root, 'members.csv');
  writeFileSync(source, content);
  const ledger = join(root, 'ledger.sqlite');
  const options = { format: 'auto', map: {}, region: 'us' } as const;
  const { signal } = new AbortController();
  await stageFile({ source, name: 'members.csv', options, ledger, signal }, () => {});
  return openImportReader(ledger);
}

test('an invalid row is found by its UID and its GUID, with what could be read of it', async () => {
  const reader = await staged('guid,uid,scope\nteam,ann,boss\nteam,ann,admin\nno good,bob,admin\nteam,,admin\n');
  const found = (filter: { uid?: string; guid?: string }) =>
    reader.rowsPage(filter, 10).rows.map(({ line, status, guid, uid, scope }) => [line, status, guid, uid, scope]);
  expect(found({ uid: 'ANN' })).toEqual([
    [2, 'invalid', 'team', 'ann', 'boss'],
    [3, 'unprocessed', 'team', 'ann', 'admin'],
  ]);
  expect(found({ uid: 'bob' })).toEqual([[4, 'invalid', 'no good', 'bob', 'admin']]);
  expect(found({ guid: 'Team' })).toEqual([
    [2, 'invalid', 'team', 'ann', 'boss'],
    [3, 'unprocessed', 'team', 'ann', 'admin'],
    [5, 'invalid', 'team', '', 'admin'],
  ]);
  reader.close();
});

test('of a long or strange text of an invalid row so much is kept as a person needs', async () => {
  const reader = await staged(`guid,uid\nteam,${'x'.repeat(10_000)}\nteam,a\0b\n`);
  const [long, strange] = reader.rows().toArray();
  expect(long?.uid).toBe('x'.repeat(200));
  expect(strange?.uid).toBe('a\ufffdb');
  reader.close();
});
