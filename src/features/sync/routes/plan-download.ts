import { openThread } from '../../../platform/threads.ts';
import type { PlanDownload } from '../plan/plan-pieces.ts';

/** The thread that writes one plan. */
export type PlanDownloadThread = { plan: (download: PlanDownload) => Generator<string> };

/**
 * The bytes of a plan, in chunks of some 64 KB, made as they are taken, by a thread of their own: counting a large plan
 * takes SQLite seconds. A caller that does not take them all must call `return`. Rejects with LedgerError where it is damaged.
 */
export async function* planBytes(download: PlanDownload): AsyncGenerator<Uint8Array> {
  const thread = openThread<PlanDownloadThread>(import.meta.url, './plan-download-thread');
  try {
    yield* thread.stream('plan', download);
  } finally {
    await thread.end();
  }
}
