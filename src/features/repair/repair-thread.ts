import { parentPort, workerData } from 'node:worker_threads';
import { packError } from '../../imports/read/thread-error.ts';
import { CannotRepair } from './repair-errors.ts';
import { doTask, type RepairTask } from './repair-tasks.ts';
import type { RepairReply } from './repair-work.ts';
import type { Subject } from './show.ts';

/** The thread that does one piece of work on the repairs of a big import. */
const { subject, task } = workerData as { readonly subject: Subject; readonly task: RepairTask };
const tell = (reply: RepairReply) => parentPort?.postMessage(reply);
try {
  tell({ result: await doTask(subject, task) });
} catch (error) {
  if (error instanceof CannotRepair) {
    const { what, remedy, facts } = error;
    tell({ refused: { what, remedy, facts } });
  } else tell({ error: packError(error) });
}
