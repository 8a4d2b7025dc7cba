import { open, stat } from 'node:fs/promises';
import { archiveOf, type FileSet, folderOf } from './archive/file-set.ts';
import type { Zip } from './archive/zip.ts';
import { type InputBytes, type IntakeSource, openSource } from './byte-source.ts';
import { isZip } from './decompress.ts';
import { type FileState, fileStateOf } from './file-state.ts';
import { boundsWith } from './intake-bounds.ts';
import { notReadable } from './intake-error.ts';
import type { IntakeOptions } from './intake-options.ts';
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

/** Checks that the input exists, before anything starts. Throws FILE_NOT_FOUND, NOT_READABLE. */
export async function checkInput(path: string): Promise<void> {
  const status = await stat(path).catch(() => undefined);
  if (status?.isDirectory() !== true) await fileStateOf(path, path);
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

function sheetBytes(sheet: SheetText, zip: Zip, name: string, state: FileState): InputBytes {
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
