import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { setUpFor } from './servers/set-up.ts';

/** Folders whose files take longest, for they wait for browsers, servers and processes. */
const SLOW = ['console', 'fleet', 'server', 'cli'];

/** Files that cannot run on this machine, with the reason. */
export const cannotRun = new Map<string, string>();

/**
 * Gets what the files need. Then begins with what takes longest, so that no worker is left alone with it at the end; vitest
 * itself knows that only from earlier runs.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const found = await setUpFor(files.map(({ moduleId }) => moduleId));
    for (const [path, reason] of found) cannotRun.set(path, reason);
    const rest = files.filter(({ moduleId }) => !cannotRun.has(moduleId));
    return (await super.sort(rest)).toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const [folder = ''] = relative(import.meta.dirname, moduleId).split(sep);
  const at = SLOW.indexOf(folder);
  return at === -1 ? SLOW.length : at;
}
