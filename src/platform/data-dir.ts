import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, RollcallError } from '../errors/rollcall-error.ts';
import { CATALOG, ENDS, MEMORY } from './database-errors.ts';
import { privateFile } from './sqlite.ts';

/** The ledger in the folder of an import. */
export function ledgerFile(folder: string) {
  return join(folder, 'ledger.sqlite');
}

export type DataDir = Readonly<ReturnType<typeof dataDir>>;

/** The paths in a data directory, and the lock of its owner. */
export function dataDir(path: string) {
  const root = resolve(path);
  /** Everything of one import. */
  const folder = (id: string) => join(root, 'imports', id);
  return {
    root,
    catalog: join(root, CATALOG),
    /** Tokens, sessions and the audit log. */
    access: join(root, 'access.sqlite'),
    /** Members whom syncs with a name made. */
    memory: join(root, MEMORY),
    controlSocket: join(root, 'control.sock'),
    /** A file with the path of the socket, where the path of the data directory is too long for it. */
    control: join(root, 'control'),
    /** A file with the URL of the server that owns the directory, while there is one. */
    address: join(root, 'address'),
    /** Memberships that end. */
    ends: join(root, ENDS),
    recipes: join(root, 'recipes'),
    /** Files for the schedules of a server with a sandbox whose settings name no other folder. */
    sources: join(root, 'sources'),
    /** Room on the disk that is kept free for the catalog, while a coordinator works. */
    reserve: join(root, 'reserve'),
    /** Folders of removed imports, until they are deleted. */
    removed: join(root, 'removed'),
    folder,
    ledger: (id: string) => ledgerFile(folder(id)),
    sync: (id: string) => join(root, 'syncs', id),
    export: (id: string) => join(root, 'exports', id),
    /** The folder of a schedule's own files, beside the catalog. */
    schedule: (name: string) => join(root, 'schedules', name),
  };
}

/** Whether anything was ever kept in the directory. @throws DATA_DIR_UNUSABLE where it is a file */
export function hasCatalog({ root, catalog }: DataDir) {
  if (existsSync(catalog)) return true;
  if (existsSync(root) && !isFolder(root))
    throw new RollcallError('DATA_DIR_UNUSABLE', { root, why: 'it is not a directory' });
  return false;
}

/** Reads a part of the catalog, even while another process writes to it. @param read gets undefined where there is none */
export function readCatalog<Reader extends Disposable, Result>(
  dir: DataDir,
  open: (catalog: string) => Reader,
  read: (reader: Reader | undefined) => Result,
): Result {
  using reader = hasCatalog(dir) ? open(dir.catalog) : undefined;
  return read(reader);
}

/** The directory, and why nothing can be in it: after "there are no imports". @throws DATA_DIR_UNUSABLE where it may not be opened */
export function emptyPlace(dir: DataDir) {
  const { root } = dir;
  if (hasCatalog(dir)) return `in ${root}`;
  if (!existsSync(root)) return `in ${root}, which does not exist`;
  try {
    // Without this right, a catalog in it is not seen.
    accessSync(root, constants.X_OK);
    return readdirSync(root).length === 0 ? `in ${root}` : `in ${root}, which is not a data directory of rollcall`;
  } catch (error) {
    throw unusable(root, error);
  }
}

/** Names that rollcall uses at the top of a data directory. Other files there belong to the user. */
const OURS =
  /^(?:(?:catalog|access|memberships|ends)\.sqlite.*|owner\.lock.*|address.*|rollcall\.log.*|control|reserve|imports|syncs|exports|schedules|recipes|sources|uploads|removed)$/;

/**
 * Makes the directory where it is missing, and what is in it private, however it was made. For those who write into it.
 * @returns a warning where other users can open the directory itself
 * @throws DATA_DIR_UNUSABLE
 */
export function makeDataDir({ root }: DataDir): { readonly warning: string | undefined } {
  try {
    makeFolders(root);
    accessSync(root, constants.W_OK | constants.X_OK);
    for (const entry of readdirSync(root, { withFileTypes: true })) {
      if (!OURS.test(entry.name) || entry.isSymbolicLink()) continue;
      close(join(root, entry.name));
    }
    return { warning: openness(root) };
  } catch (error) {
    throw unusable(root, error);
  }
}

function unusable(root: string, cause: unknown) {
  return new RollcallError('DATA_DIR_UNUSABLE', { root, why: messageOf(cause) }, { cause });
}

/** Node's own recursive mkdir never returns where the parent is there and takes nothing, as /proc. */
function makeFolders(path: string) {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolders(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Takes the rights of others away from a file or folder, where there are any. */
function close(path: string) {
  try {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process has removed it, or it belongs to another user, who decides about its mode.
    if (code !== 'ENOENT' && code !== 'EPERM') throw error;
  }
}

function openness(root: string) {
  const mode = statSync(root).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  const what =
    (mode & 0o022) !== 0 ? 'they can replace its files' : 'they see which files are in it, though not what is in them';
  return `the data directory ${root} is open to other users of this machine (mode 0${mode.toString(8)}): ${what}; close it with \`chmod 700 ${root}\``;
}

/**
 * Makes this process the owner of the data directory, until the result is disposed of. SQLite holds the lock because the
 * operating system drops it with the process: nothing is left after `kill -9`. @throws DATA_DIR_IN_USE
 */
export function ownDataDir(dir: DataDir): Disposable {
  makeDataDir(dir);
  const { root, address } = dir;
  const lockFile = join(root, 'owner.lock');
  privateFile(lockFile);
  const lock = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive; create table if not exists owner (pid integer);');
  } catch (error) {
    lock.close();
    if (error instanceof Error && /locked/.test(error.message)) {
      throw new RollcallError('DATA_DIR_IN_USE', { root, address: addressIn(dir) });
    }
    throw error;
  }
  // Left by an owner that was killed.
  rmSync(address, { force: true });
  return {
    [Symbol.dispose]: () => {
      if (!lock.isOpen) return;
      rmSync(address, { force: true });
      lock.close();
    },
  };
}

/** Announces the address of the owner to processes that cannot own the data directory. Only for the owner. */
export function announceAddress({ address }: DataDir, url: string) {
  const unfinished = `${address}.part`;
  writeFileSync(unfinished, `${url}\n`, { mode: 0o600 });
  renameSync(unfinished, address);
}

/** Returns the address that the owner has announced; undefined when it is not a server. */
function addressIn({ address }: DataDir) {
  try {
    return readFileSync(address, 'utf8').trim();
  } catch {
    return undefined;
  }
}
