import { openIntake } from '../../imports/read/intake.ts';
import { edit } from './edit.ts';
import { cellsOf, editablePlaces } from './edited-rows.ts';
import type { AskedEdit, RepairFileTaken } from './operations.ts';
import { cannotRepair, type OpenRepair, rowsOf } from './repair-ledger.ts';

/** Rows that a file may change. */
const MAX_OF_FILE = 100_000;

/** A file as it was sent. */
export type CorrectedFile = Readonly<{ bytes: Uint8Array; name: string }>;

/** A column of the import: its place there, and the place in the corrected file that it is read from. */
type Column = Readonly<{ column: string; place: number; from: number }>;

/** Lines of the file by the line of the import that they are about. */
type Lines = ReadonlyMap<number, readonly (readonly string[])[]>;

/**
 * Takes edits from a corrected report: the download of the rows that need attention, or a part of it, as CSV or as a
 * workbook. `_row` identifies a row; a cell that differs from what the import had is an edit. It replaces an earlier edit
 * of the same person, and nobody else's. Rows that are not to be repaired must be as they were. @throws CannotRepair, IntakeError
 */
export async function takeFile(repair: OpenRepair, file: CorrectedFile, by: string): Promise<RepairFileTaken> {
  const [header = [], ...records] = await recordsOf(file, repair);
  const at = rowColumn(header);
  const columns = placesIn(repair, header.slice(0, at));
  const lines = Map.groupBy(records, (cells) => lineOf(cells[at]));
  if (lines.size > MAX_OF_FILE)
    throw cannotRepair(`the file has ${lines.size} rows`, `give at most ${MAX_OF_FILE} at a time`);
  const asked = correctionsIn(repair, columns, lines, by);
  return {
    ...(await edit(repair, asked, by)),
    same: lines.size - new Set(asked.map(({ row }) => row)).size,
  };
}

/**
 * Cells of the file that have neither the value of the import nor the one that they were edited to.
 * @throws CannotRepair when the import has no such line, or when a row is there several times and its cells do not agree
 */
function correctionsIn(repair: OpenRepair, columns: readonly Column[], lines: Lines, by: string) {
  const given = repair.sql<{ row: number }>('rows_of_lines').all({ lines: JSON.stringify([...lines.keys()]) });
  const rows = rowsOf(
    repair,
    given.map(({ row }) => row),
  );
  const known = new Set([...rows.values()].map(({ line }) => line));
  const unknown = [...lines.keys()].find((line) => !known.has(line));
  if (unknown !== undefined)
    throw cannotRepair(`the import has no row ${unknown}`, 'give back the report of this import, with its column _row');
  return [...rows.values()].flatMap((found) => {
    const { row, line, edits, editors } = found;
    const cells = cellsOf(repair.input, found);
    return columns.flatMap(({ column, place, from }): AskedEdit[] => {
      const edited = edits.get(column);
      const inFile = cells[place] ?? null;
      // A report repeats a row for each of its memberships, and people often correct only one of these lines.
      const texts = new Set(lines.get(line)?.map((one) => one[from] ?? ''));
      texts.delete(inFile ?? '');
      const [value, other] = [...texts].filter((text) => text !== edited);
      if (other !== undefined) {
        throw cannotRepair(
          `row ${line} is on several lines of the file, with ${JSON.stringify(value)} and ${JSON.stringify(other)} in ${column}`,
          'correct one of these lines, or give all of them the same cells',
        );
      }
      if (value === undefined) return [];
      const isOwn = edited !== undefined && editors.get(column) === by;
      return [{ row, column, was: isOwn ? edited : inFile, value }];
    });
  });
}

/** The cells of a file, its header first. @throws IntakeError */
async function recordsOf({ bytes, name }: CorrectedFile, { options: { region } }: OpenRepair): Promise<string[][]> {
  const file = { bytes: Buffer.from(bytes), name };
  // Its cells are wanted, and no memberships.
  const intake = await openIntake(file, { format: 'csv', map: {}, lenient: true, region });
  const records: string[][] = [];
  for await (const rows of intake.chunks()) records.push(...rows.map(({ original }) => JSON.parse(original)));
  return [[...intake.columns()], ...records];
}

/** Place of our `_row`, which is numbered where the file had such a column itself: the last one. */
function rowColumn(header: readonly string[]) {
  const at = header.findLastIndex((name) => /^_row(_\d+)?$/.test(name.trim()));
  if (at !== -1) return at;
  throw cannotRepair(
    'the file has no column _row',
    'download the rows that need attention as CSV or as a workbook, correct that file, and keep its columns',
  );
}

function lineOf(cell: string | undefined) {
  const line = Number(cell);
  if (Number.isSafeInteger(line) && line > 0) return line;
  throw cannotRepair(
    `${JSON.stringify(cell ?? '')} in the column _row is not a row number`,
    'leave that column as it was downloaded',
  );
}

/** Returns the places of the import's columns in the file. Columns that the file leaves out stay as they are. */
function placesIn({ input }: OpenRepair, header: readonly string[]) {
  const taken = new Set<number>();
  const places = [...editablePlaces(input)].flatMap(([column, place]) => {
    const name = input.columns[place]?.trim();
    const from = header.findIndex((one, index) => !taken.has(index) && one.trim() === name);
    if (from === -1) return [];
    taken.add(from);
    return [{ column, place, from }];
  });
  if (places.length > 0) return places;
  throw cannotRepair('the file has none of the columns of the import', 'keep the columns as they were downloaded');
}
