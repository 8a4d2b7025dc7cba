import { openThread } from '../../../platform/threads.ts';
import type { PlanTextOptions } from '../plan/plan-text.ts';

type PlanFormat = 'csv' | 'json' | 'markdown' | 'text';

export interface PlanDownload {
  /** Path of the plan. */
  readonly path: string;
  readonly format: PlanFormat;
  /** Of the format text, for a terminal. */
  readonly text: Pick<PlanTextOptions, 'color' | 'width'>;
}

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
