import { parentPort, workerData } from 'node:worker_threads';
import { comparePlans } from '../plan/compare.ts';

/** A thread that compares two plans and answers once. Its errors reach the caller. */
parentPort?.postMessage(comparePlans(workerData));
