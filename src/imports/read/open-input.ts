import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { option, words } from '../../errors/named-options.ts';
import { INPUTS, type InputKind, isWorkbook } from '../../options/input-kinds.ts';
import { firstBytes } from '../../platform/files.ts';
import { archiveOf, type FileSet, folderOf } from './archive/file-set.ts';
import {
  BLOCK_BYTES,
  bytesOf,
  type FileState,
  fileStateOf,
  HEAD_BYTES,
  type InputBytes,
  type IntakeSource,
  interruptible,
  readHead,
} from './byte-source.ts';
import { checkDelimiter, type Dialect } from './csv.ts';
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
import { namedColumns, tableTop } from './shape/shaping.ts';
import type { SheetInput } from './workbook/workbook.ts';

/** One text, one sheet of a workbook, or several files. */
type OpenedInput = InputBytes | SheetInput | FileSet;

/**
 * Opens an input. A workbook gives one of its sheets. Archives and workbooks are read at random places, so they
 * must be regular files. Throws FILE_NOT_FOUND, NOT_READABLE, and what openZip and openSheet throw.
 */
export async function openInput(source: IntakeSource, options: IntakeOptions): Promise<OpenedInput> {
  options.signal?.throwIfAborted();
  if ('stream' in source) return bytesOf(source.stream, source.name, options);
  if ('bytes' in source) {
    const { bytes, name } = source;
    if (isZip(bytes)) return openZipped(bytes, name, { checkUnchanged: async () => {} }, options);
    return bytesOf(Readable.from([bytes]), name, options);
  }
  const { path, name = path } = source;
  const status = await stat(path).catch(() => undefined);
  if (status?.isDirectory()) return folderOf(path, name);
  // Check whether it is still being written before reading its first bytes. Those of pipes and devices come once.
  const state = await fileStateOf(path, name, options);
  if (status?.isFile()) {
    const head = await firstBytes(path, 4).catch((cause: unknown) => {
      throw notReadable(name, 'be opened', cause);
    });
    if (isZip(head)) return openZipped(path, name, state, options);
  }
  return bytesOf(createReadStream(path, { highWaterMark: BLOCK_BYTES }), name, options, state);
}

async function openZipped(
  from: string | Buffer,
  name: string,
  state: FileState,
  options: IntakeOptions,
): Promise<OpenedInput> {
  // Loaded for those alone who need them.
  const { openZip } = await import('./archive/zip.ts');
  const { openSheet, workbookKind } = await import('./workbook/open-workbook.ts');
  const zip = await openZip(from, name, boundsWith(options.bounds), options.onRead);
  try {
    const kind = await workbookKind(zip, name);
    return kind === undefined ? archiveOf(zip, name, state) : await openSheet(zip, kind, name, state, options);
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** Throws UNKNOWN_ENCODING or BAD_DELIMITER for options with which no text can be read. */
export function checkText({ encoding, delimiter }: Pick<IntakeOptions, 'encoding' | 'delimiter'>) {
  detectEncoding(Buffer.alloc(0), encoding);
  if (delimiter !== undefined) checkDelimiter(delimiter);
}

/** Decompresses and decodes a file, as it is read, and gives what it looks like. */
export async function openText(source: InputBytes, options: IntakeOptions, bounds: Bounds) {
  const { encoding: given, signal } = options;
  const raw = await readHead(source.blocks());
  const compression = compressionOf(raw.head);
  const plain = compression === undefined ? raw : await readHead(decompress(raw.blocks, compression, bounds, signal));
  refuseBinary(plain.head);
  const encoding = detectEncoding(plain.head, given);
  let length = 0;
  async function* counted(blocks: AsyncIterable<Buffer>) {
    for await (const block of blocks) {
      length += block.length;
      yield block;
    }
  }
  const start = await readHead(counted(interruptible(decode(plain.blocks, encoding), signal)));
  // Of an object on one long line, the beginning is up to the size that an element may have.
  const isCut = needsMore(start.head.toString());
  const text = isCut ? await readHead(start.blocks, bounds.element, LINE_FEED) : start;
  const head = text.head.toString();
  if (text.head.length < HEAD_BYTES && head.trim() === '') throw emptyFile(source.name);
  const kind = kindOf(head, source.name, options);
  return {
    kind,
    encoding: encoding.name,
    blocks: text.blocks,
    length: () => length,
    dialect: INPUTS[kind].rowsAs === 'csv' ? dialectOf(head, options) : undefined,
  };
}

/** The kind of a text: the one that was named, else the one that it looks like. */
function kindOf(head: string, name: string, { format, map, edits = false }: IntakeOptions): InputKind {
  if (format === 'auto') refuseOtherText(head);
  const kind = format === 'auto' ? detectFormat(head, map) : format;
  if (isWorkbook(kind)) {
    throw intakeError(
      'OTHER_FORMAT',
      `${shownPath(name)} is of another format than ${kind}, which was named`,
      words`Leave out ${option('format')}, so that the format is detected`,
    );
  }
  const { rowsAs } = INPUTS[kind];
  if (!edits || rowsAs === 'csv') return kind;
  throw intakeError(
    'MISSING_COLUMN',
    `${shownPath(name)} is ${rowsAs}; changes and removals are read from CSV, which has a column "action"`,
    'Write them as CSV',
    { file: name, format: rowsAs },
  );
}

function dialectOf(head: string, options: IntakeOptions): Dialect {
  const separator = separatorLine(head);
  const { names, skip } = tableTop(options.shape ?? {});
  const detected = () => {
    const table = belowTop(head, skip);
    return names === undefined ? detectDelimiter(table, namedColumns(options)) : delimiterFor(names.length, table);
  };
  return {
    delimiter: checkDelimiter(options.delimiter ?? separator ?? detected()),
    lineEnds: detectLineEnds(head),
    separatorLine: separator !== undefined,
  };
}

const LINE_FEED = 0x0a;
