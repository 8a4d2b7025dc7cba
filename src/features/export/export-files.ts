import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { workbook } from '../../text/xlsx-writer.ts';
import type { ExportReader } from './export-store.ts';
import { type ExportList, exportCells, exportText, TEXT_FORMATS } from './export-text.ts';

export const EXPORT_FORMATS = [...TEXT_FORMATS, 'xlsx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The lists that an export has, the main one first. */
export function listsOf({
  users,
  groupsOnly,
}: {
  readonly users: boolean;
  readonly groupsOnly: boolean;
}): ExportList[] {
  if (groupsOnly) return ['groups'];
  return ['members', 'groups', ...(users ? (['users'] as const) : [])];
}

/** One list as bytes. */
export function exportBytes(reader: ExportReader, list: ExportList, format: ExportFormat): Readable {
  const bytes = format === 'xlsx' ? workbook(exportCells(reader, list)) : exportText(reader, list, format);
  return Readable.from(bytes, { objectMode: false });
}

type Bytes = AsyncIterable<Uint8Array | string>;

/** A file that an export writes. */
export interface WrittenFile {
  readonly list: ExportList;
  /** Or its address. */
  readonly path: string;
}

/** Writes every list of an export: the main one to `path`, the others beside it (`members.csv`, `members-groups.csv`). */
export async function writeLists(
  lists: readonly ExportList[],
  { path, put }: { readonly path: string; readonly put: (path: string, bytes: Bytes) => Promise<void> },
  bytesOf: (list: ExportList) => Promise<Bytes>,
): Promise<WrittenFile[]> {
  const files = outputFiles(lists, path);
  for (const { list, path: file } of files) await put(file, await bytesOf(list));
  return files;
}

/** File of each list. */
export function outputFiles([main, ...others]: readonly ExportList[], path: string): WrittenFile[] {
  const ending = extname(path);
  const base = ending === '' ? path : path.slice(0, -ending.length);
  return [
    ...(main === undefined ? [] : [{ list: main, path }]),
    ...others.map((list) => ({ list, path: `${base}-${list}${ending}` })),
  ];
}
