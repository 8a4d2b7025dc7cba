import { workerData } from 'node:worker_threads';
import { type CheckWork, doCheckStep } from './check-work.ts';

/** The thread that does what takes SQLite long. What it throws reaches the one who started it. */
await doCheckStep(workerData as CheckWork);
