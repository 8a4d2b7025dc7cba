import { globSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { cannotRun } from './slow-first.ts';

/** Long campaigns: they kill processes many times, or wait for real deadlines. */
export const LONG_TESTS = 'test/**/*.long.test.ts';

/** Says at the end of a run which tests it has left out, and why. */
export function leftOut(): Reporter {
  let ranLong = true;
  let ranAll = false;
  return {
    onTestRunStart: (specifications) => {
      ranLong = specifications.some(({ project }) => project.name === 'long');
      ranAll = specifications.length > 100;
    },
    onTestRunEnd: (modules) => {
      const lines = modules.flatMap(skippedIn);
      for (const [path, reason] of cannotRun) lines.push(`${relative('', path)}: ${reason}`);
      // Those who run a few files by name know what is not among them.
      if (!ranLong && ranAll)
        lines.push(...globSync(LONG_TESTS).map((path) => `${path}: long; npm run test:long runs it`));
      if (lines.length > 0) process.stdout.write(`\nNot run:\n${lines.map((line) => `  ${line}`).join('\n')}\n`);
    },
  };
}

/** Tests that have left themselves out: the machine lacks something. Those that a filter leaves out give no reason. */
function skippedIn(module: TestModule): string[] {
  return [...module.children.allTests('skipped')].flatMap((test) => {
    const result = test.result();
    if (result.state !== 'skipped' || result.note === undefined) return [];
    return `${module.relativeModuleId} > ${test.fullName}: ${result.note}`;
  });
}
