import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cameTo, promisedBy, readme, reportRows, rollcall, SAMPLES, temporaryDataDir } from './sample.ts';

const README = readme('bad-file');

/** Arguments behind `rollcall import samples/bad-file/`, and the message that the README shows. */
const REFUSED = [...README.matchAll(/^### `(.+?)`\n\n.*?```text\n(.*?)\n```/gms)].map(
  ([, args = '', message = '']) => [args, message] as const,
);

// One for all: a refused file leaves nothing behind that the next would meet, and preparing the queue takes seconds.
const dataDir = temporaryDataDir();

test.each(REFUSED)('%s is refused with exit code 2 and the message of the README', async (args, message) => {
  const { code, stderr } = await rollcall(`rollcall import samples/bad-file/${args} --dry-run`, dataDir, []);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test('every file of the folder is explained', () => {
  const explained = new Set([...REFUSED.map(([args]) => args.split(' ')[0]), 'rows.csv', 'README.md']);
  expect(readdirSync(new URL('bad-file/', SAMPLES)).filter((name) => !explained.has(name))).toEqual([]);
});

test('bad rows stop no other row, and each has its reasons in the report as the README shows them', async () => {
  const { command, code, rows } = promisedBy('bad-file');
  const run = cameTo(await rollcall(command, dataDir));
  expect(run).toMatchObject({ code, rows });
  const reasons = reportRows(run.summary.reports.failed).map(({ _row, _message }) => `${_row}: ${_message}`);
  expect(README).toContain(`\`\`\`text\n${reasons.join('\n')}\n\`\`\``);
});
