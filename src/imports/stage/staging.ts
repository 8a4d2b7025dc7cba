import { existsSync } from 'node:fs';
import pLimit from 'p-limit';
import type { DataDir } from '../../platform/data-dir.ts';
import type { ImportRecord, MoveImport } from '../catalog.ts';
import { type ImportOptions, intakeOptions, readOptions } from '../import-options.ts';
import { IntakeError } from '../read/intake-error.ts';
import { identityCopy } from './identity-copy.ts';
import { completeStaged, discardStaged } from './row-writer.ts';
import type { StagingProgress, StagingTask } from './stage-file.ts';
import { stageElsewhere } from './staging-elsewhere.ts';

/** Reads the inputs of imports into their ledgers: each once, a few at a time. */
export interface Stagings {
  /** Reads an import's input when it is its turn. Does nothing where that is under way already. */
  begin(id: string): void;
  /** Stops reading; resolves when nothing will come of it any more. What was read to its end has begun by then. */
  abort(id: string): Promise<void>;
  /** The same for all, and begins no more. */
  stop(): Promise<void>;
}

/** Inputs that are read at the same time: each takes a thread and some 30 MB, and a small one waits behind no big one. */
const STAGINGS = 4;

interface StagingOptions {
  readonly dir: DataDir;
  readonly find: (id: string) => ImportRecord;
  readonly move: MoveImport;
  /** An input is being read from now on. */
  readonly attend: (id: string) => void;
  readonly progress: (id: string, progress: StagingProgress) => void;
  /** Told when the ledger is complete. Handles its own errors. */
  readonly staged: (id: string) => Promise<void>;
  /** Told of an error that says nothing on the file. */
  readonly failed: (id: string, error: unknown) => void;
}

export function createStagings(options: StagingOptions): Stagings {
  const { dir, find, move, attend, progress, staged, failed } = options;
  const line = pLimit(STAGINGS);
  const underWay = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();
  let stopped = false;

  const stage = async (id: string, signal: AbortSignal): Promise<void> => {
    // Cancelled or removed while it waited for its turn.
    if (signal.aborted || find(id).state !== 'staging') return;
    attend(id);
    const ledger = dir.ledger(id);
    // A half-written ledger must not pass for a whole one: it gets its name when it is complete.
    const unfinished = `${ledger}.part`;
    try {
      // Complete, by a process that died before it could say so: it is taken as it is.
      if (!existsSync(ledger)) {
        await discardStaged(unfinished);
        const record = find(id);
        await stageElsewhere(
          {
            source: record.source,
            name: record.file === '-' ? 'standard input' : record.file,
            ...stagingTask(readOptions(record), dir.folder(id)),
            ledger: unfinished,
            signal,
          },
          (told) => progress(id, told),
        );
        await completeStaged(unfinished, ledger);
      }
    } catch (error) {
      await discardStaged(unfinished);
      if (signal.aborted) return;
      if (error instanceof IntakeError) move(id, 'rejected', error.sentence, error.code, error.details.remedy);
      else failed(id, error);
      return;
    }
    // Once it is complete it is begun, cancelled or not: whoever cancels does so with what was begun.
    await staged(id);
  };

  const abort = async (id: string): Promise<void> => {
    const task = underWay.get(id);
    task?.abort.abort(new StagingStopped());
    await task?.ended;
  };

  return {
    begin: (id) => {
      if (stopped || underWay.has(id)) return;
      const controller = new AbortController();
      const ended = line(() => stage(id, controller.signal))
        .catch((error: unknown) => failed(id, error))
        .finally(() => underWay.delete(id));
      underWay.set(id, { abort: controller, ended });
    },
    abort,
    stop: async () => {
      stopped = true;
      await Promise.all([...underWay.keys()].map(abort));
    },
  };
}

/** What staging takes of an import's options. */
function stagingTask(options: ImportOptions, folder: string): Pick<StagingTask, 'options' | 'identities' | 'trial'> {
  const { first, only, identities } = options;
  return {
    options: intakeOptions(options),
    ...(identities !== undefined && { identities: { path: identityCopy(folder), ...identities } }),
    ...((first !== undefined || only !== undefined) && { trial: { first, only } }),
  };
}

/** Reading was stopped from outside: the import is cancelled, or the process ends and will read again. */
class StagingStopped extends Error {}
