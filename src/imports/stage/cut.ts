import type { DatabaseSync } from 'node:sqlite';
import { MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import { inTransaction, readStatements, type Statements, statementsOf } from '../../platform/sqlite.ts';
import { actionId, scopeId } from '../record/enum-ids.ts';
import { bulkInsert } from './bulk-insert.ts';
import { NO_SCOPE, SentRows } from './sent-rows.ts';
import type { InputDescription } from './staged-row.ts';

const CLASHES = new URL('clashes.sql', import.meta.url);
const STATEMENTS = new URL('cut.sql', import.meta.url);

/**
 * Takes the rows of `temp.left_out` out of their batches, of which none was sent, and cuts the batches of their call groups
 * again. Counts messages again. In a transaction of the caller, once on a connection.
 */
export function cutAgain(database: DatabaseSync): void {
  cutBatches(database, (sql) => {
    const sent = new SentRows();
    type Row = { id: number; call_group_id: number; scope_id: number };
    for (const { id, call_group_id, scope_id } of sql<Row>('sent_rows').iterate({ lowest: NO_SCOPE }))
      sent.add(id, call_group_id, scope_id);
    return sent;
  });
}

/** Leaves out temp.left_out, and cuts the other rows into batches. @param rowsSent those of the call groups without batches */
function cutBatches(database: DatabaseSync, rowsSent: (sql: Statements) => SentRows): void {
  const sql = statementsOf(database, STATEMENTS);
  for (const name of ['index_left_out', 'leave_out', 'empty_batches', 'forget_batches']) sql(name).run();
  const sent = rowsSent(sql);
  const add = actionId('add');
  const edits = new Set(
    sql<{ id: number }>('edits')
      .all({ add })
      .map(({ id }) => id),
  );
  sql('begin_pieces').run();
  const pieces = bulkInsert(database, 'temp.pieces', ['id', 'call_group_id', 'turn', 'size', 'bans']);
  const memberships = bulkInsert(database, 'memberships', ['batch_id', 'row_id', 'scope_id']);
  let batch = sql<{ id: number }>('last_batch').get()?.id ?? 0;
  for (const { callGroup, turn, rows, bans } of sent.pieces((id) => (edits.has(id) ? 1 : MAX_UIDS_PER_CALL))) {
    batch += 1;
    let at = pieces.next();
    pieces.values[at] = batch;
    pieces.values[at + 1] = callGroup;
    pieces.values[at + 2] = turn;
    pieces.values[at + 3] = rows.length;
    pieces.values[at + 4] = bans;
    for (const row of rows) {
      at = memberships.next();
      memberships.values[at] = batch;
      memberships.values[at + 1] = row;
      memberships.values[at + 2] = sent.scopeOf(row);
    }
  }
  pieces.finish();
  memberships.finish();
  sql('list_batches').run({ add });
  for (const name of ['find_batch_of_row', 'count_messages']) sql(name).run();
}

export interface StagedTotals {
  readonly rows: number;
  readonly batches: number;
}

/** Finds duplicates and contradictions (clashes.sql says how) and cuts the rest into batches. */
export function cut(database: DatabaseSync, input: InputDescription, sent: SentRows): StagedTotals {
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
    findClashes(database, sent);
    cutBatches(database, (sql) => {
      for (const { row_id } of sql<{ row_id: number }>('rows_left_out').iterate()) sent.leaveOut(row_id);
      return sent;
    });
  });
  // Rows are numbered without a gap; to count them would read all of the file.
  const totals = database
    .prepare('select coalesce(max(id), 0) as rows, (select count(*) from batches) as batches from rows')
    .get();
  return { rows: Number(totals?.['rows']), batches: Number(totals?.['batches']) };
}

function findClashes(database: DatabaseSync, sent: SentRows): void {
  database.exec('create temp table suspects (row_id integer primary key)');
  const suspects = bulkInsert(database, 'temp.suspects', ['row_id']);
  for (const row of sent.repeated()) suspects.values[suspects.next()] = row;
  suspects.finish();
  const values = { lowest: NO_SCOPE, ban: scopeId('ban') };
  for (const text of readStatements(CLASHES).values()) {
    const used = Object.entries(values).filter(([name]) => text.includes(`:${name}`));
    database.prepare(text).run(Object.fromEntries(used));
  }
}
