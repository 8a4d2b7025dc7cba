import type { ImportOptions } from '../../imports/import-options.ts';
import type { InputRow } from '../../imports/read/input-row.ts';
import { type Intake, openIntake } from '../../imports/read/intake.ts';
import { parseJson } from '../../imports/read/json-text.ts';
import type { Lookups } from '../../imports/read/shape/lookup.ts';
import { inputOf } from '../../imports/report/report-paths.ts';
import type { ReportInput } from '../../imports/report/report-row.ts';
import {
  cellValues,
  distinctKeys,
  elementOf,
  type Original,
  originalCells,
  originalOnOneLine,
} from '../../imports/report/report-table.ts';
import { retryOptions } from '../../imports/retry-options.ts';
import { lookupCopy } from '../../imports/stage/lookup-copies.ts';
import { openLookups } from '../../imports/stage/lookup-file.ts';
import type { InputDescription } from '../../imports/stage/staged-row.ts';
import { mapLookups } from '../../options/lookups.ts';
import { csvLine } from '../../text/csv-line.ts';

/** Column -> new text of its cell. */
type Edits = ReadonlyMap<string, string>;

/** Additional columns of a file of repaired rows: rollcall ignores columns that begin like this. */
export const FROM_ROW = '_from_row';
export const EDITED = '_edited';

/** The columns of a row under the names by which they are edited: one that occurs twice is numbered. */
export function editableColumns({ columns }: Pick<ReportInput, 'columns'>): readonly string[] {
  return distinctKeys(columns);
}

/** Returns the number of columns in the header; those behind it hold the surplus cells of longer rows. */
export function headerWidth({ columns }: Pick<ReportInput, 'columns'>): number {
  const extra = columns.findIndex((name, index) => name === `_extra_1` && isRestExtra(columns, index));
  return extra === -1 ? columns.length : extra;
}

function isRestExtra(columns: readonly string[], from: number): boolean {
  return columns.slice(from).every((name, index) => name === `_extra_${index + 1}`);
}

/** The cells of a row as they were; null where the row has none. */
export function cellsOf(input: ReportInput, row: Original): (string | null)[] {
  const cells = originalCells(input, row);
  if (input.inputFormat !== 'csv') {
    const element = elementOf(row);
    return cells.map((cell, index) => (element.has(input.columns[index] ?? '') ? cell : null));
  }
  const given = cellValues(row).length;
  return cells.map((cell, index) => (index < given ? cell : null));
}

/** The cells of a row with its edits, one for each column. */
function editedCells(input: ReportInput, row: Original, edits: Edits): string[] {
  const cells = originalCells(input, row);
  return editableColumns(input).map((column, index) => edits.get(column) ?? cells[index] ?? '');
}

/**
 * The element of a row with its edits, on one line. Cells without an edit stay as they were, numbers of any length
 * included.
 * @param needed keys that it must have, so that it is taken for a row: null where it has none
 * @param added further keys and values
 */
function editedElement(
  row: Original,
  edits: Edits,
  needed: readonly string[],
  added: readonly (readonly [string, string])[],
): string {
  const isUntouched = edits.size === 0 && needed.length === 0 && added.length === 0;
  if (isUntouched) return originalOnOneLine(row);
  const before = elementOf(row);
  const after = new Map(before);
  for (const key of needed) if (!after.has(key)) after.set(key, null);
  for (const [key, text] of edits) after.set(key, elementValue(text, before.get(key)));
  for (const [key, text] of added) after.set(key, text);
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

/** A row of the input with its edits. */
export interface EditedRow {
  /** Number of its (first) row in the ledger. */
  readonly row: number;
  readonly line: number;
  readonly original: string;
  readonly edits: Edits;
}

/** The import whose rows are edited. */
export interface Edited {
  readonly folder: string;
  readonly options: ImportOptions;
  readonly input: InputDescription;
}

/**
 * Reads edited rows as a file of them would be read, by the code that reads files: what each row asks for, or what is
 * wrong with it. A row that gives several memberships gives several rows.
 */
export async function readEdited(edited: Edited, rows: readonly EditedRow[]): Promise<InputRow[][]> {
  const { folder, options } = edited;
  const sources = mapLookups(options, (kept, lookup) => ({ path: lookupCopy(folder, lookup), ...kept }));
  using lookups = await openLookups(options.shape, sources, new AbortController().signal);
  return await readRows(edited, rows, lookups.open);
}

async function readRows(edited: Edited, rows: readonly EditedRow[], lookups: Lookups): Promise<InputRow[][]> {
  const isCsv = edited.input.format === 'csv';
  const bytes = Buffer.from([...editedText(edited.input, rows)].join(''));
  const intake: Intake = await openIntake(
    { bytes, name: 'the repaired rows' },
    {
      ...readingOptions(edited),
      lookups,
      // These elements may lack a key that others have.
      lenient: edited.input.shaped === true && !isCsv,
    },
  );
  const found: InputRow[][] = rows.map(() => []);
  for await (const chunk of intake.chunks()) {
    for (const row of chunk) found[row.line - (isCsv ? 2 : 1)]?.push(row);
  }
  return found;
}

/** Returns the options for `editedText`: the import's options about rows, without those about its file. */
export function readingOptions({ options, input }: Pick<Edited, 'options' | 'input'>): ImportOptions {
  const isCsv = input.format === 'csv';
  const { headerRow: _, skipLines: __, columns: ___, ...shape } = options.shape ?? {};
  return {
    ...retryOptions(options, { format: isCsv ? 'csv' : 'ndjson', isShaped: false }),
    ...(isCsv && { delimiter: inputOf(input).delimiter }),
    ...(input.shaped === true && { shape, edits: undefined }),
  };
}

/**
 * The rows with their edits, in the columns of their file, and where they come from. CSV has a header; other rows are
 * elements, one on a line. Without a note where rows are shaped: every column may mean something there.
 */
export function* editedText(description: InputDescription, rows: Iterable<EditedRow>): Generator<string> {
  const input = inputOf(description);
  const isShaped = input.shaped === true;
  const isCsv = input.inputFormat === 'csv';
  const kept = input.columns.slice(0, isShaped ? headerWidth(input) : undefined);
  const notes = isShaped ? [] : [FROM_ROW, EDITED];
  const added = notes.filter((name) => !kept.includes(name));
  const needed = isCsv ? [] : Object.values(description.recognised).filter((column) => kept.includes(column));
  if (isCsv) yield csvLine([...kept, ...added], input.delimiter);
  for (const row of rows) {
    const cells = editedCells(input, row, row.edits);
    const noted = new Map(isShaped ? [] : notesOn(row, (name) => cells[input.columns.indexOf(name)] ?? ''));
    if (!isCsv) yield `${editedElement(row, row.edits, needed, [...noted])}\n`;
    else
      yield csvLine(
        [
          ...kept.map((name, index) => noted.get(name) ?? cells[index] ?? ''),
          ...added.map((name) => noted.get(name) ?? ''),
        ],
        input.delimiter,
      );
  }
}

/** Returns the notes on a row: its number and its edits. A row that was repaired before keeps where it came from. */
export function notesOn(
  { line, edits }: Pick<EditedRow, 'line' | 'edits'>,
  before: (name: string) => string,
): [name: string, value: string][] {
  const earlier = before(EDITED)
    .split(', ')
    .filter((name) => name !== '');
  return [
    [FROM_ROW, before(FROM_ROW) || String(line)],
    [EDITED, [...new Set([...earlier, ...edits.keys()])].join(', ')],
  ];
}
