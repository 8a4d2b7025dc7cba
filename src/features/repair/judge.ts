import type { InputRow } from '../../imports/read/input-row.ts';
import { outcomeId } from '../../imports/record/enum-ids.ts';
import { statementText } from '../../imports/report/chosen-rows.ts';
import type { MembershipToRetry } from '../../imports/report/report-table.ts';
import { IMPORT_SCHEMA } from '../../imports/schemas.ts';
import { findClashes } from '../../imports/stage/cut.ts';
import { rowInserter } from '../../imports/stage/row-writer.ts';
import { foldId } from '../../membership/membership.ts';
import { FULFILLED } from '../../membership/outcome.ts';
import { openForStaging, statementsOf } from '../../platform/sqlite.ts';
import { cellsOf, columnNames, headerWidth, readEdited } from './edited-rows.ts';
import type { RepairProblem } from './operations.ts';
import { type OpenRepair, type OpenRow, once, problemsOf, STATEMENTS } from './repair-ledger.ts';

/** Judges edited rows, by the code that reads files. @param related rows among them that may contradict each other */
export async function judge(
  repair: OpenRepair,
  rows: readonly OpenRow[],
  related: ReadonlySet<number> = new Set(),
): Promise<Judged[]> {
  if (rows.length === 0) return [];
  const numbers = rows.map(({ row }) => row);
  const read = await readEdited(repair, rows);
  const before = problemsOf(repair, numbers);
  const done = inPlace(repair, numbers);
  const clashes = clashesIn(
    repair,
    rows.flatMap(({ row }, index) => (related.has(row) ? (read[index] ?? []) : [])),
  );
  return rows.map((row, index) => {
    const own = read[index] ?? [];
    const lasting = before.get(row.row)?.findLast((problem) => isLasting(repair, row, problem));
    const memberships = own.map(membershipOf).filter((one) => !done.has(keyOf(one)));
    const found = [lasting ?? [], ...own.map((one) => one.problems), own.length === 0 ? NOTHING : []].flat();
    if (found.length === 0 && memberships.length === 0) found.push(IN_PLACE);
    return { ...row, problems: once([...found, ...(clashes.get(row.line) ?? [])]), memberships };
  });
}

/** The current state of an edited row. */
interface Judged extends OpenRow {
  /** Its remaining problems; none: it can be sent. */
  readonly problems: RepairProblem[];
  /** Those that are still to be sent. */
  readonly memberships: readonly MembershipToRetry[];
}

const NOTHING: RepairProblem = { column: '', code: 'EMPTY', reason: 'the row is empty' };
const IN_PLACE: RepairProblem = {
  column: '',
  code: 'NO_MEMBERSHIP',
  reason: 'what the row asks for now is in place already',
};

function membershipOf(row: InputRow): MembershipToRetry {
  const { line, region, guid, uid, onBehalfOf: actor, action = 'add', joinedAt, until = null } = row;
  const scope = action === 'add' || action === 'change' ? row.scope : '';
  return { line, region, guid, uid, scope, actor, action, joined_at: joinedAt ?? null, until };
}

function keyOf({ line, region, guid, uid, actor, action, scope }: MembershipToRetry) {
  return [line, region, foldId(guid), foldId(uid), foldId(actor), action, scope].join(' ');
}

const MEMBERSHIPS_IN_PLACE = statementText('memberships_to_retry').replace(
  '/* chosen */ true',
  `m.outcome_id in (select value from json_each(:fulfilled))
     and (r.id in (select value from json_each(:rows))
       or r.id in (select o.row_id from parts o where o.first_row in (select value from json_each(:rows))))`,
);
const FULFILLED_IDS = JSON.stringify([...FULFILLED].map(outcomeId));

/** The memberships of these rows that the service has already. */
function inPlace({ database }: OpenRepair, rows: readonly number[]) {
  const found = database.prepare(MEMBERSHIPS_IN_PLACE).all({ rows: JSON.stringify(rows), fulfilled: FULFILLED_IDS });
  return new Set((found as unknown as MembershipToRetry[]).map(keyOf));
}

/**
 * Whether the text of an edited row no longer shows a problem of it: too few or too many cells, until a person has edited
 * those cells; a repeated key, until a person has chosen its value.
 */
function isLasting({ input }: OpenRepair, row: OpenRow, { code, column }: RepairProblem) {
  const { edits } = row;
  if (code === 'REPEATED_KEY') return !edits.has(column);
  if (code !== 'CELL_COUNT') return false;
  const names = columnNames(input);
  const width = headerWidth(input);
  const cells = cellsOf(input, row);
  const given = cells.filter((cell) => cell !== null).length;
  if (given < width) return !names.slice(given, width).some((name) => edits.has(name));
  return names.some((name, index) => index >= width && (edits.get(name) ?? cells[index] ?? '').trim() !== '');
}

/** Problems of a row that another row of the file makes: when that one is corrected, there is none. */
export const CONTRADICTION_CODES = JSON.stringify(['ADDED_AND_BANNED', 'SEVERAL_ACTIONS', 'DERIVED_ID_COLLISION']);

/** Finds what these memberships contradict in each other, as in a file that has them. @returns line -> problems */
function clashesIn({ input }: OpenRepair, memberships: readonly InputRow[]) {
  if (memberships.length === 0) return new Map<number, RepairProblem[]>();
  using database = openForStaging(':memory:', IMPORT_SCHEMA);
  const inserter = rowInserter(database);
  inserter.insert(memberships);
  findClashes(database, inserter.finish());
  const sql = statementsOf(database, STATEMENTS);
  const found = sql<RepairProblem & { readonly line: number }>('contradictions').all({ codes: CONTRADICTION_CODES });
  const named = found.map(({ column, ...one }) => ({ ...one, column: input.recognised[column] ?? column }));
  return Map.groupBy(named, ({ line }) => line);
}
