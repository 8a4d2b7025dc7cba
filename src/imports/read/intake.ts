import { INPUTS, type InputFormat, type InputKind } from '../../options/input-kinds.ts';
import type { Shape } from '../../options/shape.ts';
import { defined } from '../../platform/defined.ts';
import { openSetIntake } from './archive/set-intake.ts';
import type { InputBytes, IntakeSource } from './byte-source.ts';
import { interruptible } from './byte-source.ts';
import { type ColumnMapping, type ColumnRole, Columns } from './columns.ts';
import { csvRows } from './csv.ts';
import { ElementReader } from './element.ts';
import { asJson, elementRows } from './element-formats.ts';
import { type ExportName, ofExport, withoutSlackUsers } from './exports.ts';
import type { InputRow } from './input-row.ts';
import { boundsWith, type GivenBounds, ReportGrowth } from './intake-bounds.ts';
import { empty, nestedArchive, noRows, shown } from './intake-error.ts';
import { MembershipReader, type RowDefaults } from './membership-row.ts';
import type { IntakeNote } from './notes.ts';
import { IdleRows, IdNotes } from './notes.ts';
import { openInput } from './open-input.ts';
import { checkText, dialectOf, kindOf, openText } from './open-text.ts';
import { ShapedElements } from './shape/element-shape.ts';
import type { Lookups } from './shape/groups.ts';
import {
  checkShape,
  idColumns,
  needsShaping,
  openShaping,
  recognisedMapping,
  ShapedCells,
  signsOfTable,
} from './shape/shaping.ts';
import type { Sheet } from './workbook/workbook.ts';

export type { InputFormat, InputRow, IntakeSource, Sheet };

/** The options of reading, as they are kept with an import, and those that only reading takes. */
export interface IntakeOptions extends RowDefaults {
  readonly format: InputKind | 'auto';
  /** Name of the encoding; absent: UTF-8, or UTF-16 by its byte order mark. */
  readonly encoding?: string | undefined;
  /** One character; absent: detected among `,` `;` tab and `|`. */
  readonly delimiter?: string | undefined;
  /** Columns that are not recognised by their names (`--map uid=member,…`). */
  readonly map: ColumnMapping;
  /** For previews: also reads when the columns for UID or GUID are missing or ambiguous. */
  readonly lenient?: boolean;
  /**
   * Reads the column `action` of a CSV input: rows may ask for a member's scope to be changed or for its removal. Without
   * it that column is ignored, so that an ordinary input file cannot remove anyone.
   */
  readonly edits?: boolean | undefined;
  /** The input is an export of this system: memberships are searched inside its elements. */
  readonly exportOf?: ExportName | undefined;
  /** Users whom another file of the export says to be deleted. */
  readonly deletedUsers?: ReadonlySet<string> | undefined;
  /** The mapping from rows to memberships, if rows are not simply one membership each. */
  readonly shape?: Shape | undefined;
  /** The users and groups that the shape looks up. */
  readonly lookups?: Lookups;
  /** Bounds that are raised or lowered for this input. */
  readonly bounds?: GivenBounds | undefined;
  /** Wait until a file has not changed for this long before it is read, in ms. */
  readonly waitForQuietMs?: number | undefined;
  /** Sheet of a workbook: its name, or its number from 1; absent: the first visible one with a table. */
  readonly sheet?: string | undefined;
  /** Told when bytes were read, so that someone can see that reading does not stand still. */
  readonly onRead?: () => void;
  /** Told which sheets a workbook has, as soon as it is open. */
  readonly onSheets?: (sheets: readonly Sheet[]) => void;
  /** Files of a folder or ZIP archive, as patterns such as `members*.csv`; absent: those at its top that have rows. */
  readonly files?: readonly string[] | undefined;
  /** Folder for what does not fit into memory while it is read; absent: the system's folder for temporary files. */
  readonly scratch?: string;
  /** Stops reading at once; pending calls reject with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** One input, opened. Its rows are read once; iterate `chunks()` or close the iterator, else the file stays open. */
export interface Intake {
  /** The stored form of the rows. */
  readonly format: InputFormat;
  /** The kind of the file. */
  readonly kind: InputKind;
  readonly gzipped: boolean;
  readonly encoding: string;
  readonly delimiter?: string;
  /** Field → column it is read from, as recognised or mapped. JSON: as far as the rows have been read. */
  readonly recognised: Readonly<Partial<Record<ColumnRole, string>>>;
  /**
   * Original columns in order. CSV: the header, and `_extra_1`, … for rows that are longer. JSON and NDJSON: the union
   * of the keys. Complete when the rows have been read.
   */
  columns(): readonly string[];
  /** Whether a row may give several memberships; complete when the rows have been read, since JSON may have lists. */
  shaped(): boolean;
  /** Rows of the input so far, skipped ones included. The same as the rows from `chunks` unless a row gives several memberships. */
  rowsRead(): number;
  /** Returns remarks on the input for a person; complete when the rows have been read. */
  notes(): readonly IntakeNote[];
  /** Bytes of the source read so far (compressed ones when gzipped). */
  bytesRead(): number;
  /**
   * Rows in order, in chunks of some hundreds, never empty. Rejects with IntakeError, or the signal's reason. The
   * generators behind it hold a chunk until the next one is asked for: a caller that reads many should empty each when done.
   */
  chunks(): AsyncGenerator<InputRow[]>;
}

/**
 * Opens an input of any kind, plain or compressed, or a folder or archive of such, and reads as far as its first rows.
 * Rejects with IntakeError when the input cannot be used; nothing stays open then.
 */
export async function openIntake(source: IntakeSource, options: IntakeOptions): Promise<Intake> {
  const opened = await openInput(source, { ...options, table: signsOfTable(options) });
  if ('text' in opened) return startOrClose(opened.text, options);
  const { set, deletedUsers } = await withoutSlackUsers(opened.set, options.exportOf, (file, reading) => {
    const { bounds, signal, onRead } = options;
    return openFile(file, { ...reading, ...defined({ bounds, signal, onRead }) });
  });
  return openSetIntake(set, options, (file) => openFile(file, { ...options, deletedUsers }));
}

/** Opens a file of a folder or archive, which may not be one itself. */
async function openFile(source: IntakeSource, options: IntakeOptions): Promise<Intake> {
  const opened = await openInput(source, { ...options, table: signsOfTable(options) });
  if ('text' in opened) return startOrClose(opened.text, options);
  opened.set.close();
  throw nestedArchive();
}

async function startOrClose(text: InputBytes, options: IntakeOptions): Promise<Intake> {
  try {
    const { sheet } = text;
    return await startIntake(text, sheet === undefined ? options : { ...options, ...OUR_TEXT, format: sheet.kind });
  } catch (error) {
    text.close();
    throw error;
  }
}

/** Format settings for the text that the rows of a sheet became; they override the user's options. */
const OUR_TEXT = { encoding: 'utf-8', delimiter: ',' } as const;

/** Throws UNKNOWN_ENCODING, BAD_DELIMITER or BAD_DEFAULT for options with which no input can be read. */
export function checkIntakeOptions(options: IntakeOptions): void {
  const { map, shape = {} } = options;
  checkText(options);
  new MembershipReader(new Columns(map), options);
  checkShape(shape, map);
}

async function startIntake(source: InputBytes, options: IntakeOptions): Promise<Intake> {
  const { map, guid, edits = false, signal } = options;
  const bounds = boundsWith(options.bounds);
  const growth = new ReportGrowth(bounds);
  const hasDefaultGuid = guid !== undefined && guid !== '';

  const { head, blocks, read, gzipped, encoding } = await openText(source, options, bounds);
  const kind = kindOf(head, source, options);
  const format = INPUTS[kind].rowsAs;
  const dialect = format === 'csv' ? dialectOf(head, source, options) : undefined;
  const { shape = {} } = options;
  const isShaped = needsShaping(shape, map, format);
  const columns = new Columns(isShaped ? recognisedMapping(shape, map) : map, {
    ...options,
    bounds,
    hasHeader: format === 'csv',
    otherSheets: source.sheet?.others,
    onColumn: (name) => growth.add(name),
  });
  const reader = new MembershipReader(columns, options);
  const onRepeat = (characters: number) => growth.repeat(characters);
  const shaping = isShaped ? openShaping({ ...options, shape, columns, hasDefaultGuid, bounds, onRepeat }) : undefined;
  const shapedCells = shaping && dialect !== undefined ? new ShapedCells(shaping) : undefined;
  const shapedElements = shaping && dialect === undefined ? new ShapedElements(shaping) : undefined;
  const shaped = shapedCells ?? shapedElements;
  const most = bounds.memberships;
  const elements = shapedElements ?? new ElementReader({ columns, reader, hasDefaultGuid, most, onRepeat });

  const idle = new IdleRows();
  const rows =
    dialect !== undefined
      ? csvRows(blocks, {
          ...dialect,
          columns,
          reader,
          hasDefaultGuid,
          edits,
          bounds,
          shaped: shapedCells,
          isSheet: source.sheet !== undefined,
          idle,
        })
      : (await elementRows(format))(
          await asJson(blocks, kind, bounds),
          ofExport(options.exportOf, elements, options.deletedUsers),
          bounds,
        );
  const ids = new IdNotes();
  const checked = interruptible(withinGrowth(rows, growth, read, { format, ids }), signal);
  const chunks = atLeastOneRow(checked, source, format, columns);
  const first = await chunks.next();

  return {
    format,
    kind,
    gzipped,
    encoding,
    ...(dialect && { delimiter: dialect.delimiter }),
    get recognised() {
      return shaped?.recognised() ?? columns.recognised();
    },
    shaped: () => shaped !== undefined || elements.hasLists,
    rowsRead: () => (dialect === undefined ? elements.rowsRead : (shapedCells?.rowsRead ?? read.rows)),
    columns: () => columns.names,
    notes: () => [
      ...(source.sheet?.notes(idColumns(columns, shape, map)) ?? []),
      ...idle.notes(),
      ...ids.notes(),
      ...noteOfDefault(hasDefaultGuid, (shaped?.recognised() ?? columns.recognised()).guid),
    ],
    bytesRead: () => source.bytesRead,
    async *chunks() {
      try {
        if (first.done !== true) yield first.value;
        yield* chunks;
      } finally {
        await chunks.return(undefined);
        source.close();
      }
    },
  };
}

/** Returns the note that rows have groups of their own, for which the group for all rows does nothing. */
function noteOfDefault(hasDefaultGuid: boolean, column: string | undefined): IntakeNote[] {
  if (!hasDefaultGuid || column === undefined) return [];
  const text = `rows are added to the groups in column ${shown(column)}; the group that was given for all rows counts only where that is empty`;
  return [{ code: 'GROUPS_OF_ROWS', text }];
}

async function* withinGrowth(
  chunks: AsyncIterable<InputRow[]>,
  growth: ReportGrowth,
  read: { readonly bytes: number; rows: number },
  { format, ids }: { readonly format: InputFormat; readonly ids: IdNotes },
): AsyncGenerator<InputRow[]> {
  for await (const chunk of chunks) {
    read.rows += chunk.length;
    for (const row of chunk) ids.see(row);
    growth.check(chunk.length, read.bytes, format === 'csv');
    yield chunk;
  }
}

/** Leaves out empty chunks; throws EMPTY or NO_ROWS when there was nothing else. */
async function* atLeastOneRow(
  chunks: AsyncIterable<InputRow[]>,
  { name, sheet }: InputBytes,
  format: InputFormat,
  columns: Columns,
): AsyncGenerator<InputRow[], void, undefined> {
  let hasRows = false;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    hasRows = true;
    yield chunk;
  }
  if (hasRows) return;
  if (format === 'csv' && columns.names.length === 0) throw empty(name);
  throw noRows(name, format, sheet);
}
