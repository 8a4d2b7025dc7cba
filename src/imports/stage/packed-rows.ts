import { regionId, requestId } from '../record/enum-ids.ts';
import { type FlatProblem, LATER, type ShapedValues, SKIPPED, VALUES_PER_ROW } from './insert-rows.ts';
import type { StagedRow } from './staged-row.ts';

/**
 * Rows on their way to the thread that writes them, as one text and one array of numbers: copying an object or a text for
 * each row to another thread takes longer than writing the rows.
 */
export interface PackedRows {
  /** Line, region number and request of each row (insert-rows.ts). */
  readonly numbers: Int32Array<ArrayBuffer>;
  /** GUID, UID, acting user (of an invalid row: its scope) and original of each row, each with SEPARATOR behind it. */
  readonly texts: string;
  readonly problems: readonly FlatProblem[];
  /** Present where a row of the input may give several memberships. */
  readonly shaped?: PackedShapes;
}

/** Which membership of its row each one is, and what its ids were derived from; texts with SEPARATOR between them. */
interface PackedShapes {
  readonly parts: Int32Array<ArrayBuffer>;
  readonly values: string;
  readonly uids: string;
  readonly guids: string;
}

const NUMBERS = 3;
const TEXTS = 4;
/** In no id, and in no JSON text. */
const SEPARATOR = '\0';
/** Kept of a text of an invalid row, in characters. */
const MOST_OF_A_TEXT = 200;

export function packRows(rows: readonly StagedRow[]): PackedRows {
  const packed = packPlain(rows);
  return rows.some(({ shaped }) => shaped !== undefined) ? { ...packed, shaped: packShapes(rows) } : packed;
}

function packShapes(rows: readonly StagedRow[]): PackedShapes {
  const joined = (text: (row: StagedRow) => string | undefined) => rows.map((row) => asText(text(row))).join(SEPARATOR);
  return {
    parts: Int32Array.from(rows, ({ shaped }) => shaped?.part ?? 1),
    values: joined(({ shaped }) => shaped?.value),
    uids: joined(({ shaped }) => shaped?.sources?.uid),
    guids: joined(({ shaped }) => shaped?.sources?.guid),
  };
}

export function unpackShapes({ shaped }: PackedRows): ShapedValues | undefined {
  if (shaped === undefined) return undefined;
  const { parts, values, uids, guids } = shaped;
  return {
    parts,
    values: values.split(SEPARATOR),
    uids: uids.split(SEPARATOR),
    guids: guids.split(SEPARATOR),
  };
}

function asText(text = ''): string {
  return text.toWellFormed().replaceAll(SEPARATOR, '\ufffd');
}

function packPlain(rows: readonly StagedRow[]): PackedRows {
  const numbers = new Int32Array(rows.length * NUMBERS);
  const problems: FlatProblem[] = [];
  let texts = '';
  let at = 0;
  for (const [index, row] of rows.entries()) {
    const { line, region, guid, uid, scope, action, onBehalfOf, original } = row;
    numbers[at++] = line;
    if (row.problems.length === 0) {
      numbers[at++] = regionId(region);
      numbers[at++] = requestId(scope, action) + (row.later === true ? LATER : 0);
      texts += `${guid}\0${uid}\0${onBehalfOf}\0${original}\0`;
    } else {
      for (const [position, problem] of row.problems.entries()) problems.push({ row: index, position, ...problem });
      numbers[at++] = row.problems.some((problem) => problem.code.includes('REGION')) ? 0 : regionId(region);
      numbers[at++] = row.shaped?.skipped === true ? SKIPPED : 0;
      const asked = row.problems.find(({ code }) => code === 'UNKNOWN_SCOPE')?.value ?? scope;
      texts += `${asRead(guid)}\0${asRead(uid)}\0${asRead(asked)}\0${original}\0`;
    }
  }
  return { numbers, texts, problems };
}

/** A text of an invalid row, which may be anything. */
function asRead(text: string): string {
  return text.slice(0, MOST_OF_A_TEXT).toWellFormed().replaceAll(SEPARATOR, '\ufffd');
}

/** The flat values that `RowInserter.insert` takes. Throws an Error if a text had the separator in it. */
export function unpackRows({ numbers, texts }: PackedRows): (string | number)[] {
  const parts = texts.split(SEPARATOR);
  const rows = numbers.length / NUMBERS;
  if (parts.length !== rows * TEXTS + 1) throw new Error(`${rows} rows have come with ${parts.length - 1} texts`);
  const values = new Array<string | number>(rows * VALUES_PER_ROW);
  let at = 0;
  for (let row = 0; row < rows; row += 1) {
    const number = row * NUMBERS;
    const text = row * TEXTS;
    values[at++] = numbers[number] as number;
    values[at++] = numbers[number + 1] as number;
    values[at++] = parts[text] as string;
    values[at++] = parts[text + 1] as string;
    values[at++] = numbers[number + 2] as number;
    values[at++] = parts[text + 2] as string;
    values[at++] = parts[text + 3] as string;
  }
  return values;
}
