import { z } from 'zod';
import { type IntakeOptions, openIntake } from '../src/intake/intake.ts';
import { IntakeError } from '../src/intake/intake-error.ts';
import type { StagedTotals } from '../src/ledger/cut.ts';
import { startStaging } from '../src/ledger/staging.ts';
import { defineJob } from '../src/queue/define-job.ts';

/**
 * stage-import: reads a file into the ledger, checks every row, and cuts the good ones into batches. Nothing is sent.
 *
 * Queue     stage-import, in the coordinator's process
 * Input     the id of an import in the state `staging`
 * Output    `staged` with totals, or `rejected` with the reason, through the ports
 * Retries   none: a file that cannot be read today is the user's to mend; after a crash the coordinator queues it again.
 */
const payload = z.object({ version: z.literal(1), importId: z.string() });
export type StageImportPayload = z.infer<typeof payload>;

export interface StagingTask {
  readonly source: string;
  /** The input as the user named it, for messages. */
  readonly name: string;
  readonly options: Omit<IntakeOptions, 'signal'>;
  /** Where to write; a half-written file of an earlier try is overwritten. */
  readonly ledger: string;
  /** Aborted when the import is cancelled or the process stops. */
  readonly signal: AbortSignal;
}

export interface StageImportPorts {
  task(importId: string): Promise<StagingTask>;
  /** Does what `stageFile` does, there or here. */
  stage(task: StagingTask, progress: (progress: StagingProgress) => void): Promise<StagedTotals>;
  progress(importId: string, progress: StagingProgress): void;
  staged(importId: string, totals: StagedTotals): Promise<void>;
  rejected(importId: string, error: IntakeError): Promise<void>;
  /** Anything else that ended it: cancelled, stopped, disk full. */
  failed(importId: string, error: unknown): Promise<void>;
}

export interface StagingProgress {
  readonly rows: number;
  readonly bytes: number;
  /** Read to the end; duplicates are looked for and batches cut. */
  readonly cutting: boolean;
}

export const stageImport = defineJob<StageImportPayload, StageImportPorts>({
  name: 'stage-import',
  version: 1,
  payload,
  attempts: 1,
  backoffMs: () => 0,
  process: async ({ payload: { importId } }, ports) => {
    try {
      const task = await ports.task(importId);
      const totals = await ports.stage(task, (progress) => ports.progress(importId, progress));
      task.signal.throwIfAborted();
      await ports.staged(importId, totals);
    } catch (error) {
      if (error instanceof IntakeError) await ports.rejected(importId, error);
      else await ports.failed(importId, error);
    }
  },
});

/** Reads all rows into a new ledger file. Throws IntakeError when the input cannot be used; the signal's reason when aborted. */
export async function stageFile(
  { source, name, options, ledger, signal }: StagingTask,
  progress: (progress: StagingProgress) => void,
): Promise<StagedTotals> {
  const intake = await openIntake({ path: source, name }, { ...options, signal });
  const staging = startStaging(ledger);
  try {
    let rows = 0;
    for await (const chunk of intake.chunks()) {
      await staging.add(chunk);
      rows += chunk.length;
      progress({ rows, bytes: intake.bytesRead(), cutting: false });
    }
    progress({ rows, bytes: intake.bytesRead(), cutting: true });
    return await staging.finish({
      format: intake.format,
      delimiter: intake.delimiter ?? '',
      columns: intake.columns(),
      recognised: intake.recognised as Record<string, string>,
    });
  } catch (error) {
    await staging.abandon();
    throw error;
  }
}
