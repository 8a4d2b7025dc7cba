import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DataDir } from '../platform/data-dir.ts';

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A new import id such as 20261120-160503-k3f: sorts by time, can be typed, has no colon (job ids may not). */
export function newImportId(now = new Date()): string {
  const digits = now.toISOString().replace(/\D/g, '');
  const tail = Array.from({ length: 3 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${tail}`;
}

/** Whether `newImportId` can have made it. */
export function isImportId(text: string): boolean {
  return /^\d{8}-\d{6}-[a-z2-9]{3}$/.test(text);
}

/**
 * A new id, with its folder made, so that no other import gets it: two ids of the same second may be equal, and a server may
 * get hundreds of files in a second.
 */
export async function reserveImport(dir: DataDir): Promise<string> {
  return reserve(() => newImportId(), dir.folder);
}

/** As `reserveImport`, for what has ids and folders of its own. */
export async function reserve(newId: () => string, folderOf: (id: string) => string): Promise<string> {
  for (;;) {
    const id = newId();
    const folder = folderOf(id);
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    try {
      await mkdir(folder, { mode: 0o700 });
      return id;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}
