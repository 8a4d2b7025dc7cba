import { type ImportOptions, intakeOptions } from '../../imports/import-options.ts';
import {
  type InputFormat,
  type InputRow,
  type Intake,
  type IntakeSource,
  openIntake,
  type Sheet,
} from '../../imports/read/intake.ts';
import { IntakeError } from '../../imports/read/intake-error.ts';
import type { Lookup, Lookups } from '../../imports/read/shape/lookup.ts';
import type { InputKind } from '../../options/input-kinds.ts';
import { mapLookups } from '../../options/lookups.ts';
import type { Head } from './head.ts';
import type { Seen } from './match-recipe.ts';

/** The beginning of a file as it is read. */
export interface Look {
  /** Undefined where it cannot be read. */
  readonly format: InputFormat | undefined;
  /** The kind of the file. */
  readonly kind: InputKind | undefined;
  /** The sheets of a workbook. */
  readonly sheets: readonly Sheet[];
  /** Remarks for a person. */
  readonly notes: readonly string[];
  readonly encoding: string | undefined;
  readonly delimiter: string | undefined;
  readonly names: readonly string[];
  readonly recognised: Readonly<Record<string, string>>;
  readonly rows: readonly InputRow[];
  /** Rows without a problem. */
  readonly valid: number;
  readonly refusal: IntakeError | undefined;
}

interface LookOptions {
  /** Reads even where a column is missing. */
  readonly lenient: boolean;
  /** Most rows that are looked at. */
  readonly rows: number;
  /** The source is the beginning of a longer file. */
  readonly isCut?: boolean;
}

/** Identity and group file are not read for a look at the first rows. */
const KNOWN: Lookup = { find: () => [{ id: 'known' }] };

export async function lookAt(
  source: IntakeSource,
  options: ImportOptions,
  { lenient, rows: most, isCut = false }: LookOptions,
): Promise<Look> {
  let intake: Intake | undefined;
  let refusal: IntakeError | undefined;
  let sheets: readonly Sheet[] = [];
  const onSheets = (found: readonly Sheet[]) => {
    sheets = found;
  };
  const rows: InputRow[] = [];
  try {
    intake = await openIntake(source, { ...intakeOptions(options), lenient, lookups: lookupsOf(options), onSheets });
    for await (const chunk of intake.chunks()) {
      rows.push(...chunk.slice(0, most - rows.length));
      if (rows.length >= most) break;
    }
  } catch (error) {
    if (!(error instanceof IntakeError)) throw error;
    // An error where the beginning is cut off says nothing about the file.
    if (!isCut || rows.length === 0) refusal = error;
  }
  return {
    format: intake?.format,
    kind: intake?.kind,
    sheets,
    notes: intake?.notes().map(({ text }) => text) ?? [],
    encoding: intake?.encoding,
    delimiter: intake?.delimiter,
    names: intake?.columns() ?? [],
    recognised: { ...intake?.recognised },
    rows,
    valid: rows.filter(({ problems }) => problems.length === 0).length,
    refusal,
  };
}

function lookupsOf({ shape }: ImportOptions): Lookups {
  return mapLookups(shape ?? {}, () => KNOWN);
}

/**
 * Returns the marks in the beginning of a file. A folder or archive has no text of its own: its first rows are used.
 */
export function seenIn({ kind, names, rows }: Look, { text }: Head): Seen {
  const shown = text === '' ? rows.map(({ original }) => original).join('\n') : text;
  return { format: kind, columns: names, text: `${names.join(',')}\n${shown}` };
}
