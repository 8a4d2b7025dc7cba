import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DataDir } from '../platform/data-dir.ts';

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Ids that this process gave out in one second: a busy server makes hundreds, and a tail is one of 29,791. */
const given = { second: '', ids: new Set<string>() };

/**
 * A new id such as 20261120-160503-k3f, which this process gives out once: sorts by time, can be typed, has no colon (job
 * ids may not).
 */
export function newImportId(now = new Date()) {
  const digits = now.toISOString().replace(/\D/g, '');
  const second = `${digits.slice(0, 8)}-${digits.slice(8, 14)}`;
  if (second !== given.second) Object.assign(given, { second, ids: new Set() });
  for (;;) {
    const tail = Array.from({ length: 3 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const id = `${second}-${tail}`;
    if (given.ids.has(id)) continue;
    given.ids.add(id);
    return id;
  }
}

/** Whether `newImportId` can have made it. */
export function isImportId(text: string) {
  return /^\d{8}-\d{6}-[a-z2-9]{3}$/.test(text);
}

/** A new id, with its folder made, so that no process that starts in the same second gets it. */
export async function reserveImport(dir: DataDir) {
  return reserve(() => newImportId(), dir.folder);
}

/** Like `reserveImport`, for things with ids and folders of their own. */
export async function reserve(newId: () => string, folderOf: (id: string) => string) {
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
