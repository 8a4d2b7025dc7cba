import { stat } from 'node:fs/promises';
import type { ImportRecord } from '../../imports/catalog.ts';
import { firstBytes } from '../../platform/files.ts';

/** A file by its first bytes and its size. */
export interface Beginning {
  readonly head: Buffer;
  readonly bytes: number;
}

/** Imports that are compared with a file. */
export const MAX_COMPARED = 200;

/** The first of these imports that sent rows of such a file. */
export async function importOfSame(
  records: readonly ImportRecord[],
  file: Beginning,
): Promise<ImportRecord | undefined> {
  for (const record of records) {
    if (record.startedAt !== null && (await isSame(record, file))) return record;
  }
  return undefined;
}

async function isSame({ source, createdAt }: Pick<ImportRecord, 'source' | 'createdAt'>, { head, bytes }: Beginning) {
  try {
    const known = await stat(source);
    // If it was changed since, it may be this very file.
    if (!known.isFile() || known.size !== bytes || known.mtimeMs > createdAt) return false;
    return (await firstBytes(source, head.length)).equals(head);
  } catch {
    // It was moved away, or may not be read.
    return false;
  }
}
