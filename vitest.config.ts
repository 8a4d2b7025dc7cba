import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // For two cores: many a test waits for a stalled job or a dead server, and more than three starve their neighbours.
    maxWorkers: 3,
    // Tests start some hundreds of processes and threads: each would strip the same types again.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'rollcall-compile-cache') },
  },
});
