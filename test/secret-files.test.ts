import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../src/platform/config.ts';
import { tempDir } from './temp-dir.ts';

const SECRET = 'f00dfacef00dface';

test.each([
  ['ROLLCALL_QUEUE', 'queue', `redis://:${SECRET}@queue.internal`],
  ['ROLLCALL_TOKEN', 'token', `rct_${SECRET}`],
  ['ROLLCALL_NOTIFY', 'notify', `https://hooks.example/${SECRET}`],
  ['ROLLCALL_NOTIFY_SECRET', 'notifySecret', SECRET],
] as const)('%s may be in a file that %s_FILE names, as containers mount secrets', (name, key, value) => {
  const folder = tempDir();
  writeFileSync(join(folder, 'mounted'), `${value}\n`);
  writeFileSync(join(folder, 'empty'), ' \n');
  const read = (env: Record<string, string>) => readConfig({}, env, folder)[key];
  expect(read({ [`${name}_FILE`]: 'mounted' })).toBe(value);
  expect(() => read({ [`${name}_FILE`]: 'mounted', [name]: value })).toThrow(
    `${name} and ${name}_FILE are both set: keep one`,
  );
  expect(() => read({ [`${name}_FILE`]: 'empty' })).toThrow(`${name}_FILE names empty, which is empty`);
  expect(() => read({ [`${name}_FILE`]: 'nowhere' })).toThrow(`${name}_FILE names`);
});

test('what a file of secrets contains is in no message', () => {
  const folder = tempDir();
  writeFileSync(join(folder, 'mounted'), `two words ${SECRET}`);
  const read = () => readConfig({}, { ROLLCALL_TOKEN_FILE: 'mounted' }, folder);
  expect(read).toThrow('ROLLCALL_TOKEN_FILE holds a blank');
  expect(read).not.toThrow(SECRET);
});
