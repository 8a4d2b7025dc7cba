import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '../src/log.ts';
import { tempDir } from './temp-dir.ts';

const SECRET = 'f00dfacef00dface';

test('writes one line of JSON for each event, readable by its owner alone', () => {
  const folder = join(tempDir(), 'data');
  openLog(folder).info({ import: 'id-1', state: 'running' }, 'import');
  const path = join(folder, 'rollcall.log');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ import: 'id-1', state: 'running', msg: 'import' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each(['apiKey', 'apikey', 'key', 'secret', 'token', 'authorization'])('never writes a property %s', (name) => {
  const folder = tempDir();
  openLog(folder).warn({ [name]: SECRET, app: { [name]: SECRET }, apps: { us: { [name]: SECRET } } }, 'a warning');
  const text = readFileSync(join(folder, 'rollcall.log'), 'utf8');
  expect(text).toContain('a warning');
  expect(text).not.toContain(SECRET);
});
