import { expect, onTestFinished, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { startTestServer } from '../server/test-server.ts';
import { openSandboxPlace } from './workplace.ts';

const CUT = 'guid,uid,scope\ng,ann,admin\ng,be';

test('a last row that breaks off says that the input may be cut', async () => {
  const place = await openSandboxPlace();
  const { code, stdout } = await place.run(['import', '-'], { input: CUT });
  expect(code).toBe(EXIT.rowsFailed);
  expect(stdout.replace(/\s+/g, ' ')).toContain('cut off');
});

test('nothing is said of a last row that is complete, or has a line end', async () => {
  const place = await openSandboxPlace();
  const complete = await place.run(['import', place.file('a.csv', 'guid,uid,scope\ng,ann,admin')]);
  const short = await place.run(['import', place.file('b.csv', `${CUT}\n`)]);
  expect([complete.code, short.code]).toEqual([EXIT.ok, EXIT.ok]);
  expect(complete.stdout + short.stdout).not.toContain('cut off');
});

test('a file with another number of rows than --expect-rows is refused with both, and nothing is sent', async () => {
  const place = await openSandboxPlace();
  const file = place.file('m.csv', 'guid,uid\ng,ann\ng,ben\n');
  const { code, stderr } = await place.run(['import', file, '--expect-rows', '1200']);
  expect(code).toBe(EXIT.usage);
  expect(stderr).toContain('1,200');
  expect(stderr).toContain('--expect-rows');
  expect(place.sandbox.members('us', 'g')).toEqual(new Map());
  const { summary } = await place.summary(['status']);
  expect(summary).toMatchObject({ state: 'rejected', code: 'ROW_COUNT' });

  expect((await place.run(['import', file, '--expect-rows', '2'])).code).toBe(EXIT.ok);
  expect([...place.sandbox.members('us', 'g').keys()]).toEqual(['ann', 'ben']);
});

test('a sync refuses a file with another number of rows than --expect-rows, here and at a server', async () => {
  const place = await openSandboxPlace();
  const file = place.file('m.csv', 'guid,uid\ng,ann\ng,ben\n');
  const server = await startTestServer();
  onTestFinished(() => server.close());
  for (const at of [[], ['--server', server.url]]) {
    const { code, stdout, stderr } = await place.run(['sync', file, '--apply', '--expect-rows', '1200', ...at]);
    expect(code).toBe(EXIT.usage);
    expect((stdout + stderr).replace(/\s+/g, ' ')).toContain('1,200');
  }
  expect(place.sandbox.members('us', 'g')).toEqual(new Map());
});

test('after a file that breaks off, the command that was refused is not suggested again', async () => {
  const place = await openSandboxPlace();
  const file = place.file('cut.json', '[{"uid":"ann","guid":"g"},{"uid":"ben"');
  const { code, stderr } = await place.run(['import', file]);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('cut.json: JSON')]);
  expect(stderr).not.toContain('--dry-run');
});
