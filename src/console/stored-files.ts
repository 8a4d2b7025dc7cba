/** Files that were chosen, with what was entered for them, in the storage of the browser: a reload loses nothing of them. */

import { clear, createStore, del, get, set, type UseStore, values } from 'idb-keyval';

/** A record is kept so long after it was written last, in ms. */
const KEPT_MS = 24 * 3600 * 1000;
const store = createStore('rollcall-files', 'files');
/** Rejects where the browser keeps nothing, as some do in private windows. */
const table: UseStore = async (...asked) => store(...asked);
const nothing = () => undefined;

export interface StoredFile {
  /** Part of the address of its page. */
  key: string;
  /** ms since 1970. */
  at: number;
  file: File;
  lookups: Readonly<Record<string, File>>;
  /** The form. */
  values: Readonly<Record<string, string>>;
  /** The page of what was made of it; '' before that. */
  made: string;
  /** The request that made it, or may have: its answer can have been lost. */
  asked: string;
  /** The key of that request; absent where an earlier version has written this. */
  uploadKey?: string;
}

/** Whether the browser has it now. */
export function storeFile(record: StoredFile): Promise<boolean> {
  return set(record.key, record, table).then(
    () => true,
    () => false,
  );
}

export function storedFile(key: string) {
  return get<StoredFile>(key, table).catch(nothing);
}

export function storedFiles() {
  return values<StoredFile>(table).catch(() => []);
}

export function forgetStored(key: string) {
  return del(key, table).catch(nothing);
}

export function forgetAllStored() {
  return clear(table).catch(nothing);
}

/** Forgets those of earlier days. */
export async function forgetOld(): Promise<void> {
  const old = (await storedFiles()).filter(({ at }) => at < Date.now() - KEPT_MS);
  await Promise.all(old.map(({ key }) => forgetStored(key)));
}
