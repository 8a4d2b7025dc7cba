import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Where things are in a data directory, and who may write in it. */
export interface DataDir {
  readonly root: string;
  readonly catalog: string;
  readonly controlSocket: string;
  /** The embedded queue: a cache of the ledger. */
  readonly queue: string;
  /** Everything of one import. */
  folder(id: string): string;
  ledger(id: string): string;
}

export function dataDir(path: string): DataDir {
  const root = resolve(path);
  const folder = (id: string) => join(root, 'imports', id);
  return {
    root,
    catalog: join(root, 'catalog.sqlite'),
    controlSocket: join(root, 'control.sock'),
    queue: join(root, 'queue'),
    folder,
    ledger: (id) => join(folder(id), 'ledger.sqlite'),
  };
}

/** Another process owns the data directory. */
export class DataDirInUse extends Error {
  constructor(root: string) {
    super(`${root} is in use by another rollcall process; wait for it, or name another directory with --data-dir`);
    this.name = 'DataDirInUse';
  }
}

/** The data directory cannot be made, or is none. */
export class DataDirUnusable extends Error {
  constructor(root: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${root} cannot be used as data directory: ${why}; name another one with --data-dir`, { cause });
    this.name = 'DataDirUnusable';
  }
}

/** Makes the directory where it is missing. @throws DataDirUnusable */
export function makeDataDir({ root }: DataDir): void {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataDirUnusable(root, error);
  }
}

/**
 * Makes this process the owner of the data directory, or throws DataDirInUse. Returns the release.
 * SQLite holds the lock because the operating system drops it with the process: nothing is left after `kill -9`.
 */
export function ownDataDir(dir: DataDir): () => void {
  makeDataDir(dir);
  const { root } = dir;
  const lock = new DatabaseSync(join(root, 'owner.lock'), { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive; create table if not exists owner (pid integer);');
  } catch (error) {
    lock.close();
    if (error instanceof Error && /locked/.test(error.message)) throw new DataDirInUse(root);
    throw error;
  }
  return () => {
    if (lock.isOpen) lock.close();
  };
}
