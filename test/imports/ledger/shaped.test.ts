import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IntakeOptions } from '../../../src/imports/read/intake-options.ts';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { openImportReader } from '../../../src/imports/report/import-reader.ts';
import { stageFile } from '../../../src/imports/stage/stage-file.ts';
import type { TrialChoices } from '../../../src/options/sending-options.ts';
import { runs } from '../../runs.ts';
import { tempDir } from '../../temp-dir.ts';
import { ALL_DONE, dispatch, pending, resultOf } from './staged-import.ts';

/** Reads a file as an import does; gives its ledger's path. */
async function staged(
  content: string,
  options: Partial<IntakeOptions>,
  more: { readonly trial?: TrialChoices; readonly identities?: string } = {},
): Promise<string> {
  const folder = tempDir();
  const source = join(folder, 'input');
  const ledger = join(folder, 'ledger.sqlite');
  writeFileSync(source, content);
  if (more.identities !== undefined) writeFileSync(join(folder, 'people.csv'), more.identities);
  await stageFile(
    {
      source,
      name: 'members.csv',
      ledger,
      options: { format: 'auto', map: {}, region: 'us', ...options, ...more.trial },
      ...(more.identities !== undefined && {
        lookups: { identities: { path: join(folder, 'people.csv'), name: 'people.csv' } },
      }),
      signal: new AbortController().signal,
    },
    () => {},
  );
  return ledger;
}

function rowsOf(path: string) {
  const reader = openImportReader(path);
  try {
    return reader.rows().toArray();
  } finally {
    reader.close();
  }
}

const summary = (path: string) =>
  rowsOf(path).map(({ line, value, status, code, uid }) => `${line} ${value} ${status} ${code} ${uid}`);

test('each membership has its row’s text, its value, and one outcome; the sums hold for rows and memberships', async () => {
  const path = await staged('uid,guid,on\nanna,g1;g2,y\nben,g1,y\ncleo,g3,n\n', {
    shape: { split: { guid: ';' }, where: [{ column: 'on', is: ['y'] }] },
  });
  expect(summary(path)).toEqual([
    '2 guid=g1 unprocessed  anna',
    '2 guid=g2 unprocessed  anna',
    '3  unprocessed  ben',
    '4  skipped FILTERED ',
  ]);
  expect(rowsOf(path).map(({ original }) => original)).toEqual([
    '["anna","g1;g2","y"]',
    '["anna","g1;g2","y"]',
    '["ben","g1","y"]',
    '["cleo","g3","n"]',
  ]);
  const ledger = openImportLedger(path);
  for (const batch of dispatch(ledger)) ledger.record([resultOf(batch, ALL_DONE)]);
  expect(ledger.check()).toMatchObject({ holds: true, rows: { read: 4, added: 3, skipped: 1 } });
  ledger.close();
});

test.each([
  ['a membership is lost', 'delete from rows where id = 2', '3 memberships and empty rows were read, 2 are kept'],
  ['a row is lost', `update parts set part = 1 where row_id = 2`, '2 rows of the input were read, 3 are kept'],
  ['a part is lost', `update parts set part = 7 where row_id = 2`, 'lack one of their memberships'],
])('the check at the end finds it when %s', async (_, damage, difference) => {
  const path = await staged('uid,guid\nanna,g1;g2\nben,g1\n', { shape: { split: { guid: ';' } } });
  const database = new DatabaseSync(path);
  database.exec(damage);
  database.close();
  const ledger = openImportLedger(path);
  expect(ledger.check().difference).toContain(difference);
  ledger.close();
});

test('two texts that become one id: no one is added, and each row names the other text', async () => {
  const content = 'email,guid\nanna@a.it,g1\nANNA@a.it,g2\nben@a.it,g1\nanna@b.it,g1\nanna@a.it,g1\n';
  const path = await staged(content, { shape: { templates: { uid: '{email|localpart|lower}' } } });
  expect(summary(path)).toEqual([
    '2  invalid DERIVED_ID_COLLISION anna',
    '3  invalid DERIVED_ID_COLLISION anna',
    '4  unprocessed  ben',
    '5  invalid DERIVED_ID_COLLISION anna',
    '6  invalid DERIVED_ID_COLLISION anna',
  ]);
  const [first, , , other] = rowsOf(path);
  expect(first?.message).toContain('"anna@a.it"');
  expect(other?.message).toContain('"anna@b.it"');
  const ledger = openImportLedger(path);
  expect(pending(ledger).flatMap(({ rows }) => rows.map(({ uid }) => uid))).toEqual(['ben']);
  expect(ledger.check().holds).toBe(true);
  ledger.close();
});

test('a text in other case or in the other form of its letters is the same text, also beyond ASCII', async () => {
  const content = 'name,guid\nMüller,g1\nMÜLLER,g1\nJo\u0308rg,g1\nJÖRG,g1\nMuller,g2\n';
  const statuses = async (text: string) =>
    rowsOf(await staged(text, { shape: { templates: { uid: '{name|slug}' } } })).map(({ status }) => status);
  expect(await statuses(content.replace('Muller,g2\n', ''))).toEqual([
    'unprocessed',
    'duplicate',
    'unprocessed',
    'duplicate',
  ]);
  expect(await statuses(content)).toEqual(['invalid', 'invalid', 'unprocessed', 'duplicate', 'invalid']);
});

test('two names that become one group are held back in the same way', async () => {
  const path = await staged('uid,team\nanna,Team A\nben,team-a\ncleo,Team B\nben,Team A\n', {
    shape: { templates: { guid: '{team|slug}' } },
  });
  expect(rowsOf(path).map(({ status }) => status)).toEqual(['invalid', 'invalid', 'unprocessed', 'invalid']);
});

test('law: a derived id is sent only where one text of the file became it', async () => {
  const mail = fc
    .tuple(fc.constantFrom('a', 'A', 'b', 'c'), fc.constantFrom('x.it', 'X.it', 'y.it'))
    .map((parts) => parts.join('@'));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(mail, fc.constantFrom('g1', 'g2')), { minLength: 1, maxLength: 25 }),
      async (rows) => {
        const content = `email,guid\n${rows.map((row) => row.join(',')).join('\n')}\n`;
        const path = await staged(content, { shape: { templates: { uid: '{email|localpart|lower}' } } });
        const texts = new Map<string, Set<string>>();
        for (const [email] of rows) {
          const id = email.split('@')[0]?.toLowerCase() ?? '';
          texts.set(id, (texts.get(id) ?? new Set()).add(email.toLowerCase()));
        }
        const expected = rows.map(([email]) => (texts.get(email.split('@')[0]?.toLowerCase() ?? '')?.size ?? 0) > 1);
        expect(rowsOf(path).map(({ code }) => code === 'DERIVED_ID_COLLISION')).toEqual(expected);
        const ledger = openImportLedger(path);
        expect(ledger.check().holds).toBe(true);
        ledger.close();
      },
    ),
    { numRuns: runs(100), endOnFailure: true },
  );
});

test('the same membership from two values of a row is a duplicate, and the report names the value', async () => {
  const path = await staged('uid,guid\nanna,g1;g2;G1\n', { shape: { split: { guid: ';' } } });
  expect(rowsOf(path).map(({ status, message }) => [status, message])).toEqual([
    ['unprocessed', ''],
    ['unprocessed', ''],
    ['duplicate', 'the same membership is in row 2 (guid=g1), which asks for participant'],
  ]);
});

test.each<[string, TrialChoices, string[]]>([
  ['the first rows', { first: 2 }, ['anna', 'ben']],
  ['one group', { only: [{ field: 'guid', is: ['G2'] }] }, ['cleo', 'dan']],
  ['the first rows of a group', { first: 1, only: [{ field: 'guid', is: ['g2'] }] }, ['cleo']],
  [
    'the first row of some users, of those that can be sent',
    { first: 1, only: [{ field: 'uid', is: ['anna'] }] },
    ['anna'],
  ],
  ['some users', { only: [{ field: 'uid', is: ['anna', 'dan'] }] }, ['anna', 'dan']],
])('%s are sent first; the others wait, and follow in the same import', async (_, trial, first) => {
  const path = await staged('uid,guid\nanna,\nanna,g1\nben,g1\ncleo,g2\ndan,g2\n', {}, { trial });
  const ledger = openImportLedger(path);
  const uids = () => pending(ledger).flatMap(({ rows }) => rows.map(({ uid }) => uid));
  expect(uids().sort()).toEqual(first);
  for (const batch of dispatch(ledger)) ledger.record([resultOf(batch, ALL_DONE)]);
  expect([ledger.openRegions().size, ledger.laterBatches() > 0]).toEqual([0, true]);
  ledger.releaseLater();
  expect(uids()).toHaveLength(4 - first.length);
  for (const batch of dispatch(ledger)) ledger.record([resultOf(batch, ALL_DONE)]);
  expect(ledger.check()).toMatchObject({ holds: true, rows: { read: 5, added: 4, invalid: 1, unprocessed: 0 } });
  ledger.close();
});

test('what waits is given up with the rest', async () => {
  const path = await staged('uid,guid\nanna,g1\nben,g1\n', {}, { trial: { first: 1 } });
  const ledger = openImportLedger(path);
  ledger.leaveRest('cancelled');
  expect(ledger.check()).toMatchObject({ holds: true, rows: { unprocessed: 2 } });
  ledger.close();
});
