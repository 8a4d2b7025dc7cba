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

/**
 * A new id, with its folder made, so that no other import gets it: two ids of the same second may be equal, and a server may
 * get hundreds of files in a second.
 */
export async function reserveImport(dir: DataDir): Promise<string> {
  for (;;) {
    const id = newImportId();
    await mkdir(dirname(dir.folder(id)), { recursive: true, mode: 0o700 });
    try {
      await mkdir(dir.folder(id), { mode: 0o700 });
      return id;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}
