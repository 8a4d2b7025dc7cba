import type { InputRow } from '../../imports/read/input-row.ts';
import { actionOf, outcomeId, outcomeOf, regionOf, scopeOf } from '../../imports/record/enum-ids.ts';
import { inputOf } from '../../imports/report/report-paths.ts';
import type { MembershipToRetry } from '../../imports/report/retry-file.ts';
import { foldId } from '../../membership/membership.ts';
import { FULFILLED } from '../../membership/outcome.ts';
import type { RepairProblem } from './api.ts';
import { cellsOf, type Edited, type EditedRow, editableColumns, headerWidth, readEdited } from './edited-rows.ts';
import type { RepairLedger } from './repair-ledger.ts';

/** The current state of an edited row. */
export interface Judged {
  readonly row: number;
  /** Its remaining problems; none: it can be sent. */
  readonly problems: readonly RepairProblem[];
  /** The memberships to send, of a shaped row. */
  readonly memberships: readonly MembershipToRetry[];
}

/** Rows that are read at a time: a bound on memory. */
const AT_ONCE = 5_000;

/** Judges edited rows, by the code that reads files. @param together rows among them that may contradict each other */
export async function judge(
  ledger: RepairLedger,
  edited: Edited,
  rows: readonly EditedRow[],
  together: ReadonlySet<number> = new Set(),
): Promise<Judged[]> {
  const all: Judged[] = [];
  const asking = new Map<number, Asking>();
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE);
    const read = await readEdited(edited, some);
    const lasting = lastingProblems(ledger, edited, some);
    const before = membershipsBefore(ledger, some);
    for (const [index, row] of some.entries()) {
      const memberships = read[index] ?? [];
      all.push(judged(edited, row, memberships, lasting.get(row.row) ?? [], before.get(row.row) ?? []));
      if (together.has(row.row)) asking.set(row.row, { line: row.line, memberships });
    }
  }
  const contradictionsOf = contradictionsIn(asking.values());
  const { recognised } = edited.input;
  return all.map((one) => {
    const own = asking.get(one.row);
    if (own === undefined) return one;
    const found = contradictionsOf(own).map((problem) => ({
      ...problem,
      column: recognised[problem.column] ?? problem.column,
    }));
    return { ...one, problems: [...one.problems, ...found] };
  });
}

type Before = Pick<InputRow, 'region' | 'guid' | 'uid' | 'scope' | 'onBehalfOf' | 'action'> & {
  readonly outcome: number;
};

function judged(
  { input }: Edited,
  { row, line }: EditedRow,
  read: readonly InputRow[],
  lasting: readonly RepairProblem[],
  before: readonly Before[],
): Judged {
  const problems = [...lasting];
  const said = new Set(problems.map(({ column, code }) => `${code} ${column}`));
  for (const { column, code, reason } of read.flatMap((one) => one.problems)) {
    if (!said.has(`${code} ${column}`)) problems.push({ column, code, reason });
  }
  if (read.length === 0) problems.push(NOTHING);
  const done = new Set(before.filter(({ outcome }) => FULFILLED.has(outcomeOf(outcome))).map(keyOf));
  const left = read.filter((one) => !done.has(keyOf(one)));
  if (problems.length === 0 && left.length === 0) problems.push(IN_PLACE);
  const memberships = input.shaped === true ? left.map((one) => membershipOf(line, one)) : [];
  return { row, problems, memberships };
}

const NOTHING: RepairProblem = { column: '', code: 'EMPTY', reason: 'the row is empty' };
const IN_PLACE: RepairProblem = {
  column: '',
  code: 'NO_MEMBERSHIP',
  reason: 'what the row asks for now is in place already',
};

function keyOf({ region, guid, uid, scope, onBehalfOf, action }: Omit<Before, 'outcome'>): string {
  const ids = [guid, uid, onBehalfOf].map(foldId);
  return [region, ...ids, action ?? 'add', action === 'remove' || action === 'unban' ? '' : scope].join(' ');
}

function membershipOf(line: number, { region, guid, uid, scope, onBehalfOf, action = 'add' }: InputRow) {
  const isScoped = action === 'add' || action === 'change';
  return { line, region, guid, uid, scope: isScoped ? scope : '', actor: onBehalfOf, action };
}

/** The outcomes of memberships of rows that were sent. */
function membershipsBefore({ sql }: RepairLedger, rows: readonly EditedRow[]): Map<number, Before[]> {
  const found = new Map<number, Before[]>();
  const values = { rows: JSON.stringify(rows.map(({ row }) => row)), unprocessed: outcomeId('unprocessed') };
  for (const one of sql('memberships_of').all(values)) {
    const row = Number(one['row_id']);
    const action = actionOf(Number(one['action']));
    const before: Before = {
      region: regionOf(Number(one['region'])),
      guid: String(one['guid']),
      uid: String(one['uid']),
      scope: one['scope'] === null ? 'participant' : scopeOf(Number(one['scope'])),
      onBehalfOf: String(one['actor']),
      ...(action !== 'add' && { action }),
      outcome: Number(one['outcome']),
    };
    found.set(row, [...(found.get(row) ?? []), before]);
  }
  return found;
}

/**
 * Problems that the text of an edited row no longer shows: too few or too many cells, until a person has edited
 * those cells; a repeated key, until a person has chosen its value.
 */
function lastingProblems({ sql }: RepairLedger, { input }: Edited, rows: readonly EditedRow[]) {
  const found = new Map<number, RepairProblem[]>();
  const byRow = new Map(rows.map((row) => [row.row, row]));
  const description = inputOf(input);
  const columns = editableColumns(description);
  const width = headerWidth(description);
  for (const problem of sql('problems_of').all({ rows: JSON.stringify([...byRow.keys()]) })) {
    const row = byRow.get(Number(problem['row_id']));
    const code = String(problem['code']);
    const column = String(problem['column']);
    if (row === undefined || (code !== 'CELL_COUNT' && code !== 'REPEATED_KEY')) continue;
    if (code === 'REPEATED_KEY' ? row.edits.has(column) : cellsAreSaid(row)) continue;
    found.set(row.row, [{ column, code, reason: String(problem['reason']) }]);
  }
  return found;

  function cellsAreSaid(row: EditedRow): boolean {
    const cells = cellsOf(description, row);
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

/** A row's value for something about which all rows must agree. */
interface Claim {
  readonly code: (typeof CONTRADICTIONS)[number];
  readonly field: 'uid' | 'guid' | 'scope' | 'action';
  readonly about: string;
  readonly says: string;
}

/** A row of the file, and what it asks for now. */
interface Asking {
  readonly line: number;
  readonly memberships: readonly InputRow[];
}

/** Finds what each of these rows contradicts in the others. */
function contradictionsIn(rows: Iterable<Asking>): (row: Asking) => RepairProblem[] {
  const said = new Map<string, Map<string, number>>();
  for (const row of rows) {
    for (const { about, says } of claimsOf(row)) {
      const lines = said.get(about) ?? new Map<string, number>();
      said.set(about, lines.has(says) ? lines : lines.set(says, row.line));
    }
  }
  return (row) =>
    claimsOf(row).flatMap(({ code, field, about, says }) => {
      const other = [...(said.get(about) ?? [])].find(([text]) => text !== says);
      return other === undefined ? [] : [{ column: field, code, reason: reasonFor(code, says, other) }];
    });
}

function claimsOf({ memberships }: Asking): Claim[] {
  return memberships
    .filter(({ problems, shaped }) => problems.length === 0 && shaped?.skipped !== true)
    .flatMap(({ region, guid, uid, scope, action = 'add', shaped }): Claim[] => {
      const group = `${region} ${guid.toLowerCase()}`;
      const member = `${group} ${uid.toLowerCase()}`;
      const sources = shaped?.sources;
      return [
        claim('SEVERAL_ACTIONS', 'action', `action ${member}`, action),
        ...(action === 'add' ? [claim('ADDED_AND_BANNED', 'scope', `ban ${member}`, String(scope === 'ban'))] : []),
        ...(sources?.uid === undefined
          ? []
          : [claim('DERIVED_ID_COLLISION', 'uid', `uid ${uid.toLowerCase()}`, sources.uid.toLowerCase())]),
        ...(sources?.guid === undefined
          ? []
          : [claim('DERIVED_ID_COLLISION', 'guid', `guid ${group}`, sources.guid.toLowerCase())]),
      ];
    });
}

function claim(code: Claim['code'], field: Claim['field'], about: string, says: string): Claim {
  return { code, field, about, says };
}

function reasonFor(code: Claim['code'], says: string, [other, line]: readonly [string, number]): string {
  if (code === 'ADDED_AND_BANNED') {
    return `the same UID is both added to this group and banned from it (row ${line} asks for the other): keep one of the two`;
  }
  if (code === 'SEVERAL_ACTIONS') {
    return `the same UID is in this group with another action (row ${line}): keep one of the rows`;
  }
  return `${JSON.stringify(says)} and ${JSON.stringify(other)} in row ${line} become the same id: nothing is sent, because they may be different`;
}
