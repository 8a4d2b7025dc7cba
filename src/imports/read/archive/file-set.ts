import { readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { option, words } from '../../../errors/named-options.ts';
import { MIB } from '../../../options/bounds.ts';
import { INPUT_ENDINGS, inputNames } from '../../../options/input-kinds.ts';
import { alternatives, namePattern, pathPattern } from '../../../text/wildcard.ts';
import { type FileState, type IntakeSource, inOnePiece, readHead } from '../byte-source.ts';
import { isZip } from '../decompress.ts';
import { intakeError, listed, notReadable, shownPath, tooMany } from '../intake-error.ts';
import type { Zip } from './zip.ts';

/** Files and folders that a folder is searched for; more are refused. */
const MAX_FOUND = 200_000;
/** Files that may be read as one import. */
const MAX_READ = 1_000;
/** Bytes of a workbook inside of an archive: it is held in memory. */
const MAX_WORKBOOK_BYTES = 256 * MIB;
const NAME_THEM = words`Name those with rows with ${option('files')}, or put them into a folder of their own`;

/** The files of a folder or of a ZIP archive, by their names in it, with slashes. */
export interface FileSet {
  readonly kind: 'folder' | 'zip';
  readonly name: string;
  /** In order of their names. Links are not among them. */
  readonly names: readonly string[];
  /** Names that are always left out, such as links. */
  readonly leftOut: readonly string[];
  bytesRead?(): number;
  /** A file to read. Throws what reading an archive throws. */
  open(file: string): Promise<IntakeSource>;
  /** To be called when all has been read. Throws FILE_CHANGED. */
  checkUnchanged(): Promise<void>;
  close(): void;
}

export function archiveOf(zip: Zip, name: string, state: FileState): FileSet {
  return {
    kind: 'zip',
    name,
    names: zip.names.toSorted(),
    leftOut: [],
    bytesRead: zip.bytesRead,
    open: async (file) => {
      const { head, blocks } = await readHead(zip.read(file), 4);
      if (!isZip(head)) return { stream: Readable.from(blocks), name: file };
      // A workbook is read at random places.
      const tooLarge = () => tooMany(shownPath(file), MAX_WORKBOOK_BYTES, 'bytes', 'Unpack it first');
      return { bytes: await inOnePiece(blocks, MAX_WORKBOOK_BYTES, tooLarge), name: file };
    },
    checkUnchanged: () => state.checkUnchanged(0),
    close: zip.close,
  };
}

/** The files of a folder and its folders. Links in it are not followed. Throws NOT_READABLE, TOO_LARGE. */
export async function folderOf(path: string, name: string): Promise<FileSet> {
  const names: string[] = [];
  const leftOut: string[] = [];
  const folders = [''];
  let found = 0;
  // Folder by folder: the root of a disk is refused after a moment, and not when all of it was seen.
  for (const folder of folders) {
    const entries = await readdir(join(path, folder), { withFileTypes: true }).catch((cause: unknown) => {
      throw notReadable(name, 'be listed', cause);
    });
    found += entries.length;
    if (found > MAX_FOUND) throw tooMany(shownPath(name), MAX_FOUND, 'files and folders', NAME_THEM);
    for (const entry of entries) {
      const file = posix.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(file);
      else (entry.isFile() ? names : leftOut).push(file);
    }
  }
  return {
    kind: 'folder',
    name,
    names: names.sort(),
    leftOut,
    open: async (file) => ({ path: join(path, file), name: file }),
    checkUnchanged: async () => {},
    close: () => {},
  };
}

const ENDINGS = new RegExp(`\\.(?:${INPUT_ENDINGS.join('|')})(?:\\.(?:gz|zst))?$`, 'i');
/** Files that programs leave behind in folders and archives. */
const DEBRIS = /(?:^|\/)(?:\.|~\$|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/i;

export interface Selection {
  /** To be read, in order. */
  readonly files: readonly string[];
  /** Present and not read. */
  readonly others: readonly string[];
}

/**
 * The files of a folder or archive that are read: those that the patterns name, or without patterns those whose ending says
 * that they have rows, at the top or in the only folder there. Throws UNKNOWN_FILE, TOO_LARGE.
 * @param patterns such as `enrollments*.csv`, or `**` + `/channels.json` for one at any depth; a bare name matches at any depth.
 * Behind a `!` they leave files out
 */
export function selectFiles(set: FileSet, patterns: readonly string[] | undefined): Selection {
  const names = set.names.filter((name) => !DEBRIS.test(name));
  const all = (patterns ?? []).map((pattern) => ({
    pattern,
    isWanted: !pattern.startsWith('!'),
    fits: fitting(pattern.replace(/^!/, '')),
  }));
  const wanted = all.filter(({ isWanted }) => isWanted);
  const unwanted = all.filter(({ isWanted }) => !isWanted);
  const named = wanted.length === 0 ? obvious(names) : names.filter((name) => wanted.some(({ fits }) => fits(name)));
  const files = named.filter((name) => !unwanted.some(({ fits }) => fits(name)));
  const unmatched = all.find(({ fits }) => !named.some(fits))?.pattern;
  if (files.length === 0 || unmatched !== undefined) {
    const what =
      unmatched === undefined
        ? `${shownPath(set.name)} has no file that rollcall reads`
        : `${shownPath(set.name)} has no file that matches ${JSON.stringify(unmatched)}`;
    const present = names.length === 0 ? 'it is empty' : `it has ${listed(names)}`;
    const remedy = words`Name files in it, such as ${option('files', 'members*.csv')}; ${inputNames('and')} are read`;
    throw intakeError('UNKNOWN_FILE', `${what}; ${present}`, remedy);
  }
  if (files.length > MAX_READ) throw tooMany(shownPath(set.name), MAX_READ, 'files with rows', NAME_THEM);
  const chosen = new Set(files);
  return { files, others: [...names.filter((name) => !chosen.has(name)), ...set.leftOut] };
}

function fitting(pattern: string): (name: string) => boolean {
  const isPath = pattern.includes('/');
  const all = alternatives(pattern).map(isPath ? pathPattern : namePattern);
  return (name) => name === pattern || all.some((fits) => fits(isPath ? name : posix.basename(name)));
}

/** Files at the top; where there are none, and everything is in one folder, the files in it. */
function obvious(names: readonly string[]) {
  for (let top = ''; ; ) {
    const inside = names.filter((name) => name.startsWith(top));
    const own = inside.filter((name) => !name.slice(top.length).includes('/'));
    const readable = own.filter((name) => ENDINGS.test(name));
    if (readable.length > 0) return readable;
    const folders = new Set(
      inside.filter((name) => !own.includes(name)).map((name) => name.slice(top.length).split('/', 1)[0]),
    );
    const [only] = folders;
    if (folders.size !== 1 || only === undefined) return [];
    top += `${only}/`;
  }
}
