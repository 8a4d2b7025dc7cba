import { parentPort, workerData } from 'node:worker_threads';
import { closeStaged, openForStaging } from '../../platform/sqlite.ts';
import { IMPORT_MIGRATIONS } from '../schemas.ts';
import { cut } from './cut.ts';
import { rowInserter } from './insert-rows.ts';
import { unpackRows, unpackShapes } from './packed-rows.ts';
import type { StagingMessage } from './row-writer.ts';

/** The thread that writes a staged import, so that reading the input and writing the ledger share no core. */

const database = openForStaging(workerData.path, IMPORT_MIGRATIONS);
database.exec('begin');
const inserter = rowInserter(database);

parentPort?.on('message', (message: StagingMessage) => {
  switch (message.kind) {
    case 'rows':
      inserter.insert(unpackRows(message.rows), message.rows.problems, unpackShapes(message.rows));
      parentPort?.postMessage({ kind: 'inserted' });
      break;
    case 'finish': {
      inserter.finish();
      database.exec('commit');
      const totals = cut(database, message.input);
      closeStaged(database, workerData.path);
      parentPort?.postMessage({ kind: 'staged', totals });
      parentPort?.close();
      break;
    }
  }
});
