import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take longest, for they wait for browsers, servers and processes. */
const SLOW = ['console', 'fleet', 'server', 'cli'];

/** Begins with what takes longest, so that no worker is left alone with it at the end; vitest itself knows that only from earlier runs. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const [folder = ''] = relative(import.meta.dirname, moduleId).split(sep);
  const at = SLOW.indexOf(folder);
  return at === -1 ? SLOW.length : at;
}
