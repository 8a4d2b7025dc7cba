import { runThread } from '../../platform/threads.ts';
import { concludeCheck, fillCheck } from './check-files.ts';
import type { CheckSubject } from './check-summary.ts';

/** The beginning of a check, or with a subject its end. */
export interface CheckWork {
  /** Of the import. */
  readonly folder: string;
  readonly subject?: CheckSubject;
}

/** Rows up to which it takes less time than starting a thread for it. */
const FEW = 20_000;

/** Does the work; in a thread where there are many rows, because it would hold up the process. */
export async function doCheckWork(work: CheckWork, rows: number): Promise<void> {
  const { folder, subject } = work;
  if (rows > FEW) await elsewhere(work);
  else if (subject === undefined) fillCheck(folder);
  else await concludeCheck(folder, subject);
}

function elsewhere(work: CheckWork): Promise<void> {
  return runThread(import.meta.url, './check-thread', work);
}
