import { option, words } from '../../errors/named-options.ts';
import { INPUTS, type InputFormat, type InputKind, isWorkbook } from '../../options/input-kinds.ts';
import type { Shape } from '../../options/shape.ts';
import { defined } from '../../platform/defined.ts';
import { sameName } from '../../text/same-text.ts';
import { openSetIntake } from './archive/set-intake.ts';
import { HEAD_BYTES, type InputBytes, type IntakeSource, readHead } from './byte-source.ts';
import { type ColumnMapping, type ColumnRole, Columns, fieldByAlias } from './columns.ts';
import { checkDelimiter, csvRows, IdleRows, type TableTop } from './csv.ts';
import { decode, detectEncoding } from './decode.ts';
import { compressionOf, decompress } from './decompress.ts';
import {
  belowTop,
  delimiterFor,
  detectDelimiter,
  detectFormat,
  detectLineEnds,
  needsMore,
  refuseBinary,
  refuseOtherText,
  separatorLine,
} from './detect.ts';
import { ElementReader } from './element.ts';
import { asJson, elementRows } from './element-formats.ts';
import { type ExportName, ofExport, withoutSlackUsers } from './exports.ts';
import { IdNotes } from './id-notes.ts';
import type { InputRow } from './input-row.ts';
import { type Bounds, boundsWith, type GivenBounds, ReportGrowth } from './intake-bounds.ts';
import { editsOutsideCsv, empty, IntakeError, listed, notOfKind, shown, shownPath } from './intake-error.ts';
import type { IntakeNote } from './intake-note.ts';
import { interruptible } from './interruptible.ts';
import { MembershipReader, type RowDefaults } from './membership-row.ts';
import { openInput } from './open-input.ts';
import { ShapedCells } from './shape/csv-shape.ts';
import { ShapedElements } from './shape/element-shape.ts';
import type { Lookups } from './shape/lookup.ts';
import {
  checkShape,
  idColumns,
  namedColumns,
  needsShaping,
  openShaping,
  recognisedMapping,
  tableTop,
} from './shape/shaping.ts';
import type { TableSigns } from './workbook/choose-sheet.ts';
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
  throw new IntakeError({
    code: 'OTHER_FORMAT',
    what: 'this is an archive inside of an archive or folder',
    remedy: words`Unpack it and import what is in it, or leave it out with ${option('files')}`,
  });
}

/** Returns the signs of a table in a sheet: the columns that the settings name, or the row of the names. */
function signsOfTable({ map, shape = {} }: IntakeOptions): TableSigns {
  const { skip, names } = tableTop(shape);
  const named = new Set(namedColumns(shape, map).map(sameName));
  named.delete('');
  return {
    skip,
    isTopGiven: (shape.headerRow ?? shape.skipLines ?? names) !== undefined,
    isColumn: (text) => names !== undefined || named.has(sameName(text)) || fieldByAlias(text) !== undefined,
    areAll: (cells) => {
      if (named.size > 0) return named.isSubsetOf(new Set(cells.map(sameName)));
      const fields = new Set(cells.map(fieldByAlias));
      return fields.has('uid') && fields.has('guid');
    },
  };
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
  const { encoding, delimiter, map, shape = {} } = options;
  detectEncoding(Buffer.alloc(0), encoding);
  if (delimiter !== undefined) checkDelimiter(delimiter);
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

/** Decompresses and decodes a file, as it is read, and gives its beginning. */
async function openText(source: InputBytes, { encoding: given, signal }: IntakeOptions, bounds: Bounds) {
  const raw = await readHead(source.blocks());
  const compression = compressionOf(raw.head);
  const plain = compression === undefined ? raw : await readHead(decompress(raw.blocks, compression, bounds, signal));
  refuseBinary(plain.head);
  const encoding = detectEncoding(plain.head, given);
  const read = { bytes: 0, rows: 0 };
  const text = await textHead(counted(interruptible(decode(plain.blocks, encoding), signal), read), bounds);
  const head = text.head.toString();
  if (text.head.length < HEAD_BYTES && head.trim() === '') throw empty(source.name);
  return { head, blocks: text.blocks, read, gzipped: compression === 'gzip', encoding: encoding.name };
}

/** The kind of a text: the one that was named, else the one that it looks like. */
function kindOf(head: string, source: InputBytes, { format, map, edits = false }: IntakeOptions): InputKind {
  if (format === 'auto') refuseOtherText(head);
  const kind = format === 'auto' ? detectFormat(head, map) : format;
  if (isWorkbook(kind) && source.sheet === undefined) throw notOfKind(source.name, kind);
  const { rowsAs } = INPUTS[kind];
  if (edits && rowsAs !== 'csv') throw editsOutsideCsv(source.name, rowsAs);
  return kind;
}

/** The form of a table in text: its delimiter, its line ends, and the place at which its rows begin. */
function dialectOf(head: string, { sheet }: InputBytes, options: IntakeOptions) {
  const separator = separatorLine(head);
  const { names, skip } = tableTop(options.shape ?? {});
  const top = { names, skip: sheet?.above ?? skip };
  return {
    delimiter: checkDelimiter(options.delimiter ?? separator ?? delimiterOf(belowTop(head, top.skip), options, top)),
    lineEnds: detectLineEnds(head),
    separatorLine: separator !== undefined,
    top,
  };
}

function delimiterOf(head: string, { map, shape = {} }: IntakeOptions, { names }: TableTop): string {
  return names === undefined ? detectDelimiter(head, namedColumns(shape, map)) : delimiterFor(names.length, head);
}

/** The beginning of the text; for an object on one long line, up to the size that an element may have. */
async function textHead(blocks: AsyncGenerator<Buffer>, bounds: Bounds): ReturnType<typeof readHead> {
  const text = await readHead(blocks);
  return needsMore(text.head.toString()) ? readHead(text.blocks, bounds.element, LINE_FEED) : text;
}

async function* counted(blocks: AsyncIterable<Buffer>, read: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const block of blocks) {
    read.bytes += block.length;
    yield block;
  }
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

/** Ends a line. */
const LINE_FEED = 0x0a;

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
  const others = sheet?.others ?? [];
  throw new IntakeError({
    code: 'NO_ROWS',
    what: `${sheet ? `the sheet ${shown(sheet.sheet)} of ` : ''}${shownPath(name)} has no rows${format === 'csv' ? ', only a header' : ''}`,
    remedy:
      others.length === 0
        ? 'Write at least one row into it, or name another file'
        : words`Write at least one row into it, or name another sheet with ${option('sheet')}: ${listed(others)}`,
    facts: { file: name, format },
  });
}
