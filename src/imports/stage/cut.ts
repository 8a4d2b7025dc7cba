import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, readStatements } from '../../platform/sqlite.ts';
import { BATCH_SIZE } from './fill-batches.ts';
import type { InputDescription } from './staged-row.ts';

export { BATCH_SIZE } from './fill-batches.ts';

export interface StagedTotals {
  readonly rows: number;
  readonly batches: number;
}

/** Finds duplicates and contradictions and cuts the rest into batches (cut.sql says how). */
export function cut(database: DatabaseSync, input: InputDescription): StagedTotals {
  inTransaction(database, () => {
    database
      .prepare('insert into input (id, format, delimiter, columns, recognised) values (1, ?, ?, ?, ?)')
      .run(input.format, input.delimiter, JSON.stringify(input.columns), JSON.stringify(input.recognised));
    for (const text of readStatements(new URL('cut.sql', import.meta.url)).values()) {
      const statement = database.prepare(text);
      if (text.includes(':size')) statement.run({ size: BATCH_SIZE });
      else statement.run();
    }
  });
  const count = (table: string) => Number(database.prepare(`select count(*) as n from ${table}`).get()?.['n']);
  return { rows: count('rows'), batches: count('batches') };
}
