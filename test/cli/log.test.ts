import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { logStream } from '../../src/cli/screen/io.ts';
import { createLog } from '../../src/platform/log.ts';
import { openWorkplace } from './workplace.ts';

test('serve logs JSON lines to standard output and to a file; what people read goes to standard error', async () => {
  const place = await openWorkplace({ env: { ROLLCALL_LOG_FILE: 'elsewhere.log' } });
  const server = place.begin(['serve', '--sandbox', '--port', '0']);
  await server.says('Listening on http://');
  server.interrupt('SIGTERM');
  const { stdout, stderr } = await server.ended;
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    msg: expect.stringContaining('on http'),
  });
  expect(stderr).not.toContain('"level"');
  expect(readFileSync(join(place.root, 'elsewhere.log'), 'utf8')).toBe(stdout);
});

test('a level that does not exist is refused with those that do', async () => {
  const place = await openWorkplace();
  const { code, stderr } = await place.run(['serve', '--sandbox', '--log-level', 'loud']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('[BAD_USAGE]')]);
});

test.each([
  [true, false, /^\[\d\d:\d\d:\d\d\] WARN: retry \{"region":"us","batch":7\}\n$/],
  [true, true, /^\[\d\d:\d\d:\d\d\] .\[33mWARN.\[39m: retry /],
  [false, false, /^\{"level":"warn",.*"region":"us","batch":7,"msg":"retry"\}\n$/],
])('on a terminal (%j) a line is for people, perhaps with colours (%j), elsewhere it is JSON', (isTTY, color, line) => {
  const out = Object.assign(new PassThrough(), { isTTY });
  createLog({ stream: logStream({ out, color }) }).warn({ region: 'us', batch: 7 }, 'retry');
  expect(String(out.read())).toMatch(line);
});
