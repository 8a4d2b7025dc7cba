import { closeStaged, openForStaging } from '../../platform/sqlite.ts';
import { IMPORT_MIGRATIONS } from '../schemas.ts';
import { cut, type StagedTotals } from './cut.ts';
import { rowInserter } from './insert-rows.ts';
import { type PackedRows, unpackRows, unpackShapes } from './packed-rows.ts';
import type { InputDescription } from './staged-row.ts';

/** Writes a new import file in this thread. */
export interface RowWriting {
  insert(rows: PackedRows): void;
  /** Finds duplicates, cuts batches and closes the file. */
  finish(input: InputDescription): StagedTotals;
}

export function openRowWriting(path: string): RowWriting {
  const database = openForStaging(path, IMPORT_MIGRATIONS);
  database.exec('begin');
  const inserter = rowInserter(database);
  return {
    insert: (rows) => inserter.insert(unpackRows(rows), rows.problems, unpackShapes(rows)),
    finish: (input) => {
      inserter.finish();
      database.exec('commit');
      const totals = cut(database, input);
      closeStaged(database, path);
      return totals;
    },
  };
}
