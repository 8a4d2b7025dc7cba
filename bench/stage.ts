import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stageInThread } from '../src/imports/stage/staging.ts';

/** Stages a file as an import does, in the threads in which it is done, and gives the number of rows. */
export async function stage(source: string): Promise<number> {
  const folder = await mkdtemp(`${source}-`);
  try {
    const task = {
      source,
      name: source,
      ledger: join(folder, 'ledger.sqlite'),
      options: { format: 'auto', map: {}, region: 'us' },
      signal: new AbortController().signal,
    } as const;
    let rows = 0;
    await stageInThread(task, (progress) => {
      rows = progress.rows;
    });
    return rows;
  } finally {
    await rm(folder, { recursive: true });
  }
}
