import { workerData } from 'node:worker_threads';
import { type CheckWork, doCheckStep } from './check-work.ts';

/** The thread for long SQLite work. Its errors reach the process that started it. */
await doCheckStep(workerData as CheckWork);
