import { rename, rm } from 'node:fs/promises';
import type { StageImportPorts, StagingProgress } from '../../jobs/stage-import.ts';
import type { ImportRecord } from '../ledger/catalog.ts';
import type { ImportState } from '../membership/import-state.ts';
import type { DataDir } from './data-dir.ts';
import { intakeOptions, readOptions } from './import-options.ts';
import { stageElsewhere } from './staging-elsewhere.ts';

/** What staging needs of the coordinator, and the coordinator of staging. */
export interface StagingJobs {
  readonly ports: StageImportPorts;
  isUnderWay(id: string): boolean;
  /** Stops reading; resolves when nothing is being read or written any more, and what was read to its end has begun. */
  abort(id: string): Promise<void>;
  /** The same for all, and begins no more. */
  stop(): Promise<void>;
}

/** Inputs that are read at the same time: each takes a thread and some 30 MB, and a small one waits behind no big one. */
export const STAGINGS = 4;

interface StagingOptions {
  readonly dir: DataDir;
  readonly find: (id: string) => ImportRecord;
  readonly move: (id: string, to: ImportState, detail?: string) => void;
  readonly progress: (id: string, progress: StagingProgress) => void;
  /** Told when the ledger is complete. */
  readonly staged: (id: string) => Promise<void>;
  readonly fail: (error: unknown) => void;
}

export function stagingJobs({ dir, find, move, progress, staged, fail }: StagingOptions): StagingJobs {
  const underWay = new Map<
    string,
    { readonly abort: AbortController; readonly ended: Promise<void>; end: () => void }
  >();
  let stopped = false;
  /** A half-written ledger must not pass for a whole one: it gets its name when it is complete. */
  const unfinished = (id: string) => `${dir.ledger(id)}.part`;
  const discard = async (path: string) => {
    for (const ending of ['', '-wal', '-shm']) await rm(`${path}${ending}`, { force: true });
  };
  const end = (id: string) => {
    underWay.get(id)?.end();
    underWay.delete(id);
  };
  const abort = async (id: string) => {
    const task = underWay.get(id);
    task?.abort.abort(new StagingStopped());
    await task?.ended;
  };

  return {
    ports: {
      task: async (id) => {
        // Cancelled while it waited for its turn.
        if (stopped || find(id).state !== 'staging') throw new StagingStopped();
        const { promise, resolve } = Promise.withResolvers<void>();
        const controller = new AbortController();
        underWay.set(id, { abort: controller, ended: promise, end: resolve });
        await discard(unfinished(id));
        // Left by a process that died between completing the ledger and moving on: its log must not meet the new file.
        await discard(dir.ledger(id));
        const record = find(id);
        const options = intakeOptions(readOptions(record));
        const name = record.file === '-' ? 'standard input' : record.file;
        return { source: record.source, name, options, ledger: unfinished(id), signal: controller.signal };
      },
      stage: stageElsewhere,
      progress,
      staged: async (id) => {
        await rename(unfinished(id), dir.ledger(id));
        await staged(id);
        end(id);
      },
      rejected: async (id, error) => {
        await discard(unfinished(id));
        end(id);
        move(id, 'rejected', error.message);
      },
      failed: async (id, error) => {
        await discard(unfinished(id));
        end(id);
        if (!(error instanceof StagingStopped)) fail(error);
      },
    },
    isUnderWay: (id) => underWay.has(id),
    abort,
    stop: async () => {
      stopped = true;
      await Promise.all([...underWay.keys()].map(abort));
    },
  };
}

/** Reading was stopped from outside: the import is cancelled, or the process ends and will read again. */
class StagingStopped extends Error {}
