import {
  ACTOR_OUTSIDE,
  ACTOR_TOO_LOW,
  GROUP_MISSING,
  JOIN_NOT_ALLOWED,
  JOINED_TOO_EARLY,
  NOT_A_MEMBER,
  SCOPE_TOO_LOW,
  USER_MISSING,
  WRONG_PASSWORD,
} from '../../chat/service/codes.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { checkFiles, optionsOfCheck } from '../../imports/predictions/row-check.ts';
import { scopeId, scopeOf } from '../../imports/record/enum-ids.ts';
import { writeWhole } from '../../platform/files.ts';
import { inTransaction, type Statements } from '../../platform/sqlite.ts';
import { writeTable } from '../../platform/table.ts';
import { openThread } from '../../platform/threads.ts';
import { planNewGroups, settleNew } from './check-creating.ts';
import { type CheckLedger, openCheckLedger } from './check-ledger.ts';
import { type CheckSubject, type FirstOfRows, summaryOfCheck } from './check-summary.ts';

/** A part of a check: its beginning, what would be created once it is known which groups are missing, or its end. */
export interface CheckWork {
  readonly folder: string;
  readonly step: 'fill' | 'plan' | 'conclude';
  readonly subject: CheckSubject;
}

export type CheckThread = { step: (work: CheckWork) => Promise<void> };

/** Maximum number of rows whose work takes less time than starting a thread. */
const MAX_INLINE_ROWS = 20_000;

/** Does the work; in a thread when there are many rows, so that it does not block the process. */
export async function doCheckWork(work: CheckWork, rows: number) {
  if (rows > MAX_INLINE_ROWS) await openThread<CheckThread>(import.meta.url, './check-thread').askOnce('step', work);
  // As a thread would get it: a value that cannot be sent fails with few rows too.
  else await doCheckStep(structuredClone(work));
}

export async function doCheckStep({ folder, step, subject }: CheckWork) {
  using ledger = openCheckLedger(folder);
  const { create } = subject;
  if (step === 'conclude') return await conclude(ledger, folder, subject);
  inTransaction(ledger.database, () => {
    if (step === 'fill') for (const name of FILLING) ledger.sql(name).run();
    // Now it is known which groups are missing: their owners are asked about like other users.
    else if (create !== undefined) planNewGroups(ledger, checkFiles(folder).ledger, create);
  });
}

/** Statements that fill a new check with everything that the rows of its import name. */
const FILLING = ['fill_groups', 'fill_users', 'fill_places', 'count_asked'];

/** Gives every row its verdict, and writes the files: `check.csv`, `check-groups.csv`, `check.json`. */
async function conclude(ledger: CheckLedger, folder: string, subject: CheckSubject) {
  const { sql } = ledger;
  const files = checkFiles(folder);
  const { create, bans, anybodyActs } = subject;
  inTransaction(ledger.database, () => {
    sql('forget_verdicts').run();
    if (create !== undefined) settleNew(ledger, files.ledger, create);
    sql('make_verdicts').run({
      ban: BANNED,
      outside: OUTSIDE,
      other: OTHER_SCOPE,
      admin: scopeId('admin'),
      moderator: scopeId('moderator'),
      participant: scopeId('participant'),
      group_missing: GROUP_MISSING,
      user_missing: USER_MISSING,
      too_early: JOINED_TOO_EARLY,
      not_a_member: NOT_A_MEMBER,
      actor_outside: ACTOR_OUTSIDE,
      too_low: ACTOR_TOO_LOW,
      scope_too_low: SCOPE_TOO_LOW,
      join_not_allowed: JOIN_NOT_ALLOWED,
      wrong_password: WRONG_PASSWORD,
      reactivate: create?.reactivate ? 1 : 0,
      anybody: anybodyActs ? 1 : 0,
      lifts: bans === 'keep' ? 0 : 1,
    });
    sql('set_options').run({ options: optionsOfCheck(subject) });
  });
  const kinds: KindsOfRows = new Map();
  await writeWhole(files.rows, writeTable(ROW_COLUMNS, rowResults(sql, kinds), 'csv'));
  await writeWhole(files.groups, writeTable(GROUP_COLUMNS, groupResults(sql), 'csv'));
  await writeWhole(files.summary, [`${JSON.stringify(summaryOfCheck(ledger, subject, inOrder(kinds)), null, 2)}\n`]);
  ledger.move('done');
}

/** A user's place in a group, as a number: that of the scope in the ledger, or one of these. */
const BANNED = scopeId('ban');
const OUTSIDE = 0;
const OTHER_SCOPE = 9;

function placeWord(place: number) {
  if (place === OUTSIDE) return 'not a member';
  if (place === BANNED) return 'banned';
  return place === OTHER_SCOPE ? 'another scope' : scopeOf(place);
}

type Row = Readonly<Record<string, unknown>>;

const ROW_COLUMNS = ['row', 'region', 'guid', 'uid', 'scope', 'check', 'now', 'code', 'reason', 'value'];

type KindsOfRows = Map<string, FirstOfRows>;

/** By verdict and code; invalid rows are the last. */
function inOrder(kinds: KindsOfRows) {
  const named = [...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return named.map(([, kind]) => kind);
}

/** @param kinds gets the number of rows of each kind, with the first of them */
function* rowResults(sql: Statements, kinds: KindsOfRows) {
  for (const row of sql<FirstOfRows & Row>('row_results').iterate()) {
    const name = `${row.verdict === 'invalid'} ${row.verdict} ${row.code}`;
    const kind = kinds.get(name);
    if (kind === undefined) kinds.set(name, { ...row, n: 1 });
    else kind.n += 1;
    const now = row['place'] === null ? '' : placeWord(Number(row['place']));
    const cells: Row = { ...row, check: row.verdict, now, reason: reasonOfRow(row) };
    yield ROW_COLUMNS.map((name) => cells[name]);
  }
}

function reasonOfRow({ verdict, code, of_line, problem, left_out, acting, group_message }: Row) {
  const reason = () => `${reasonOf(String(code))}${OF_ACTING.has(String(code)) ? ` (${acting})` : ''}`;
  switch (verdict) {
    case 'duplicate':
      return `row ${of_line} asks for the same membership`;
    case 'invalid':
      return problem;
    case 'skipped':
      return left_out;
    case 'create':
    case 'fail':
      return reason();
    case 'not_checked':
      return `${reason()}${group_message ? `: ${group_message}` : ''}`;
    case 'other_scope':
      return 'an import does not change the scope of a member; a sync does';
    default:
      return verdict === 'lifts_ban' ? 'adding the user lifts the ban' : '';
  }
}

/** Codes that say something of the acting user. */
const OF_ACTING: ReadonlySet<string> = new Set([
  ACTOR_OUTSIDE,
  ACTOR_TOO_LOW,
  SCOPE_TOO_LOW,
  'ACTING_USER_NOT_FOUND',
  'ACTING_USER_MOVES',
  'ACTING_SCOPE',
]);

const GROUP_COLUMNS = [
  'region',
  'guid',
  'group_name',
  'group_type',
  'group_owner',
  'found',
  'members',
  'rows',
  'add',
  'fail',
  'reason',
];

const FOUND: Readonly<Record<string, string>> = { found: 'yes', missing: 'no' };

function reasonOfGroup({ code, message, creation }: Row) {
  if (code === '') return '';
  return creation === null ? `${code}: ${message}` : `${creation}: ${reasonOf(String(creation))}`;
}

function* groupResults(sql: Statements) {
  for (const row of sql('group_results').iterate()) {
    const isNew = row['creation'] === '';
    const found = isNew ? 'to be created' : (FOUND[String(row['state'])] ?? 'not known');
    const cells: Row = { ...row, found, reason: isNew ? '' : reasonOfGroup(row) };
    yield GROUP_COLUMNS.map((name) => cells[name]);
  }
}
