import { expect, test } from 'vitest';
import { openWorkplace } from './workplace.ts';

test('the sandbox shows every key that it takes, and takes every switch', async () => {
  const { begin } = await openWorkplace();
  const switches = ['--behaviour', 'pagination=sample,emptyRequest=refuse', '--behaviour', 'readDelayMs=5'];
  const running = begin(['sandbox', '--json', ...switches]);
  await running.says('"management"');
  const { apps, management, managementUrl } = JSON.parse(running.stdout());
  expect(apps.us.authOnlyKey).toMatch(/^[0-9a-f]{40}$/);
  expect(management).toEqual({
    key: expect.stringMatching(/^[0-9a-f]{40}$/),
    secret: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(managementUrl).toMatch(/^https:\/\/apimgmt\.localhost:\d+$/);
});

test('a person at a terminal sees them, too', async () => {
  const { begin } = await openWorkplace();
  const running = begin(['sandbox']);
  await running.says('Stop it with Ctrl-C');
  await running.says('Key of in with the scope authOnly: ');
  await running.says('/apps, key ');
});

test('rows with an acting user succeed in the sandbox that knows everyone', async () => {
  const { run, file } = await openWorkplace();
  file('m.csv', 'guid,uid,on_behalf_of\ng,a,boss\ng,b,boss\n');
  const { code, stderr } = await run(['import', 'm.csv', '--sandbox']);
  expect(stderr).not.toContain('ERR_GROUP_NOT_JOINED');
  expect(code).toBe(0);
});

test('commands that are suggested for a sandbox have --sandbox, and the same data directory', async () => {
  const { run, file } = await openWorkplace();
  file('m.csv', 'guid,uid\ng,a\ng,no one\n');
  const where = ['--data-dir', 'my data', '--sandbox'];
  expect((await run(['import', 'm.csv', ...where])).code).toBe(1);
  const retry = await run(['retry', ...where]);
  expect(retry.stderr).toMatch(/^ {2}rollcall retry \S+ --edits 'my data\/\S+' --data-dir 'my data' --sandbox$/m);
  const unwritten = await run(['export', '--output', 'no/folder/o.csv', ...where]);
  expect(unwritten.stderr).toMatch(
    / export --resume \S+ --output <file> --data-dir 'my data' --sandbox \[OUTPUT_FAILED\]/,
  );
  const exported = await run(['export', '--output', 'my o.csv', ...where]);
  expect(exported.stderr).toMatch(/^ {2}rollcall sync '\S+\/my o\.csv' --mode .* --data-dir 'my data' --sandbox$/m);
});
