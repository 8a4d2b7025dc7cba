import type { DataDir } from '../../platform/data-dir.ts';
import { openCreated } from '../record/created.ts';
import { type Deleting, deleteCreated } from './delete-created.ts';

/** Deletes what imports created, one run per import. For the owner of the data directory. */
export interface Deletions {
  /** Begins, or continues what an earlier run left; does nothing while one is running. */
  start(id: string): void;
  /** Undefined when nothing is being deleted. */
  progress(id: string): DeletionProgress | undefined;
  /** Why the last run ended early; empty if it did not. */
  reason(id: string): string;
  /** Stops the run of an import that was removed. */
  forget(id: string): void;
  /** Stops all runs; another start continues them. */
  stop(): Promise<void>;
}

interface DeletionProgress {
  readonly done: number;
  readonly of: number;
}

interface DeletionsOptions extends Pick<Deleting, 'pages'> {
  readonly dir: DataDir;
  readonly onError: (id: string, error: unknown) => void;
}

interface Running {
  readonly aborted: AbortController;
  readonly ended: Promise<void>;
  progress: DeletionProgress;
}

export function createDeletions({ dir, pages, onError }: DeletionsOptions): Deletions {
  const running = new Map<string, Running>();
  const reasons = new Map<string, string>();

  const run = async (
    id: string,
    signal: AbortSignal,
    onProgress: (progress: DeletionProgress) => void,
  ): Promise<void> => {
    const ledger = openCreated(dir.ledger(id));
    try {
      const wanted = ledger.things().map((thing) => ({ thing, why: '' }));
      let done = 0;
      onProgress({ done, of: wanted.length });
      await deleteCreated({ ledger, pages, signal }, wanted, () => {
        done += 1;
        onProgress({ done, of: wanted.length });
      });
    } finally {
      ledger.close();
    }
  };

  return {
    start: (id) => {
      if (running.has(id)) return;
      reasons.delete(id);
      const aborted = new AbortController();
      const entry: Running = {
        aborted,
        progress: { done: 0, of: 0 },
        // In a later turn: `running` has the entry by then.
        ended: Promise.resolve()
          .then(() => run(id, aborted.signal, (progress) => Object.assign(entry, { progress })))
          .catch((error: unknown) => {
            if (aborted.signal.aborted) return;
            reasons.set(id, error instanceof Error ? error.message : String(error));
            onError(id, error);
          })
          .finally(() => running.delete(id)),
      };
      running.set(id, entry);
    },
    progress: (id) => running.get(id)?.progress,
    reason: (id) => reasons.get(id) ?? '',
    forget: (id) => {
      reasons.delete(id);
      running.get(id)?.aborted.abort(new Error('its import was removed'));
    },
    stop: async () => {
      const all = [...running.values()];
      for (const { aborted } of all) aborted.abort(new Error('this process stops'));
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}
