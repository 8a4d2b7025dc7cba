import { parentPort, workerData } from 'node:worker_threads';
import type { StagingMessage, StagingReply } from './row-writer.ts';
import { openRowWriting } from './row-writing.ts';

/** The thread that writes a staged import, so that reading the input and writing the ledger share no core. */

const writing = openRowWriting(workerData.path);
const tell = (reply: StagingReply) => parentPort?.postMessage(reply);

parentPort?.on('message', (message: StagingMessage) => {
  if (message.kind === 'rows') {
    writing.insert(message.rows);
    return tell({ kind: 'inserted' });
  }
  tell({ kind: 'staged', totals: writing.finish(message.input) });
  parentPort?.close();
});
