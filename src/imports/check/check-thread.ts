import { workerData } from 'node:worker_threads';
import { concludeCheck, fillCheck } from './check-files.ts';
import type { CheckWork } from './check-work.ts';

/** The thread that does what takes SQLite long. What it throws reaches the one who started it. */
const { folder, subject } = workerData as CheckWork;
if (subject === undefined) fillCheck(folder);
else await concludeCheck(folder, subject);
