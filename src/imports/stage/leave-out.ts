import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { MAX_IMPORTED_PER_CALL, MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import { inTransaction, openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import type { ImportOptions } from '../import-options.ts';
import { actionId } from '../record/enum-ids.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';
import { cutAgain } from './cut.ts';

const STATEMENTS = new URL('leave-out.sql', import.meta.url);

/** An import that was read and not sent. */
export interface UnsentImport {
  readonly id: string;
  readonly folder: string;
  /** With which it would be sent. */
  readonly options: ImportOptions;
}

/** The work that sending takes in a region. */
interface WorkLeft {
  readonly rows: number;
  readonly groups: number;
  readonly messages: number;
  readonly calls: number;
}

/** Adds rows that are not to be sent to `temp.left_out`, of those that are still to be sent. In no transaction. */
export type FindLeftOut = (ledger: DatabaseSync, unsent: UnsentImport) => void;

/**
 * Gives the rows that `find` finds the outcome `skipped`, in one transaction: a crash leaves out all of them or none. The other
 * rows of their batches are cut into batches again. Doing it once more changes nothing.
 * @returns how many rows were left out
 */
export function leaveOut(unsent: UnsentImport, find: FindLeftOut) {
  const ledger = openForWriting(join(unsent.folder, 'ledger.sqlite'), IMPORT_SCHEMA);
  try {
    const sql = statementsOf(ledger, STATEMENTS);
    sql('begin').run();
    find(ledger, unsent);
    const rows = Number(sql('count_left_out').get()?.['n']);
    if (rows === 0) return 0;
    inTransaction(ledger, () => {
      for (const name of ['skip', 'count_skipped', 'forget_messages']) sql(name).run();
      cutAgain(ledger);
    });
    return rows;
  } finally {
    ledger.close();
  }
}

/** Returns the work of sending the other rows, by region, and how many each of `finds` takes out of what was left before it. */
export function workWithout(
  unsent: UnsentImport,
  finds: readonly FindLeftOut[],
): { readonly work: readonly WorkLeft[]; readonly leftOut: readonly number[] } {
  const ledger = openForReading(join(unsent.folder, 'ledger.sqlite'), IMPORT_SCHEMA);
  try {
    const sql = statementsOf(ledger, STATEMENTS);
    sql('begin').run();
    let before = 0;
    const leftOut = finds.map((find) => {
      find(ledger, unsent);
      const now = Number(sql('count_left_out').get()?.['n']);
      const rows = now - before;
      before = now;
      return rows;
    });
    sql('keep_first').run();
    const given = { add: actionId('add'), size: MAX_UIDS_PER_CALL, together: MAX_IMPORTED_PER_CALL };
    return { work: sql<WorkLeft>('work_left').all(given), leftOut };
  } finally {
    ledger.close();
  }
}
