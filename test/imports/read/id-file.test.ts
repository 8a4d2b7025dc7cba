import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readIdFile } from '../../../src/imports/read/id-file.ts';
import { tempDir } from '../../temp-dir.ts';

test.each([
  ['guid', '# of the school\n\nname,guid\n#general,g1\n"#new, open",g2\n', ['g1', 'g2']],
  ['guid', '# of the school\ng1\n# and\ng2 # the second\n', ['g1', 'g2']],
  ['uid', '# never removed\nuid\nann\n# and the head\nboss\n', ['ann', 'boss']],
  ['uid', '# never removed\nchannel,uid\n#general,ann\nstaff,boss\n', ['ann', 'boss']],
] as const)('the %ss of a file: %j', async (field, text, ids) => {
  const path = join(tempDir(), 'ids.csv');
  writeFileSync(path, text);
  const refused = (what: string) => new Error(what);
  expect([...(await readIdFile({ path, name: 'ids.csv', field, refused }))]).toEqual(ids);
});

test('of a table that cannot be read to its end, the first wrong line is named', async () => {
  const path = join(tempDir(), 'ids.csv');
  writeFileSync(path, 'uid,name\nann,Ann,too many\n"boss,Boss\n');
  const refused = (what: string) => new Error(what);
  await expect(readIdFile({ path, name: 'ids.csv', field: 'uid', refused })).rejects.toThrow(/^line 2\b/);
});
