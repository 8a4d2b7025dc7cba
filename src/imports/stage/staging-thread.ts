import { parentPort, workerData } from 'node:worker_threads';
import { packError } from '../read/thread-error.ts';
import { type StagingTask, stageFile } from './stage-file.ts';
import type { IntakeReply } from './staging.ts';

/** The thread that reads one input into its ledger; any message calls it off. */

const calledOff = new AbortController();
parentPort?.once('message', () => calledOff.abort());

const tell = (reply: IntakeReply) => parentPort?.postMessage(reply);
try {
  const task: StagingTask = { ...workerData, signal: calledOff.signal };
  tell({ totals: await stageFile(task, (progress) => tell({ progress })) });
} catch (error) {
  tell({ error: packError(error) });
}
parentPort?.close();
