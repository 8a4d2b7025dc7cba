import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { MAX_IMPORTED_PER_CALL, MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { foldId } from '../../membership/membership.ts';
import type { TrialChoices } from '../../options/sending-options.ts';
import { inTransaction, openForReading, openForWriting, type Statements, statementsOf } from '../../platform/sqlite.ts';
import type { ImportOptions } from '../import-options.ts';
import { reasonOf } from '../predictions/check-verdict.ts';
import { attachCheck, checkFiles, checkRun, optionsOfCheck } from '../predictions/row-check.ts';
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
type WorkLeft = Readonly<Record<'rows' | 'groups' | 'calls', number>>;

/** Adds rows that are not to be sent to `temp.left_out`, of those that are still to be sent. In no transaction. */
export type FindLeftOut = (ledger: DatabaseSync, unsent: UnsentImport) => void;

/**
 * Gives the rows that `find` finds the outcome `skipped`, in one transaction: a crash leaves out all of them or none. The other
 * rows of their batches are cut into batches again. Doing it once more changes nothing.
 * @returns how many rows were left out
 */
export function leaveOut(unsent: UnsentImport, find: FindLeftOut) {
  return onLedger(openForWriting, checkFiles(unsent.folder).ledger, (ledger, sql) => {
    sql('begin').run();
    find(ledger, unsent);
    const rows = Number(sql('count_left_out').get()?.['n']);
    if (rows > 0) cutWithout(ledger, sql, ['skip', 'count_skipped']);
    return rows;
  });
}

/** Returns the work of sending the other rows, by region, and how many each of `finds` takes out of what was left before it. */
export function workWithout(
  unsent: UnsentImport,
  finds: readonly FindLeftOut[],
): { readonly work: readonly WorkLeft[]; readonly leftOut: readonly number[] } {
  return onLedger(openForReading, checkFiles(unsent.folder).ledger, (ledger, sql) => {
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
  });
}

/**
 * Holds back all rows but those to try first, in one transaction.
 * @param path of a ledger of which nothing was sent
 * @returns whether there are such rows; if none is among those that `only` chooses, nothing is changed
 */
export function holdBack(path: string, { first, only = [] }: TrialChoices) {
  const idsIn = (field: 'uid' | 'guid') => {
    const lists = only.filter((condition) => condition.field === field).map(({ is }) => is.map(foldId));
    return lists.length === 0 ? null : JSON.stringify(lists.reduce((all, ids) => all.filter((id) => ids.includes(id))));
  };
  return onLedger(openForWriting, path, (ledger, sql) => {
    sql('begin_holding').run();
    sql('find_held').run({ first: first ?? null, uids: idsIn('uid'), guids: idsIn('guid') });
    const { n, going } = sql<{ n: number; going: number }>('count_held').get() ?? { n: 0, going: 0 };
    if (going === 0 && only.length > 0) return false;
    if (n > 0) cutWithout(ledger, sql, ['index_held', 'list_left_out', 'add_groups', 'move_rows', 'list_new']);
    return true;
  });
}

function onLedger<Result>(
  open: typeof openForWriting,
  path: string,
  work: (ledger: DatabaseSync, sql: Statements) => Result,
): Result {
  using ledger = open(path, IMPORT_SCHEMA);
  return work(ledger, statementsOf(ledger, STATEMENTS));
}

/** Does these statements, and cuts the batches of the call groups in `left_out` again. */
function cutWithout(ledger: DatabaseSync, sql: Statements, statements: readonly string[]) {
  inTransaction(ledger, () => {
    for (const name of [...statements, 'forget_messages']) sql(name).run();
    cutAgain(ledger);
  });
}

/** Rows that would fail, as the check of the import says. @throws NO_CHECK_YET */
export const findFailing: FindLeftOut = (ledger, unsent) => {
  requireCheck(unsent);
  attachCheck(ledger, unsent.folder);
  const sql = statementsOf(ledger, STATEMENTS);
  for (const { code } of sql<{ code: string }>('failing_codes').all()) {
    sql('find_failing').run({ code, message: `not sent: the check found that ${reasonOf(code)} (${code})` });
  }
};

/** Only a check that is done, and was made with the same options, says which rows would fail. */
function requireCheck({ id, folder, options }: UnsentImport) {
  const check = checkRun(folder);
  if (check === undefined) throw noCheck(id, 'was not checked with the service');
  if (check.state !== 'done') throw noCheck(id, 'has a check that is not done');
  if (check.options === optionsOfCheck(options)) return;
  throw noCheck(id, 'has a check that was made with other options for creating and bans, or by an older rollcall');
}

function noCheck(id: string, why: string) {
  return new RollcallError('NO_CHECK_YET', {
    id,
    why: `${why}, so it is not known which rows would fail; nothing was sent`,
  });
}

const summary = z.object({
  create: z.object({ missing: z.object({ users: z.int(), groups: z.int() }) }).nullable(),
});

/** Users and groups that the service does not know; undefined where nobody has asked it. @param folder of the import */
export async function foreseenMissing(folder: string) {
  const { summary: path } = checkFiles(folder);
  if (checkRun(folder)?.state !== 'done' || !existsSync(path)) return undefined;
  return summary.parse(JSON.parse(await readFile(path, 'utf8'))).create?.missing;
}
