import { runThread } from '../../platform/threads.ts';
import { concludeCheck, fillCheck, planCheck } from './check-files.ts';
import type { CheckSubject } from './check-summary.ts';

/** A part of a check: its beginning, what would be created once it is known which groups are missing, or its end. */
export interface CheckWork {
  /** Of the import. */
  readonly folder: string;
  readonly step: 'fill' | 'plan' | 'conclude';
  readonly subject: CheckSubject;
}

/** Rows up to which it takes less time than starting a thread for it. */
const FEW = 20_000;

/** Does the work; in a thread where there are many rows, because it would hold up the process. */
export async function doCheckWork(work: CheckWork, rows: number): Promise<void> {
  if (rows > FEW) await elsewhere(work);
  else await doCheckStep(work);
}

export async function doCheckStep({ folder, step, subject }: CheckWork): Promise<void> {
  if (step === 'fill') fillCheck(folder);
  else if (step === 'plan') planCheck(folder, subject);
  else await concludeCheck(folder, subject);
}

function elsewhere(work: CheckWork): Promise<void> {
  return runThread(import.meta.url, './check-thread', work);
}
