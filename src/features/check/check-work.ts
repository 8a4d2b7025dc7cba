import { openThread } from '../../platform/threads.ts';
import { concludeCheck, fillCheck, planCheck } from './check-files.ts';
import type { CheckSubject } from './check-summary.ts';

/** A part of a check: its beginning, what would be created once it is known which groups are missing, or its end. */
export interface CheckWork {
  /** The import's folder. */
  readonly folder: string;
  readonly step: 'fill' | 'plan' | 'conclude';
  readonly subject: CheckSubject;
}

/** The thread for long SQLite work. */
export type CheckThread = { step: (work: CheckWork) => Promise<void> };

/** Maximum number of rows whose work takes less time than starting a thread. */
const MAX_INLINE_ROWS = 20_000;

/** Does the work; in a thread when there are many rows, so that it does not block the process. */
export async function doCheckWork(work: CheckWork, rows: number): Promise<void> {
  if (rows > MAX_INLINE_ROWS) await openThread<CheckThread>(import.meta.url, './check-thread').askOnce('step', work);
  else await doCheckStep(work);
}

export async function doCheckStep({ folder, step, subject }: CheckWork): Promise<void> {
  if (step === 'fill') fillCheck(folder);
  else if (step === 'plan') planCheck(folder, subject);
  else await concludeCheck(folder, subject);
}
