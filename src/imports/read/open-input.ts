import { open, stat } from 'node:fs/promises';
import { option, words } from '../../errors/named-options.ts';
import { INPUTS, type InputKind, isWorkbook } from '../../options/input-kinds.ts';
import { archiveOf, type FileSet, folderOf } from './archive/file-set.ts';
import type { Zip } from './archive/zip.ts';
import {
  type FileState,
  fileStateOf,
  HEAD_BYTES,
  type InputBytes,
  type IntakeSource,
  interruptible,
  openSource,
  readHead,
} from './byte-source.ts';
import { checkDelimiter } from './csv.ts';
import { decode, detectEncoding } from './decode.ts';
import { compressionOf, decompress, isZip } from './decompress.ts';
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
import { type Bounds, boundsWith, emptyFile, intakeError, notReadable, shownPath } from './intake-error.ts';
import type { IntakeOptions } from './intake-options.ts';
import { namedColumns, type TableTop, tableTop } from './shape/shaping.ts';
import type { SheetText } from './workbook/workbook.ts';

/** An opened input: one text, or several files. */
type OpenedInput = { readonly text: InputBytes } | { readonly set: FileSet };

/**
 * Opens an input. A workbook gives the text of one of its sheets. Archives and workbooks are read at random places, so they
 * must be regular files. Throws what openSource, openZip and openSheet throw.
 */
export async function openInput(source: IntakeSource, options: IntakeOptions): Promise<OpenedInput> {
  if ('stream' in source) return { text: await openSource(source, options) };
  if ('bytes' in source) {
    if (!isZip(source.bytes)) return { text: await openSource(source, options) };
    return openZipped(source.bytes, source.name, { checkUnchanged: async () => {} }, options);
  }
  const { path, name = path } = source;
  const status = await stat(path).catch(() => undefined);
  if (status?.isDirectory()) return { set: await folderOf(path, name) };
  if (status?.isFile() !== true) return { text: await openSource(source, options) };
  // Check whether it is still being written before reading its first bytes.
  const state = await fileStateOf(path, name, options);
  const head = await firstBytes(path, name);
  if (!isZip(head)) return { text: await openSource(source, { ...options, waitForQuietMs: 0 }) };
  return openZipped(path, name, state, options);
}

/** Bytes at the beginning of a file. */
async function firstBytes(path: string, name: string) {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } catch (cause) {
    throw notReadable(name, 'be opened', cause);
  }
}

async function openZipped(
  from: string | Buffer,
  name: string,
  state: FileState,
  options: IntakeOptions,
): Promise<OpenedInput> {
  const bounds = boundsWith(options.bounds);
  // Loaded for those alone who need them.
  const { openZip } = await import('./archive/zip.ts');
  const { openSheet, workbookKind } = await import('./workbook/open-workbook.ts');
  const zip = await openZip(from, name, bounds, options.onRead);
  try {
    const kind = await workbookKind(zip, name);
    if (kind !== undefined) {
      const text = await openSheet(zip, kind, name, options, bounds);
      return { text: sheetBytes(text, zip, name, state) };
    }
  } catch (error) {
    zip.close();
    throw error;
  }
  return { set: archiveOf(zip, name, state) };
}

function sheetBytes(sheet: SheetText, zip: Zip, name: string, state: FileState) {
  return {
    name,
    sheet,
    get bytesRead() {
      return zip.bytesRead();
    },
    blocks: async function* () {
      yield* sheet.blocks();
      await state.checkUnchanged(0);
    },
    close: () => sheet.close(),
  };
}

/** Throws UNKNOWN_ENCODING or BAD_DELIMITER for options with which no text can be read. */
export function checkText({ encoding, delimiter }: Pick<IntakeOptions, 'encoding' | 'delimiter'>) {
  detectEncoding(Buffer.alloc(0), encoding);
  if (delimiter !== undefined) checkDelimiter(delimiter);
}

/** Decompresses and decodes a file, as it is read, and gives its beginning. */
export async function openText(source: InputBytes, { encoding: given, signal }: IntakeOptions, bounds: Bounds) {
  const raw = await readHead(source.blocks());
  const compression = compressionOf(raw.head);
  const plain = compression === undefined ? raw : await readHead(decompress(raw.blocks, compression, bounds, signal));
  refuseBinary(plain.head);
  const encoding = detectEncoding(plain.head, given);
  const read = { bytes: 0, rows: 0 };
  const text = await textHead(counted(interruptible(decode(plain.blocks, encoding), signal), read), bounds);
  const head = text.head.toString();
  if (text.head.length < HEAD_BYTES && head.trim() === '') throw emptyFile(source.name);
  return { head, blocks: text.blocks, read, encoding: encoding.name };
}

/** The kind of a text: the one that was named, else the one that it looks like. */
export function kindOf(head: string, source: InputBytes, { format, map, edits = false }: IntakeOptions): InputKind {
  if (format === 'auto') refuseOtherText(head);
  const kind = format === 'auto' ? detectFormat(head, map) : format;
  if (isWorkbook(kind) && source.sheet === undefined) {
    throw intakeError(
      'OTHER_FORMAT',
      `${shownPath(source.name)} is of another format than ${kind}, which was named`,
      words`Leave out ${option('format')}, so that the format is detected`,
    );
  }
  const { rowsAs } = INPUTS[kind];
  if (!edits || rowsAs === 'csv') return kind;
  throw intakeError(
    'MISSING_COLUMN',
    `${shownPath(source.name)} is ${rowsAs}; changes and removals are read from CSV, which has a column "action"`,
    'Write them as CSV',
    { file: source.name, format: rowsAs },
  );
}

/** The form of a table in text: its delimiter, its line ends, and the place at which its rows begin. */
export function dialectOf(head: string, { sheet }: InputBytes, options: IntakeOptions) {
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

function delimiterOf(head: string, options: IntakeOptions, { names }: TableTop) {
  return names === undefined ? detectDelimiter(head, namedColumns(options)) : delimiterFor(names.length, head);
}

/** The beginning of the text; for an object on one long line, up to the size that an element may have. */
async function textHead(blocks: AsyncGenerator<Buffer>, bounds: Bounds): ReturnType<typeof readHead> {
  const text = await readHead(blocks);
  return needsMore(text.head.toString()) ? readHead(text.blocks, bounds.element, LINE_FEED) : text;
}

async function* counted(blocks: AsyncIterable<Buffer>, read: { bytes: number }) {
  for await (const block of blocks) {
    read.bytes += block.length;
    yield block;
  }
}

/** Ends a line. */
const LINE_FEED = 0x0a;
