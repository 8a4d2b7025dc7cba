import { stat } from 'node:fs/promises';
import type { CatalogReader, ImportRecord } from '../../imports/catalog.ts';
import { firstBytes } from '../../platform/files.ts';

export interface Beginning {
  readonly head: Buffer;
  readonly bytes: number;
}

/** Imports that are compared with a file. */
const MAX_COMPARED = 200;

/** The last import that sent rows of such a file. @param catalog is read at once, and may be closed afterwards */
export async function importOfSame(
  catalog: Pick<CatalogReader, 'page'> | undefined,
  file: Beginning,
): Promise<ImportRecord | undefined> {
  for (const record of catalog?.page({ kind: ['file'], limit: MAX_COMPARED }).imports ?? []) {
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
