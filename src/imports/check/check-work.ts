import { Worker } from 'node:worker_threads';
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

function elsewhere(workerData: CheckWork): Promise<void> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const thread = new Worker(new URL(`./check-thread.${extension}`, import.meta.url), { workerData });
  return new Promise((resolve, reject) => {
    thread.on('error', reject);
    thread.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`the thread of the check has ended with code ${code}`)),
    );
  });
}
