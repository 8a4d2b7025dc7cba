import type { RecordOutcomesPayload } from '../../jobs/record-outcomes.ts';
import { MAX_BACKOFF_MS } from '../chat/error-policy.ts';
import type { JobQueue } from '../queue/job-queue.ts';
import { WORKER_DEATH_NOTICED_MS } from '../queue/job-worker.ts';
import type { RegionLine } from './region-line.ts';
import type { RunningImport } from './running-import.ts';

/**
 * A shared queue can lose jobs: wiped, restarted without its file, a job that stalled too often. The ledger knows which
 * batches are out, so that they are put there again: at once when the queue is empty, else after a time in which every
 * job that is alive has been heard of.
 */
export interface LossWatch {
  stop(): void;
}

interface LossWatchOptions {
  readonly outcomes: JobQueue<RecordOutcomesPayload>;
  readonly lines: () => Promise<readonly RegionLine[]>;
  readonly imports: () => readonly RunningImport[];
  readonly onError: (error: Error) => void;
}

const LOOK_MS = 2_000;
/** The slowest living job: its worker died, which is noticed, and then it waits out the longest backoff; three times. */
const UNHEARD_MS = 3 * (WORKER_DEATH_NOTICED_MS + MAX_BACKOFF_MS);

export function watchForLosses({ outcomes, lines, imports, onError }: LossWatchOptions): LossWatch {
  /** Regions whose queue was empty at the last look although batches were out. */
  const suspicious = new Set<string>();
  let looking = false;

  const look = async (): Promise<void> => {
    const { waiting, active, delayed } = await outcomes.depth();
    for (const line of await lines()) {
      await line.keepBudget();
      const out = imports().filter((one) => one.outIn(line.region) > 0);
      if (out.length === 0) continue;
      const depth = await line.queue.depth();
      const empty = depth.waiting + depth.active + depth.delayed + waiting + active + delayed === 0;
      // Once may be the moment between a result and its recording; twice in a row is a loss.
      const lost = empty && suspicious.has(line.region);
      if (empty && !lost) suspicious.add(line.region);
      else suspicious.delete(line.region);
      const before = lost ? Number.POSITIVE_INFINITY : Date.now() - UNHEARD_MS;
      for (const one of out) await one.resend(line.region, before, 'it was in the queue, and nothing was heard of it');
    }
  };

  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        looking = false;
      });
  }, LOOK_MS);
  return { stop: () => clearInterval(timer) };
}
