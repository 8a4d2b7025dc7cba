import { type ImportOptions, retryOptions } from '../../imports/import-options.ts';
import { chunked } from '../../imports/read/element.ts';
import type { InputRow } from '../../imports/read/input-row.ts';
import { openIntake } from '../../imports/read/intake.ts';
import { isIntakeError } from '../../imports/read/intake-error.ts';
import { parseJson } from '../../imports/read/json-text.ts';
import { outcomeId } from '../../imports/record/enum-ids.ts';
import { statementText } from '../../imports/report/chosen-rows.ts';
import { elementOf, type MembershipToRetry } from '../../imports/report/report-table.ts';
import { IMPORT_SCHEMA } from '../../imports/schemas.ts';
import { findClashes } from '../../imports/stage/cut.ts';
import { lookupCopy } from '../../imports/stage/lookup-copies.ts';
import { openLookups } from '../../imports/stage/lookup-file.ts';
import { rowInserter } from '../../imports/stage/row-writer.ts';
import { foldId } from '../../membership/membership.ts';
import { FULFILLED } from '../../membership/outcome.ts';
import { mapLookups } from '../../options/lookups.ts';
import { openForStaging, statementsOf } from '../../platform/sqlite.ts';
import { csvLine } from '../../text/csv-line.ts';
import {
  EDITED,
  FROM_ROW,
  type OpenCorrections,
  type OpenRow,
  once,
  problemsOf,
  rowsOf,
  STATEMENTS,
} from './corrections-ledger.ts';
import type { RowProblem } from './operations.ts';

/** Returns the number of columns in the header; those behind it hold the surplus cells of longer rows. */
function headerWidth({ input: { columns } }: OpenCorrections): number {
  const isExtra = (from: number) => columns.slice(from).every((name, index) => name === `_extra_${index + 1}`);
  const extra = columns.findIndex((name, index) => name === '_extra_1' && isExtra(index));
  return extra === -1 ? columns.length : extra;
}

/**
 * The element of a row with its edits, on one line. Other cells stay as they were, numbers of any length included.
 * @param needed keys that it must have, so that it is taken for a row: null where it has none
 */
function editedElement(row: OpenRow, needed: readonly string[], added: ReadonlyMap<string, string>) {
  const before = elementOf(row);
  const missing = needed.filter((key) => !before.has(key)).map((key) => [key, null] as const);
  const edits = [...row.edits].map(([key, text]) => [key, elementValue(text, before.get(key))] as const);
  const after = new Map([...before, ...missing, ...edits, ...added]);
  return `{${[...after].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** A list stays a list where its text is one. */
function elementValue(text: string, before: unknown): unknown {
  const isList = typeof before === 'object' && before !== null && !('rawJSON' in before);
  if (!isList) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/**
 * Reads edited rows as a file of them would be read, by the code that reads files, some at a time: what each row asks for, or what
 * is wrong with it. A row that gives several memberships gives several rows.
 */
async function* readEdited(open: OpenCorrections, numbers: Iterable<number>) {
  const { folder, options, input } = open;
  const isCsv = input.format === 'csv';
  const sources = mapLookups(options, (kept, lookup) => ({ path: lookupCopy(folder, lookup), ...kept }));
  using lookups = await openLookups(options.shape, sources, new AbortController().signal);
  // Their elements may lack a key that others have.
  const lenient = input.shaped === true && !isCsv;
  const reading = { ...readingOptions(open), lookups: lookups.open, lenient };
  for (const some of chunked(numbers)) {
    const found = [...rowsOf(open, some).values()].map((row) => ({ row, own: [] as InputRow[] }));
    const text = editedText(
      open,
      found.map(({ row }) => row),
    );
    const bytes = Buffer.from([...text].join(''));
    const intake = await openIntake({ bytes, name: 'the corrected rows' }, reading).catch((error: unknown) => {
      // Nothing is left in any of them.
      if (isIntakeError(error) && error.code === 'NO_ROWS') return undefined;
      throw error;
    });
    for await (const chunk of intake?.chunks() ?? []) {
      for (const one of chunk) {
        const place = found[one.line - (isCsv ? 2 : 1)];
        place?.own.push({ ...one, line: place.row.line });
      }
    }
    yield found;
  }
}

/** Returns the options for `editedText`: the import's options about rows, without those about its file. */
export function readingOptions({ options, input }: OpenCorrections): ImportOptions {
  const isCsv = input.format === 'csv';
  const { headerRow: _, skipLines: __, columns: ___, ...shape } = options.shape ?? {};
  return {
    ...retryOptions(options, { format: isCsv ? 'csv' : 'ndjson', isShaped: false }),
    ...(isCsv && { delimiter: input.delimiter }),
    ...(input.shaped === true && { shape, edits: undefined }),
  };
}

/**
 * The rows with their edits, in the columns of their file, and where they come from. CSV has a header; other rows are
 * elements, one on a line. Without a note where rows are shaped: every column may mean something there.
 */
export function* editedText(open: OpenCorrections, rows: Iterable<OpenRow>): Generator<string> {
  const { columns, delimiter, format, recognised, shaped = false } = open.input;
  const isCsv = format === 'csv';
  const kept = shaped ? columns.slice(0, headerWidth(open)) : columns;
  const all = shaped ? kept : [...kept, ...[FROM_ROW, EDITED].filter((name) => !kept.includes(name))];
  const needed = Object.values(recognised).filter((column) => kept.includes(column));
  if (isCsv) yield csvLine(all, delimiter);
  for (const row of rows) {
    const cells = open.names.map((name, index) => row.edits.get(name) ?? row.cells[index] ?? '');
    const noted = new Map(shaped ? [] : notesOn(row, (name) => cells[columns.indexOf(name)] ?? ''));
    const values = all.map((name, index) => noted.get(name) ?? cells[index] ?? '');
    yield isCsv ? csvLine(values, delimiter) : `${editedElement(row, needed, noted)}\n`;
  }
}

/** Returns the notes on a row: its number and its edits. A row that was corrected before keeps where it came from. */
export function notesOn(
  { line, edits }: Pick<OpenRow, 'line' | 'edits'>,
  before: (name: string) => string,
): [name: string, value: string][] {
  const earlier = before(EDITED).split(', ').filter(Boolean);
  return [
    [FROM_ROW, before(FROM_ROW) || String(line)],
    [EDITED, [...new Set([...earlier, ...edits.keys()])].join(', ')],
  ];
}

/** Judges edited rows. @param clashes problems that other rows make, by line */
export async function* judged(
  open: OpenCorrections,
  numbers: Iterable<number>,
  clashes: ReadonlyMap<number, readonly RowProblem[]> = new Map(),
) {
  for await (const read of readEdited(open, numbers)) {
    const some = read.map(({ row }) => row.row);
    const before = problemsOf(open, some);
    const done = inPlace(open, some);
    for (const { row, own } of read) {
      const memberships = own.map(membershipOf).filter((one) => !done.has(keyOf(one)));
      const problems = once([
        ...(before.get(row.row) ?? []).filter((problem) => isLasting(open, row, problem)),
        ...own.flatMap((one) => one.problems),
        ...(own.length === 0 ? [NOTHING] : []),
        ...(clashes.get(row.line) ?? []),
      ]);
      if (problems.length === 0 && memberships.length === 0) problems.push(IN_PLACE);
      yield { ...row, problems, memberships };
    }
  }
}

const NOTHING: RowProblem = { column: '', code: 'EMPTY', reason: 'the row is empty' };
const IN_PLACE: RowProblem = {
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
function inPlace({ database }: OpenCorrections, rows: readonly number[]) {
  const found = database.prepare(MEMBERSHIPS_IN_PLACE).all({ rows: JSON.stringify(rows), fulfilled: FULFILLED_IDS });
  return new Set((found as unknown as MembershipToRetry[]).map(keyOf));
}

/**
 * Whether the text of an edited row no longer shows a problem of it: too few or too many cells, until a person has edited
 * those cells; a repeated key, until a person has chosen its value.
 */
function isLasting(open: OpenCorrections, { edits, cells }: OpenRow, { code, column }: RowProblem) {
  if (code === 'REPEATED_KEY') return !edits.has(column);
  if (code !== 'CELL_COUNT') return false;
  const width = headerWidth(open);
  const missing = open.names.filter((_, index) => index < width && cells[index] === null);
  if (missing.length > 0) return !missing.some((name) => edits.has(name));
  return open.names.some((name, index) => index >= width && (edits.get(name) ?? cells[index] ?? '').trim() !== '');
}

/** Problems of a row that another row of the file makes: when that one is corrected, there is none. */
export const CONTRADICTION_CODES = JSON.stringify(['ADDED_AND_BANNED', 'SEVERAL_ACTIONS', 'DERIVED_ID_COLLISION']);

/** Finds what these rows contradict in each other, as in a file that has them. @returns line -> problems */
export async function clashesAmong(open: OpenCorrections, numbers: ReadonlySet<number>) {
  if (numbers.size === 0) return new Map<number, RowProblem[]>();
  using database = openForStaging(':memory:', IMPORT_SCHEMA);
  const inserter = rowInserter(database);
  for await (const read of readEdited(open, numbers)) {
    inserter.insert(read.flatMap(({ own }) => own.map((one) => ({ ...one, original: '' }))));
  }
  findClashes(database, inserter.finish());
  const sql = statementsOf(database, STATEMENTS);
  const found = sql<RowProblem & { readonly line: number }>('contradictions').all({ codes: CONTRADICTION_CODES });
  const { recognised } = open.input;
  const named = found.map(({ column, ...one }) => ({ ...one, column: recognised[column] ?? column }));
  return Map.groupBy(named, ({ line }) => line);
}
