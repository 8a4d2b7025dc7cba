import type { DatabaseSync } from 'node:sqlite';
import { asError } from '../../errors/message-of.ts';
import { closeStaged, openForStaging } from '../../platform/sqlite.ts';
import { IMPORT_MIGRATIONS } from '../schemas.ts';
import { cut, type StagedTotals } from './cut.ts';
import { type RowInserter, rowInserter } from './insert-rows.ts';
import type { InputDescription, StagedRow } from './staged-row.ts';

/** Characters of rows whose ledger has small pages, at most: some hundred rows. */
const MAX_SMALL = 32 * 1024;

/** Writes a new import file. Call `add` for every chunk of rows and `finish` once, or `abandon`. */
export interface Staging {
  add(rows: readonly StagedRow[]): void;
  /** Finds duplicates, cuts batches and closes the file. */
  finish(input: InputDescription): StagedTotals;
  abandon(): void;
}

/** Starts staging into the file at `path`, which must not hold an import yet. The first few rows wait until it is known whether they are all. */
export function startStaging(path: string): Staging {
  let few: StagedRow[] = [];
  let length = 0;
  let writing: { readonly database: DatabaseSync; readonly inserter: RowInserter } | undefined;
  let isAbandoned = false;

  const begin = (pageBytes: 512 | 4096) => {
    const database = openForStaging(path, IMPORT_MIGRATIONS, pageBytes);
    database.exec('begin');
    writing = { database, inserter: rowInserter(database) };
    writing.inserter.insert(few);
    few = [];
    return writing;
  };

  return {
    add: (rows) =>
      namingLedger(() => {
        if (isAbandoned) throw new Error('it was given up');
        if (writing !== undefined) return writing.inserter.insert(rows);
        for (const row of rows) {
          few.push(row);
          length += row.uid.length + row.original.length;
        }
        if (length > MAX_SMALL) begin(4096);
      }),
    finish: (input) =>
      namingLedger(() => {
        const { database, inserter } = writing ?? begin(512);
        inserter.finish();
        database.exec('commit');
        const totals = cut(database, input);
        closeStaged(database, path);
        return totals;
      }),
    abandon: () => {
      isAbandoned = true;
      if (writing?.database.isOpen) writing.database.close();
    },
  };
}

function namingLedger<Result>(write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    const cause = asError(error);
    throw new Error(`the ledger cannot be written: ${cause.message}`, { cause });
  }
}
