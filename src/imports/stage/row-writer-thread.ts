import { parentPort, workerData } from 'node:worker_threads';
import { openRowWriting, type WriterMessage, type WriterReply } from './row-writer.ts';

/** The thread that writes a staged import, so that reading the input and writing the ledger share no core. */

const writing = openRowWriting(workerData.path);
const tell = (reply: WriterReply) => parentPort?.postMessage(reply);

parentPort?.on('message', (message: WriterMessage) => {
  if (message.kind === 'rows') {
    writing.insert(message.rows);
    return tell({ kind: 'inserted' });
  }
  tell({ kind: 'staged', totals: writing.finish(message.input) });
  parentPort?.close();
});
