import { execFile } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect } from 'vitest';

const PROJECT = new URL('..', import.meta.url).pathname;
/** Not copied: the packages, which are linked, and what is made. */
const LEFT_OUT = new Set(['.git', 'dist', 'node_modules']);

/** The project in a folder of its own, where the tests of a file may change it. */
export function copyOfProject() {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const parts = readdirSync(PROJECT).filter((name) => !LEFT_OUT.has(name));
  for (const part of parts) cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const run = async (program: string, ...args: string[]) => {
    const ended = promisify(execFile)(process.execPath, [program, ...args], { cwd: folder });
    const { stdout } = await ended.catch((error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${program} ${args.join(' ')}: ${error.stdout}${error.stderr}`, { cause: error });
    });
    return stdout;
  };
  return {
    write: (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    /** Writes `text` before the first `place` of a file. */
    insert: (path: string, place: string, text: string) => {
      const before = readFileSync(join(folder, path), 'utf8');
      expect(before).toContain(place);
      const after = before.replace(place, () => `${text}${place}`);
      writeFileSync(join(folder, path), after);
    },
    rollcall: (...args: string[]) => run('bin/rollcall.js', ...args),
    compile: (...args: string[]) => run(join(PROJECT, 'node_modules/typescript/bin/tsc'), '--checkers', '1', ...args),
    build: () => run('tools/build.ts'),
    test: (...paths: string[]) =>
      run(join(PROJECT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'quick', ...paths),
    read: (pattern: string) => globSync(join(folder, pattern)).map((path) => readFileSync(path, 'utf8')),
  };
}
