import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readProtectFile } from '../../src/features/sync/plan/protect.ts';
import { tempDir } from '../temp-dir.ts';

function file(text: string): string {
  const path = join(tempDir(), 'protect.txt');
  writeFileSync(path, text);
  return path;
}

describe('a protect file', () => {
  test.each([
    ['one UID a line', 'anna\nbob\n', ['anna', 'bob']],
    [
      'comments, blank lines and Windows line ends',
      '\uFEFF# the board\r\n\r\nanna # chair\r\n  bob\r\n',
      ['anna', 'bob'],
    ],
    ['a UID once, however often it stands there', 'anna\nanna\n', ['anna']],
    ['a CSV file with a column for the UID', 'name,User ID\n"Bell, Anna",anna\nBob,bob\n', ['anna', 'bob']],
    [
      'a CSV file with semicolons, other columns and comments',
      '# board\nuid;scope\nanna;owner\n# more\nbob;\n',
      ['anna', 'bob'],
    ],
    ['a CSV file of one column', 'uid\nanna\nbob\n', ['anna', 'bob']],
  ])('may be %s', async (_, text, uids) => {
    expect([...(await readProtectFile(file(text)))]).toEqual(uids);
  });

  test.each([
    ['names nobody', '# to be filled\n\n', /names no UID; write one UID a line, or a CSV file with a column uid$/],
    ['is empty', '', /names no UID/],
    ['has two UIDs in a line', 'anna\nbob, cleo\n', /line 2 is "bob, cleo"; allowed is one UID/],
    ['is a table without a column for the UID', 'name,mail\nAnna,a@b\n', /line 1 is "name,mail"/],
    ['has a row without a UID', 'uid,name\nanna,Anna\n,Bob\n', /line 3: the uid is empty/],
    ['has a row that is cut off', 'uid,name\nanna,Anna\nbob', /line 3: the row has 1 cells and the header 2/],
    ['has only a header', 'uid,name\n', /has no rows/],
  ])('that %s is refused, because it would protect too few', async (_, text, message) => {
    await expect(readProtectFile(file(text))).rejects.toThrow(message);
  });

  test('that is missing is named', async () => {
    const path = join(tempDir(), 'none.txt');
    await expect(readProtectFile(path)).rejects.toMatchObject({ code: 'BAD_PROTECT_FILE' });
  });
});
