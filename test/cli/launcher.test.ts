import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ALLOCATOR, NODE_FLAGS } from '../../bin/process-settings.js';
import { LAUNCHER } from './workplace.ts';

interface Started {
  readonly pid: number;
  readonly execArgv: readonly string[];
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Has every process that comes to its end write how it was started to standard error. */
const HOOK = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  process.on('exit', () => {
    const { pid, execArgv, argv, env } = process;
    writeSync(2, JSON.stringify({ pid, execArgv, args: argv.slice(2), env }) + '\\n');
  });
`)}`;

/** Returns the output of a command line's processes, the number of the first, and the exit code. */
async function launch(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['--import', HOOK, LAUNCHER, ...args], { env: { ...process.env, ...env } });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const lines = stderr.split('\n').filter((it) => it.startsWith('{'));
  return { stdout, code, pid: child.pid, ended: lines.map((it) => JSON.parse(it) as Started) };
}

test.skipIf(process.platform === 'win32')(
  'rollcall runs with settings that keep memory low, under the process id that it was started with',
  async () => {
    const { ended, pid, stdout, code } = await launch(['--version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(ended).toHaveLength(1);
    expect(ended[0]).toMatchObject({ pid, args: ['--version'], env: ALLOCATOR });
    expect(ended[0]?.execArgv).toEqual([...NODE_FLAGS, '--import', HOOK]);
  },
);

test('what the user has set for the allocator is kept, and arguments arrive as they were written', async () => {
  const args = ['list', '--no such flag', 'ä b', ''];
  const { ended, code } = await launch(args, { MALLOC_ARENA_MAX: '3' });
  expect(code).toBe(2);
  expect(ended.at(-1)).toMatchObject({ args, env: { MALLOC_ARENA_MAX: '3' } });
});
