import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog, openLog } from '../src/platform/log.ts';
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

test('a log that has become large is set aside, and the oldest of those goes', () => {
  const folder = tempDir();
  const log = createLog({ file: join(folder, 'rollcall.log'), maxBytes: 2_000 });
  for (let number = 0; number < 200; number += 1) log.info({ number }, 'one of many');
  const files = readdirSync(folder).sort();
  expect(files).toEqual(['rollcall.log', 'rollcall.log.1', 'rollcall.log.2', 'rollcall.log.3']);
  const lines = files
    .toReversed()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line).number as number);
  for (const name of files) {
    expect(statSync(join(folder, name)).size, name).toBeLessThanOrEqual(2_000);
    expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
  }
  expect(lines).toEqual(Array.from({ length: lines.length }, (_, at) => 200 - lines.length + at));
  expect(lines.length).toBeGreaterThan(20);
});

test('a log that cannot be set aside goes on, and stops nothing', () => {
  const folder = tempDir();
  const file = join(folder, 'rollcall.log');
  writeFileSync(`${file}.2`, '');
  mkdirSync(`${file}.3`);
  const log = createLog({ file, maxBytes: 2_000 });
  for (let number = 0; number < 200; number += 1) log.info({ number }, 'one of many');
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(200);
});

test('an error with a text of megabytes is written with the beginning of it', () => {
  const folder = tempDir();
  const error = Object.assign(new Error('x'.repeat(1_000_000)), { code: 'ODD' });
  openLog(folder).error({ err: error }, 'a request failed');
  const text = readFileSync(join(folder, 'rollcall.log'), 'utf8');
  expect(text.length).toBeLessThan(20_000);
  expect(JSON.parse(text).err).toMatchObject({ code: 'ODD', message: expect.stringMatching(/^x+…$/) });
});

test('a full disk ends no process: the lines wait for the next one', () => {
  const log = createLog({ file: '/dev/full' });
  for (let number = 0; number < 3; number += 1) expect(() => log.error({ number }, 'a line')).not.toThrow();
});
