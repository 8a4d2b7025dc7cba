import { option, words } from '../../errors/named-options.ts';
import { INPUTS, type InputFormat } from '../../options/input-kinds.ts';
import { sameName } from '../../text/same-text.ts';
import type { FileSet } from './archive/file-set.ts';
import { openSetIntake } from './archive/set-intake.ts';
import { type InputBytes, type IntakeSource, interruptible } from './byte-source.ts';
import { scopesNotRead } from './column-words.ts';
import { type Columns, openColumns } from './columns.ts';
import { csvRows, sheetRows } from './csv.ts';
import { elementReader } from './element.ts';
import { asJson, elementRows } from './element-formats.ts';
import { ofExport, withoutSlackUsers } from './exports.ts';
import type { InputRow } from './input-row.ts';
import { boundsWith, intakeError, listed, reportGrowth, shown, shownPath, WRITE_ROWS } from './intake-error.ts';
import type { Intake, IntakeOptions } from './intake-options.ts';
import { membershipReader } from './membership-row.ts';
import { IdleRows, IdNotes, type IntakeNote } from './notes.ts';
import { checkText, openInput, openText } from './open-input.ts';
import { shapedElements } from './shape/element-shape.ts';
import {
  checkShape,
  idColumns,
  namedColumns,
  needsShaping,
  openShaping,
  recognisedMapping,
  shapedCells,
  tableTop,
} from './shape/shaping.ts';
import type { SheetInput } from './workbook/workbook.ts';

/**
 * Opens an input of any kind, plain or compressed, or a folder or archive of such, and reads as far as its first rows.
 * Rejects with IntakeError when the input cannot be used; nothing stays open then.
 */
export function openIntake(source: IntakeSource, options: IntakeOptions): Promise<Intake> {
  return open(source, options, async (files) => {
    const { set, deletedUsers } = await withoutSlackUsers(files, options, openFile);
    return openSetIntake(set, options, (file) => openFile(file, { ...options, deletedUsers }));
  });
}

/** Opens a file of a folder or archive, which may not be one itself. */
function openFile(source: IntakeSource, options: IntakeOptions): Promise<Intake> {
  return open(source, options, async () => {
    throw intakeError(
      'OTHER_FORMAT',
      'this is an archive inside of an archive or folder',
      words`Unpack it and import what is in it, or leave it out with ${option('files')}`,
    );
  });
}

async function open(
  source: IntakeSource,
  options: IntakeOptions,
  openSet: (set: FileSet) => Promise<Intake>,
): Promise<Intake> {
  const input = await openInput(source, options);
  try {
    return await ('names' in input ? openSet(input) : startIntake(input, options));
  } catch (error) {
    input.close();
    throw error;
  }
}

/** Throws UNKNOWN_ENCODING, BAD_DELIMITER or BAD_DEFAULT for options with which no input can be read. */
export function checkIntakeOptions(options: IntakeOptions) {
  checkText(options);
  membershipReader(openColumns(options.map), options);
  checkShape(options);
}

async function startIntake(input: InputBytes | SheetInput, options: IntakeOptions): Promise<Intake> {
  const { map, guid, shape = {}, signal } = options;
  const bounds = boundsWith(options.bounds);
  const growth = reportGrowth(bounds);
  const hasDefaultGuid = guid !== undefined && guid !== '';

  const opened = 'sheet' in input ? input : await openText(input, options, bounds);
  const sheet = 'sheet' in opened ? opened : undefined;
  const text = 'sheet' in opened ? undefined : opened;
  const { kind } = opened;
  const format = INPUTS[kind].rowsAs;
  const isShaped = needsShaping(options, format);
  const columns = openColumns(isShaped ? recognisedMapping(options) : map, {
    ...options,
    bounds,
    hasHeader: format === 'csv',
    otherSheets: sheet?.others,
    onColumn: growth.add,
  });
  const reader = membershipReader(columns, options);
  const common = { columns, reader, hasDefaultGuid, bounds, onRepeat: growth.repeat };
  const shaping = isShaped ? openShaping(options, common) : undefined;
  const cells = shaping && format === 'csv' ? shapedCells(shaping) : undefined;
  const ofShape = shaping && format !== 'csv' ? shapedElements(shaping) : undefined;
  const shaped = cells ?? ofShape;
  const elements = ofShape ?? elementReader(common);

  const idle = new IdleRows();
  const { skip, names } = tableTop(shape);
  const top = { names, skip: sheet?.above ?? skip };
  const table = { ...common, top, edits: options.edits ?? false, shaped: cells, idle };
  const rows =
    'sheet' in opened
      ? sheetRows(opened.rows(), table)
      : opened.dialect !== undefined
        ? csvRows(opened.blocks, opened.dialect, table)
        : (await elementRows(format))(
            await asJson(opened.blocks, kind, bounds),
            ofExport(options.exportOf, elements, options.deletedUsers),
            bounds,
          );
  const ids = new IdNotes();
  let count = 0;
  async function* filledChunks(): AsyncGenerator<InputRow[], void, undefined> {
    for await (const chunk of interruptible(rows, signal)) {
      count += chunk.length;
      for (const row of chunk) ids.see(row);
      growth.check(chunk.length, opened.length(), format === 'csv');
      if (chunk.length > 0) yield chunk;
    }
    if (count === 0) throw noRows(input.name, format, columns, sheet);
  }
  const chunks = filledChunks();
  const first = await chunks.next();
  const recognised = () => shaped?.recognised() ?? columns.recognised();

  return {
    format,
    kind,
    encoding: text?.encoding ?? 'utf-8',
    ...(format === 'csv' && { delimiter: text?.dialect?.delimiter ?? ',' }),
    recognised,
    shaped: () => shaped !== undefined || elements.hasLists(),
    rowsRead: () => (format === 'csv' ? (cells?.rowsRead() ?? count) : elements.rowsRead()),
    columns: () => columns.names,
    notes: () => [
      ...(sheet?.notes(idColumns(columns, options)) ?? []),
      ...idle.notes(),
      ...ids.notes(),
      ...columnNotes(recognised(), columns.names, options),
    ],
    bytesRead: input.bytesRead,
    async *chunks() {
      try {
        if (first.done !== true) yield first.value;
        yield* chunks;
      } finally {
        await chunks.return(undefined);
        input.close();
      }
    },
  };
}

/** Notes about columns that are read and do not count, or count more than an option, and about those that may have been overlooked. */
function columnNotes(
  { guid: column, joinedAt, scope }: ReturnType<Columns['recognised']>,
  names: readonly string[],
  options: IntakeOptions,
): IntakeNote[] {
  const { map, guid, silent, shape = {} } = options;
  const notes: IntakeNote[] = [];
  // Lists of users and columns for each group have the scopes themselves.
  if ((map.scope ?? scope ?? shape.lists ?? shape.wide ?? shape.numbered) === undefined) {
    const named = namedColumns(options);
    notes.push(...scopesNotRead(names.filter((name) => !named.has(sameName(name)))));
  }
  if (joinedAt !== undefined && !silent) {
    const text = `the times in column ${shown(joinedAt)} count only for an import in silence: who is added joins at that moment`;
    notes.push({ code: 'JOINED_AT_NOT_USED', text });
  }
  if (!guid || column === undefined) return notes;
  const text = `rows are added to the groups in column ${shown(column)}; the group that was given for all rows counts only where that is empty`;
  return [...notes, { code: 'GROUPS_OF_ROWS', text }];
}

function noRows(name: string, format: InputFormat, { names }: Columns, sheet: SheetInput | undefined) {
  const isEmpty = format === 'csv' && names.length === 0;
  const others = sheet?.others ?? [];
  const what = `${sheet ? `the sheet ${shown(sheet.sheet)} of ` : ''}${shownPath(name)}`;
  return intakeError(
    isEmpty ? 'EMPTY' : 'NO_ROWS',
    isEmpty ? `${what} is empty` : `${what} has no rows${format === 'csv' ? ', only a header' : ''}`,
    others.length === 0
      ? WRITE_ROWS
      : words`Write rows into it, or name another sheet with ${option('sheet')}: ${listed(others)}`,
    { file: name, format },
  );
}
