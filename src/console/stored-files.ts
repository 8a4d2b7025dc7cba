/** Files that were chosen, with what was entered for them, in the storage of the browser: a reload loses nothing of them. */

/** A record is kept so long after it was written last, in ms. */
const KEPT_MS = 24 * 3600 * 1000;
const NAME = 'rollcall';
const TABLE = 'files';

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
  /** The request that made it. */
  asked: string;
}

/** Whether the browser has it now. */
export async function storeFile(record: StoredFile): Promise<boolean> {
  return (await inTable('readwrite', (table) => table.put(record))) !== undefined;
}

export async function storedFile(key: string): Promise<StoredFile | undefined> {
  return inTable<StoredFile | undefined>('readonly', (table) => table.get(key));
}

export async function storedFiles(): Promise<readonly StoredFile[]> {
  return (await inTable<StoredFile[]>('readonly', (table) => table.getAll())) ?? [];
}

export async function forgetStored(key: string): Promise<void> {
  await inTable('readwrite', (table) => table.delete(key));
}

export async function forgetAllStored(): Promise<void> {
  await inTable('readwrite', (table) => table.clear());
}

/** Forgets those of earlier days. */
export async function forgetOld(): Promise<void> {
  const old = (await storedFiles()).filter(({ at }) => at < Date.now() - KEPT_MS);
  await Promise.all(old.map(({ key }) => forgetStored(key)));
}

/** Undefined where the browser keeps nothing, as some do in private windows. */
async function inTable<T>(
  mode: IDBTransactionMode,
  ask: (table: IDBObjectStore) => IDBRequest,
): Promise<T | undefined> {
  try {
    const opening = indexedDB.open(NAME, 1);
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(TABLE, { keyPath: 'key' }));
    const database = await answerOf<IDBDatabase>(opening);
    try {
      return await answerOf<T>(ask(database.transaction(TABLE, mode).objectStore(TABLE)));
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function answerOf<T>(request: IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
