import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: a file that starts servers must not starve its neighbours.
    maxWorkers: 2,
    // Tests start some hundreds of processes and threads: each would strip the same types again.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'rollcall-compile-cache') },
  },
});
