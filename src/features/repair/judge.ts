import type { InputRow } from '../../imports/read/input-row.ts';
import { outcomeId } from '../../imports/record/enum-ids.ts';
import type { MembershipToRetry } from '../../imports/report/report-table.ts';
import { IMPORT_SCHEMA } from '../../imports/schemas.ts';
import { findClashes } from '../../imports/stage/cut.ts';
import { rowInserter } from '../../imports/stage/row-writer.ts';
import { foldId } from '../../membership/membership.ts';
import { FULFILLED } from '../../membership/outcome.ts';
import { openForStaging, statementsOf } from '../../platform/sqlite.ts';
import { cellsOf, columnNames, headerWidth, readEdited } from './edited-rows.ts';
import type { RepairProblem } from './operations.ts';
import { type OpenRepair, type OpenRow, problemsOf, STATEMENTS } from './repair-ledger.ts';

/** The current state of an edited row. */
export interface Judged {
  readonly row: number;
  readonly line: number;
  /** Its remaining problems; none: it can be sent. */
  readonly problems: readonly RepairProblem[];
  /** The memberships to send, of a shaped row. */
  readonly memberships: readonly MembershipToRetry[];
}

/** Rows that are read at a time: a bound on memory. */
export const AT_ONCE = 5_000;

/** Judges edited rows, by the code that reads files. @param together rows among them that may contradict each other */
export async function judge(
  repair: OpenRepair,
  rows: readonly OpenRow[],
  together: ReadonlySet<number> = new Set(),
): Promise<Judged[]> {
  const all: Judged[] = [];
  const asking: InputRow[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE);
    const read = await readEdited(repair, some);
    const numbers = some.map(({ row }) => row);
    const found = problemsOf(repair, numbers);
    const done = inPlace(repair, numbers);
    for (const [index, row] of some.entries()) {
      const memberships = read[index] ?? [];
      const lasting = lastingIn(found.get(row.row) ?? [], repair, row);
      all.push(judged(repair, row, memberships, lasting, new Set(done.get(row.row)?.map(keyOf))));
      if (together.has(row.row)) asking.push(...memberships.map((one) => ({ ...one, line: row.line })));
    }
  }
  if (asking.length === 0) return all;
  const contradictions = contradictionsIn(asking);
  const { recognised } = repair.input;
  return all.map((one) => {
    const found = contradictions.get(one.line) ?? [];
    const named = found.map(({ column, code, reason }) => ({ column: recognised[column] ?? column, code, reason }));
    return { ...one, problems: [...one.problems, ...named] };
  });
}

function judged(
  { input }: OpenRepair,
  { row, line }: OpenRow,
  read: readonly InputRow[],
  lasting: readonly RepairProblem[],
  done: ReadonlySet<string>,
) {
  const problems = lasting.map(({ column, code, reason }) => ({ column, code, reason }));
  const said = new Set(problems.map(({ column, code }) => `${code} ${column}`));
  for (const { column, code, reason } of read.flatMap((one) => one.problems)) {
    if (!said.has(`${code} ${column}`)) problems.push({ column, code, reason });
  }
  if (read.length === 0) problems.push(NOTHING);
  const left = read.filter((one) => !done.has(keyOf(one)));
  if (problems.length === 0 && left.length === 0) problems.push(IN_PLACE);
  const memberships = input.shaped === true ? left.map((one) => membershipOf(line, one)) : [];
  return { row, line, problems, memberships };
}

const NOTHING: RepairProblem = { column: '', code: 'EMPTY', reason: 'the row is empty' };
const IN_PLACE: RepairProblem = {
  column: '',
  code: 'NO_MEMBERSHIP',
  reason: 'what the row asks for now is in place already',
};

type Asked = Pick<InputRow, 'region' | 'guid' | 'uid' | 'scope' | 'onBehalfOf' | 'action'>;

function keyOf({ region, guid, uid, scope, onBehalfOf, action }: Asked) {
  const ids = [guid, uid, onBehalfOf].map(foldId);
  return [region, ...ids, action ?? 'add', action === 'remove' || action === 'unban' ? '' : scope].join(' ');
}

function membershipOf(line: number, row: InputRow) {
  const { region, guid, uid, scope, onBehalfOf, action = 'add', joinedAt = null, until = null } = row;
  const isScoped = action === 'add' || action === 'change';
  return {
    line,
    region,
    guid,
    uid,
    scope: isScoped ? scope : '',
    actor: onBehalfOf,
    action,
    joined_at: joinedAt,
    until,
  };
}

/** The memberships of these rows that the service has already, by row. */
function inPlace({ sql }: OpenRepair, rows: readonly number[]) {
  const memberships = sql<Asked & { readonly row: number }>('memberships_in_place').all({
    rows: JSON.stringify(rows),
    fulfilled: JSON.stringify([...FULFILLED].map(outcomeId)),
  });
  return Map.groupBy(memberships, ({ row }) => row);
}

/**
 * The problem that the text of an edited row no longer shows: too few or too many cells, until a person has edited
 * those cells; a repeated key, until a person has chosen its value.
 */
function lastingIn(problems: readonly RepairProblem[], { input }: OpenRepair, row: OpenRow) {
  const columns = columnNames(input);
  const width = headerWidth(input);
  const lasting = problems.findLast(({ code, column }) =>
    code === 'REPEATED_KEY' ? !row.edits.has(column) : code === 'CELL_COUNT' && !cellsAreSaid(),
  );
  return lasting === undefined ? [] : [lasting];

  function cellsAreSaid(): boolean {
    const cells = cellsOf(input, row);
    const given = cells.filter((cell) => cell !== null).length;
    if (given < width) return columns.slice(given, width).some((column) => row.edits.has(column));
    return columns
      .slice(width)
      .every((column, index) => (row.edits.get(column) ?? cells[width + index] ?? '').trim() === '');
  }
}

/** Problems of a row that another row of the file makes: when that one is corrected, there is none. */
export const CONTRADICTION_CODES = JSON.stringify(['ADDED_AND_BANNED', 'SEVERAL_ACTIONS', 'DERIVED_ID_COLLISION']);

/** Finds what these memberships contradict in each other, as in a file that has them. @returns line -> problems */
function contradictionsIn(memberships: readonly InputRow[]) {
  using database = openForStaging(':memory:', IMPORT_SCHEMA);
  const inserter = rowInserter(database);
  inserter.insert(memberships);
  findClashes(database, inserter.finish());
  const sql = statementsOf(database, STATEMENTS);
  const found = sql<RepairProblem & { readonly line: number }>('contradictions').all({ codes: CONTRADICTION_CODES });
  return Map.groupBy(found, ({ line }) => line);
}
