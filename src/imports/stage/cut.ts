import type { DatabaseSync } from 'node:sqlite';
import { MAX_UIDS_PER_CALL } from '../../membership/member-lists.ts';
import { inTransaction, readStatements } from '../../platform/sqlite.ts';
import { actionId, scopeId } from '../record/enum-ids.ts';
import type { InputDescription } from './staged-row.ts';

/** What the statements of cut.sql take. */
const VALUES = { size: MAX_UIDS_PER_CALL, add: actionId('add'), lowest: scopeId('participant'), ban: scopeId('ban') };

export interface StagedTotals {
  readonly rows: number;
  readonly batches: number;
}

/** Finds duplicates and contradictions and cuts the rest into batches (cut.sql says how). */
export function cut(database: DatabaseSync, input: InputDescription): StagedTotals {
  inTransaction(database, () => {
    database
      .prepare(`insert into input (id, format, kind, delimiter, columns, recognised, notes, shaped, rows_read, entries)
         values (1, :format, :kind, :delimiter, :columns, :recognised, :notes, :shaped, :rowsRead, :entries)`)
      .run({
        format: input.format,
        kind: input.kind ?? input.format,
        delimiter: input.delimiter,
        columns: JSON.stringify(input.columns),
        recognised: JSON.stringify(input.recognised),
        notes: JSON.stringify(input.notes ?? []),
        shaped: Number(input.shaped ?? false),
        rowsRead: input.rowsRead ?? null,
        entries: input.entries ?? null,
      });
    for (const text of readStatements(new URL('cut.sql', import.meta.url)).values()) {
      const used = Object.entries(VALUES).filter(([name]) => text.includes(`:${name}`));
      database.prepare(text).run(Object.fromEntries(used));
    }
  });
  const count = (table: string) => Number(database.prepare(`select count(*) as n from ${table}`).get()?.['n']);
  return { rows: count('rows'), batches: count('batches') };
}
