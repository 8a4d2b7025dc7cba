import { type ImportOptions, retryOptions } from '../../imports/import-options.ts';
import type { InputRow } from '../../imports/read/input-row.ts';
import { openIntake } from '../../imports/read/intake.ts';
import { parseJson } from '../../imports/read/json-text.ts';
import type { InputDescription } from '../../imports/read/notes.ts';
import {
  cellValues,
  distinctKeys,
  elementOf,
  type Original,
  originalCells,
} from '../../imports/report/report-table.ts';
import { lookupCopy } from '../../imports/stage/lookup-copies.ts';
import { openLookups } from '../../imports/stage/lookup-file.ts';
import { mapLookups } from '../../options/lookups.ts';
import { csvLine } from '../../text/csv-line.ts';
import type { OpenRepair, OpenRow } from './repair-ledger.ts';

/** Additional columns of a file of repaired rows: rollcall ignores columns that begin like this. */
export const FROM_ROW = '_from_row';
export const EDITED = '_edited';

type Columns = Pick<InputDescription, 'columns'>;

/** The columns of a row under the names by which they are edited: one that occurs twice is numbered. */
export function columnNames({ columns }: Columns): readonly string[] {
  return distinctKeys(columns);
}

/** Columns that people may edit, with their places: those that rollcall added itself are not among them. */
export function editablePlaces(input: Columns): ReadonlyMap<string, number> {
  const places = columnNames(input).map((name, place) => [name, place] as const);
  return new Map(places.filter(([name]) => name !== FROM_ROW && name !== EDITED));
}

/** Returns the number of columns in the header; those behind it hold the surplus cells of longer rows. */
export function headerWidth({ columns }: Columns): number {
  const isExtra = (from: number) => columns.slice(from).every((name, index) => name === `_extra_${index + 1}`);
  const extra = columns.findIndex((name, index) => name === '_extra_1' && isExtra(index));
  return extra === -1 ? columns.length : extra;
}

/** The cells of a row as they were; null where the row has none. */
export function cellsOf(input: InputDescription, row: Original): (string | null)[] {
  const cells = originalCells(input, row);
  if (input.format !== 'csv') {
    const element = elementOf(row);
    return cells.map((cell, index) => (element.has(input.columns[index] ?? '') ? cell : null));
  }
  const given = cellValues(row).length;
  return cells.map((cell, index) => (index < given ? cell : null));
}

/**
 * The element of a row with its edits, on one line. Cells without an edit stay as they were, numbers of any length
 * included.
 * @param needed keys that it must have, so that it is taken for a row: null where it has none
 * @param added further keys and values
 */
function editedElement(row: OpenRow, needed: readonly string[], added: ReadonlyMap<string, string>) {
  const before = elementOf(row);
  const after = new Map(before);
  for (const key of needed) if (!after.has(key)) after.set(key, null);
  for (const [key, text] of row.edits) after.set(key, elementValue(text, before.get(key)));
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

/**
 * Reads edited rows as a file of them would be read, by the code that reads files: what each row asks for, or what is
 * wrong with it. A row that gives several memberships gives several rows.
 */
export async function readEdited(
  edited: Pick<OpenRepair, 'folder' | 'options' | 'input'>,
  rows: readonly OpenRow[],
): Promise<InputRow[][]> {
  const { folder, options, input } = edited;
  const isCsv = input.format === 'csv';
  const sources = mapLookups(options, (kept, lookup) => ({ path: lookupCopy(folder, lookup), ...kept }));
  using lookups = await openLookups(options.shape, sources, new AbortController().signal);
  const bytes = Buffer.from([...editedText(input, rows)].join(''));
  const intake = await openIntake(
    { bytes, name: 'the repaired rows' },
    {
      ...readingOptions(edited),
      lookups: lookups.open,
      // These elements may lack a key that others have.
      lenient: input.shaped === true && !isCsv,
    },
  );
  const found: InputRow[][] = rows.map(() => []);
  for await (const chunk of intake.chunks()) {
    for (const one of chunk) {
      const at = one.line - (isCsv ? 2 : 1);
      found[at]?.push({ ...one, line: rows[at]?.line ?? 0 });
    }
  }
  return found;
}

/** Returns the options for `editedText`: the import's options about rows, without those about its file. */
export function readingOptions({ options, input }: Pick<OpenRepair, 'options' | 'input'>): ImportOptions {
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
export function* editedText(input: InputDescription, rows: Iterable<OpenRow>): Generator<string> {
  const { columns, delimiter, format, recognised, shaped = false } = input;
  const isCsv = format === 'csv';
  const names = columnNames(input);
  const kept = shaped ? columns.slice(0, headerWidth(input)) : columns;
  const all = shaped ? kept : [...kept, ...[FROM_ROW, EDITED].filter((name) => !kept.includes(name))];
  const needed = Object.values(recognised).filter((column) => kept.includes(column));
  if (isCsv) yield csvLine(all, delimiter);
  for (const row of rows) {
    const cells = cellsOf(input, row).map((cell, index) => row.edits.get(names[index] ?? '') ?? cell ?? '');
    const noted = new Map(shaped ? [] : notesOn(row, (name) => cells[columns.indexOf(name)] ?? ''));
    yield isCsv
      ? csvLine(
          all.map((name, index) => noted.get(name) ?? cells[index] ?? ''),
          delimiter,
        )
      : `${editedElement(row, needed, noted)}\n`;
  }
}

/** Returns the notes on a row: its number and its edits. A row that was repaired before keeps where it came from. */
export function notesOn(
  { line, edits }: Pick<OpenRow, 'line' | 'edits'>,
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
