import type { InputRow } from '../../imports/read/input-row.ts';
import { actionOf, outcomeId, regionOf, scopeOf } from '../../imports/record/enum-ids.ts';
import type { MembershipToRetry } from '../../imports/report/retry-file.ts';
import { foldId } from '../../membership/membership.ts';
import { FULFILLED } from '../../membership/outcome.ts';
import { cellsOf, editableColumns, headerWidth, readEdited } from './edited-rows.ts';
import type { RepairProblem } from './operations.ts';
import { type OpenRepair, type OpenRow, problemsOf } from './repair-ledger.ts';

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
const AT_ONCE = 5_000;

/** Judges edited rows, by the code that reads files. @param together rows among them that may contradict each other */
export async function judge(
  repair: OpenRepair,
  rows: readonly OpenRow[],
  together: ReadonlySet<number> = new Set(),
): Promise<Judged[]> {
  const all: Judged[] = [];
  const asking = new Map<number, Asking>();
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE);
    const read = await readEdited(repair, some);
    const found = problemsOf(
      repair,
      some.map(({ row }) => row),
    );
    const done = inPlace(repair, some);
    for (const [index, row] of some.entries()) {
      const memberships = read[index] ?? [];
      all.push(
        judged(
          repair,
          row,
          memberships,
          lastingIn(found.get(row.row) ?? [], repair, row),
          done.get(row.row) ?? new Set(),
        ),
      );
      if (together.has(row.row)) asking.set(row.row, { line: row.line, memberships });
    }
  }
  const contradictionsOf = contradictionsIn(asking.values());
  const { recognised } = repair.input;
  return all.map((one) => {
    const own = asking.get(one.row);
    if (own === undefined) return one;
    const found = contradictionsOf(own).map(({ column, ...problem }) => ({
      ...problem,
      column: recognised[column] ?? column,
    }));
    return { ...one, problems: [...one.problems, ...found] };
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

function membershipOf(line: number, { region, guid, uid, scope, onBehalfOf, action = 'add' }: InputRow) {
  const isScoped = action === 'add' || action === 'change';
  return { line, region, guid, uid, scope: isScoped ? scope : '', actor: onBehalfOf, action };
}

/** The memberships of these rows that the service has already, by row. */
function inPlace({ sql }: OpenRepair, rows: readonly OpenRow[]) {
  const found = new Map(rows.map(({ row }) => [row, new Set<string>()]));
  type Found = Record<'row' | 'region' | 'action', number> & Record<'guid' | 'uid' | 'actor', string>;
  const memberships = sql<Found & { scope: number | null }>('memberships_in_place').all({
    rows: JSON.stringify([...found.keys()]),
    fulfilled: JSON.stringify([...FULFILLED].map(outcomeId)),
  });
  for (const { row, region, scope, action, actor, ...ids } of memberships) {
    const asked = { ...ids, region: regionOf(region), action: actionOf(action), onBehalfOf: actor };
    found.get(row)?.add(keyOf({ ...asked, scope: scope === null ? 'participant' : scopeOf(scope) }));
  }
  return found;
}

/**
 * The problem that the text of an edited row no longer shows: too few or too many cells, until a person has edited
 * those cells; a repeated key, until a person has chosen its value.
 */
function lastingIn(problems: readonly RepairProblem[], { input }: OpenRepair, row: OpenRow) {
  const columns = editableColumns(input);
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
const CONTRADICTIONS = ['ADDED_AND_BANNED', 'SEVERAL_ACTIONS', 'DERIVED_ID_COLLISION'] as const;
export const CONTRADICTION_CODES = JSON.stringify(CONTRADICTIONS);

/** A row of the file, and what it asks for now. */
interface Asking {
  readonly line: number;
  readonly memberships: readonly InputRow[];
}

/** A row's value for something about which all rows must agree. */
type Claim = readonly [code: (typeof CONTRADICTIONS)[number], column: string, about: string, says: string];

/** Finds what each of these rows contradicts in the others. */
function contradictionsIn(rows: Iterable<Asking>): (row: Asking) => RepairProblem[] {
  const said = new Map<string, Map<string, number>>();
  for (const row of rows) {
    for (const [code, column, about, says] of claimsOf(row)) {
      const key = `${code} ${column} ${about}`;
      const lines = said.get(key) ?? new Map<string, number>();
      said.set(key, lines.has(says) ? lines : lines.set(says, row.line));
    }
  }
  return (row) =>
    claimsOf(row).flatMap(([code, column, about, says]) => {
      const other = [...(said.get(`${code} ${column} ${about}`) ?? [])].find(([text]) => text !== says);
      return other === undefined ? [] : [{ column, code, reason: reasonFor(code, says, other) }];
    });
}

function claimsOf({ memberships }: Asking) {
  return memberships
    .filter(({ problems, shaped }) => problems.length === 0 && shaped?.skipped !== true)
    .flatMap(({ region, guid, uid, scope, action = 'add', shaped }): Claim[] => {
      const group = `${region} ${guid.toLowerCase()}`;
      const member = `${group} ${uid.toLowerCase()}`;
      const { uid: ofUid, guid: ofGuid } = shaped?.sources ?? {};
      const claims: Claim[] = [['SEVERAL_ACTIONS', 'action', member, action]];
      if (action === 'add') claims.push(['ADDED_AND_BANNED', 'scope', member, String(scope === 'ban')]);
      if (ofUid !== undefined) claims.push(['DERIVED_ID_COLLISION', 'uid', uid.toLowerCase(), ofUid.toLowerCase()]);
      if (ofGuid !== undefined) claims.push(['DERIVED_ID_COLLISION', 'guid', group, ofGuid.toLowerCase()]);
      return claims;
    });
}

function reasonFor(code: Claim[0], says: string, [other, line]: readonly [string, number]) {
  if (code === 'ADDED_AND_BANNED') {
    return `the same UID is both added to this group and banned from it (row ${line} asks for the other): keep one of the two`;
  }
  if (code === 'SEVERAL_ACTIONS') {
    return `the same UID is in this group with another action (row ${line}): keep one of the rows`;
  }
  return `${JSON.stringify(says)} and ${JSON.stringify(other)} in row ${line} become the same id: nothing is sent, because they may be different`;
}
