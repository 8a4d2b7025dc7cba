import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asError } from '../../errors/rollcall-error.ts';
import { LOOKUPS } from '../../options/lookups.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { repeatedly } from '../../platform/repeatedly.ts';
import { type Catalog, recordFile } from '../catalog.ts';

/**
 * Removes an import's folder and its entry in the catalog; resolves when the files are deleted. Others stop seeing it
 * at once: the folder is moved away first. `sweepRemoved` deletes the rest after a crash.
 */
export async function removeImport(dir: DataDir, catalog: Pick<Catalog, 'remove'>, id: string) {
  const leaving = join(dir.removed, id);
  if (existsSync(dir.folder(id))) {
    mkdirSync(dir.removed, { recursive: true, mode: 0o700 });
    renameSync(dir.folder(id), leaving);
  }
  catalog.remove(id);
  await rm(leaving, { recursive: true, force: true });
}

export async function sweepRemoved(dir: DataDir) {
  await rm(dir.removed, { recursive: true, force: true });
}

/** Names of the files that come before an import or sync is made. */
const BEFORE = new Set(['input', ...Object.keys(LOOKUPS)].flatMap((name) => [name, `${name}.part`]));

/**
 * Deletes folders with an input and files to look ids up in, or parts of them, and nothing else: the process was killed before their import or sync
 * began. Only for the owner of the data directory.
 * @param folder of all imports or syncs
 * @returns other folders that are not known
 */
export function sweepUnbegun(folder: string, isKnown: (id: string) => boolean) {
  const unknown = (existsSync(folder) ? readdirSync(folder) : []).filter((id) => !isKnown(id));
  return unknown.filter((id) => {
    const own = join(folder, id);
    const files = readdirSync(own);
    const isUnbegun = !existsSync(recordFile(own)) && files.length > 0 && files.every((name) => BEFORE.has(name));
    if (isUnbegun) rmSync(own, { recursive: true, force: true });
    return !isUnbegun && files.length > 0;
  });
}

/** Between two checks for what is too old, at most. */
const CHECK_MS = 3_600_000;

interface RetentionOptions {
  /** The time that they are kept after they have finished, in ms; undefined: for good. */
  readonly keepMs: number | undefined;
  /** Ids of those that had finished before this time (ms since 1970). */
  readonly finishedBefore: (before: number) => readonly string[];
  readonly remove: (id: string) => Promise<void>;
  readonly onError: (error: Error) => void;
}

/** Removes imports, syncs or exports that finished more than `keepMs` ago: now, and regularly from now on. */
export function startRetention({ keepMs, finishedBefore, remove, onError }: RetentionOptions) {
  if (keepMs === undefined) return { stop: async () => {} };
  const removeOld = async () => {
    for (const id of finishedBefore(Date.now() - keepMs)) {
      await remove(id).catch((error: unknown) => onError(asError(error)));
    }
  };
  const first = removeOld().catch((error: unknown) => onError(asError(error)));
  const later = repeatedly(Math.min(keepMs, CHECK_MS), onError, removeOld);
  return { stop: async () => void (await Promise.all([first, later.stop()])) };
}
