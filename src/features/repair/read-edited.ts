import { type ImportOptions, intakeOptions } from '../../imports/import-options.ts';
import type { InputRow } from '../../imports/read/input-row.ts';
import { type Intake, openIntake } from '../../imports/read/intake.ts';
import type { Lookups } from '../../imports/read/shape/lookup.ts';
import { inputOf } from '../../imports/report/report-paths.ts';
import { retryOptions } from '../../imports/retry-options.ts';
import { lookupCopy } from '../../imports/stage/lookup-copies.ts';
import { openLookups } from '../../imports/stage/lookup-file.ts';
import type { InputDescription } from '../../imports/stage/staged-row.ts';
import { mapLookups } from '../../options/lookups.ts';
import { csvLine } from '../../text/csv-line.ts';
import { EDITED, type Edits, editedCells, editedElement, FROM_ROW, headerWidth } from './edited-row.ts';

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
      ...intakeOptions(readingOptions(edited)),
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
