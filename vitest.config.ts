import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { HANGS_MS, WAIT_MS } from './test/hangs.ts';
import { LONG_TESTS, leftOut } from './test/left-out.ts';
import { SlowFirst } from './test/slow-first.ts';
import { tempRoot } from './test/temp-root.ts';

/** Files with properties that are tried with all their inputs only here: test/runs.ts. */
const LAWS = globSync('test/**/*.test.ts', { exclude: [LONG_TESTS] }).filter((path) =>
  /from '[./]+\/runs\.ts'/.test(readFileSync(path, 'utf8')),
);

export default defineConfig({
  test: {
    projects: [
      // Files share the processes of the workers, with all that these have loaded: a third of the CPU is saved. So a file
      // leaves nothing behind: no server, no timer, no setting of the process.
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [LONG_TESTS],
          isolate: false,
          env: { TMPDIR: tempRoot() },
        },
      },
      { extends: true, test: { name: 'laws', include: LAWS, isolate: false, env: { ALL_RUNS: 'true' } } },
      {
        extends: true,
        test: { name: 'long', include: [LONG_TESTS], testTimeout: 2 * HANGS_MS, hookTimeout: 2 * HANGS_MS },
      },
    ],
    // As Node runs it: nothing is transformed on the way, and what is compiled once need not be again.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    // Its own limit is a second: on a busy machine that is too short.
    expect: { poll: { timeout: WAIT_MS } },
    // For two cores: many a test waits for a process or a server.
    maxWorkers: 4,
    // They share two cores: V8's own threads take a fifth of the CPU and give nothing back.
    execArgv: ['--single-threaded'],
    sequence: { sequencer: SlowFirst },
    // Tests start some hundreds of processes and threads: each would strip the same types again.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'rollcall-compile-cache') },
    reporters: ['default', leftOut()],
  },
});
