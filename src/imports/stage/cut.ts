import type { DatabaseSync } from 'node:sqlite';
import { MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import { inTransaction, readStatements } from '../../platform/sqlite.ts';
import { actionId, scopeId } from '../record/enum-ids.ts';
import type { InputDescription } from './staged-row.ts';

/** A row without a scope is a removal: the lowest scope is a placeholder. */
const NO_SCOPE = scopeId('participant');
const BAN = scopeId('ban');

/** Parameters of the statements in cut.sql. */
const VALUES = { size: MAX_UIDS_PER_CALL, add: actionId('add'), lowest: NO_SCOPE, ban: BAN };

const STATEMENTS = new URL('cut.sql', import.meta.url);
/** Those of cut.sql that take rows out of batches which are not sent yet, from the first to the last. */
const AGAIN = ['index_left_out', 'list_batches'] as const;

function runAll(database: DatabaseSync, texts: Iterable<string>): void {
  for (const text of texts) {
    const used = Object.entries(VALUES).filter(([name]) => text.includes(`:${name}`));
    database.prepare(text).run(Object.fromEntries(used));
  }
}

/**
 * Takes the rows of `temp.left_out` out of their batches, of which none was sent, and cuts the batches of their call groups
 * again. Counts messages again. In a transaction of the caller, once on a connection.
 */
export function cutAgain(database: DatabaseSync): void {
  const statements = [...readStatements(STATEMENTS)];
  const place = (wanted: string) => statements.findIndex(([name]) => name === wanted);
  const [from, to] = AGAIN.map(place);
  runAll(
    database,
    statements
      .slice(from, Number(to) + 1)
      .concat(statements.slice(place('count_messages')))
      .map(([, text]) => text),
  );
}

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
    runAll(database, readStatements(STATEMENTS).values());
  });
  // Rows are numbered without a gap; to count them would read all of the file.
  const totals = database
    .prepare('select coalesce(max(id), 0) as rows, (select count(*) from batches) as batches from rows')
    .get();
  return { rows: Number(totals?.['rows']), batches: Number(totals?.['batches']) };
}
