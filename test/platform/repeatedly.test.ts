import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const FILE = new URL('../../src/platform/repeatedly.ts', import.meta.url).href;

/** A program that has nothing else to do: it counts to three, and stops. */
const program = (keepsProcess: boolean) => `
  import { repeatedly } from ${JSON.stringify(FILE)};
  let n = 0;
  const counting = repeatedly(1, (error) => { throw error; }, async () => {
    n += 1;
    process.stdout.write(String(n));
    if (n === 3) counting.stop();
  }, ${keepsProcess});
`;

const run = async (keepsProcess: boolean): Promise<string> =>
  (await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program(keepsProcess)])).stdout;

test('repeated work keeps the process alive only if it is asked to', async () => {
  expect(await run(true)).toBe('123');
  expect(await run(false)).toBe('');
});
