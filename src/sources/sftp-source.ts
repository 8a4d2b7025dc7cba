import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path/posix';
import type { FileEntryWithStats, Stats } from 'ssh2';
import { messageOf } from '../errors/rollcall-error.ts';
import { shown } from '../imports/read/intake-error.ts';
import { alternatives, hasWildcards, pathPattern } from '../text/wildcard.ts';
import { connect, type Session, type SftpPlace } from './sftp-session.ts';
import { type Adapter, badSource, newestOf, type Opened, type SourceEntry } from './source.ts';

const ADDRESS = /^sftp:\/\/(?:([^@/]*)@)?(\[[^\]]+\]|[^/:@]+)(?::(\d{1,5}))?(\/.*)?$/is;
/** Reads or writes that are asked for before the first is answered, each of as many bytes: a distant server is not waited for each time. */
const AT_ONCE = 16;
const PIECE_BYTES = 32 * 1024;

export const adapter: Adapter = (request) => {
  const place = sftpPlace(request.address);
  const within = async <Value>(signal: AbortSignal, act: (session: Session) => Promise<Value>): Promise<Value> => {
    const session = await connect(place, request, signal);
    try {
      return await act(session);
    } finally {
      session.close();
    }
  };
  return {
    name: place.name,
    open: async (signal, known) => {
      const session = await connect(place, request, signal);
      try {
        return await openFile(session, place, known);
      } catch (error) {
        session.close();
        throw error;
      }
    },
    list: (signal) =>
      within(signal, async (session) => {
        const { path } = place;
        return (await session.list(path.endsWith('/') ? path : path.slice(0, path.lastIndexOf('/') + 1))).map(entryOf);
      }),
    write: (path, signal) => within(signal, (session) => writeFile(session, place, path)),
  };
};

function sftpPlace(address: string) {
  const [, user = '', host = '', port = '22', path = '/'] = ADDRESS.exec(address) ?? [];
  if (host === '' || Number(port) > 65_535) {
    throw badSource('"sftp://…" is not a valid address; allowed is sftp://user@host/path/of/the/file.csv');
  }
  return {
    user: decodeURIComponent(user) || userInfo().username,
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port),
    // Relative to the user's own folder, as in curl.
    path: path.startsWith('/~/') ? `./${path.slice(3)}` : path,
    name: address,
  };
}

async function openFile(session: Session, place: SftpPlace, known: string | undefined): Promise<Opened> {
  const path = await pathIn(session, place);
  const name =
    place.name.slice(0, place.name.length - place.path.replace(/^\./, '/~').length) + path.replace(/^\./, '/~');
  const found = await session.stat(path);
  if (!found.isFile()) throw badSource(`${shown(name)} is not a file; name one in it, or a pattern for its newest`);
  const handle = await session.open(path);
  const before = await session.statOpen(handle);
  const version = versionOf(path, before);
  const close = async () => session.close();
  if (version === known) return { name, version, content: undefined, close };
  const pieces = async function* () {
    yield* readAll(session, handle, before.size);
    if (versionOf(path, await session.statOpen(handle)) === version) return;
    throw badSource(`${shown(name)} was changed while it was read; try again when the export has ended`);
  };
  return { name, version, content: { kind: 'bytes', size: before.size, pieces: pieces() }, close };
}

const versionOf = (path: string, { mtime, size }: Stats) => `${path} ${mtime} ${size}`;

async function* readAll(session: Session, handle: Buffer, size: number) {
  const asked: Promise<Buffer>[] = [];
  let start = 0;
  for (;;) {
    // One read goes beyond the end: a file that has grown gives too much, which is an error.
    while (asked.length < AT_ONCE && start <= size) {
      const read = session.read(handle, start, PIECE_BYTES);
      read.catch(() => {});
      asked.push(read);
      start += PIECE_BYTES;
    }
    const piece = await asked.shift();
    if (piece === undefined) return;
    if (piece.length > 0) yield piece;
    if (piece.length < PIECE_BYTES) return;
  }
}

/** The path of the file: of a pattern, that of the newest that fits. */
async function pathIn(session: Session, { path, name }: SftpPlace) {
  if (!hasWildcards(path)) return path;
  const isThere = await session.stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) return path;
  async function* found() {
    for (const one of alternatives(path)) yield* fitting(session, one.split('/'), 0);
  }
  return (await newestOf(found(), name)).path;
}

async function* fitting(
  session: Session,
  parts: readonly string[],
  from: number,
): AsyncGenerator<{ readonly path: string; readonly at: number }> {
  const at = parts.findIndex((part, index) => index >= from && hasWildcards(part));
  if (at === -1) {
    const path = parts.join('/');
    const found = await session.stat(path).catch(() => undefined);
    if (found?.isFile()) yield { path, at: found.mtime };
    return;
  }
  const fits = pathPattern(parts[at] ?? '');
  const folder = parts.slice(0, at).join('/') || '/';
  // A folder may be gone by now, or not be this user's to read.
  for (const { filename } of await session.list(folder).catch(() => [])) {
    if (fits(filename)) yield* fitting(session, parts.with(at, filename), at + 1);
  }
}

function entryOf({ filename, attrs }: FileEntryWithStats): SourceEntry {
  const kind = attrs.isDirectory() ? 'folder' : 'file';
  return { name: filename, kind, modifiedAt: attrs.mtime * 1000 };
}

/** Modes like those of local files: only the user may read them. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Writes a file under another name, until all of it is there. @param from path of the file on this machine */
async function writeFile(session: Session, { path, name }: SftpPlace, from: string) {
  const unfinished = `${path}.part`;
  const isThere = (folder: string) =>
    session.stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
  try {
    const folder = dirname(path);
    if (!(await isThere(folder))) {
      await session
        .change(path, (sftp, done) => sftp.mkdir(folder, { mode: FOLDER_MODE }, done))
        .catch(async (error) => {
          // Another may have made it meanwhile.
          if (!(await isThere(folder))) throw error;
        });
    }
    const { size } = await stat(from);
    const way = { mode: FILE_MODE, concurrency: AT_ONCE, chunkSize: PIECE_BYTES };
    await session.change(path, (sftp, done) => sftp.fastPut(from, unfinished, way, done));
    const written = await session.stat(unfinished);
    if (written.size !== size) {
      throw badSource(`${shown(name)} cannot be written: ${written.size} of ${size} bytes have arrived`);
    }
    await replace(session, unfinished, path);
  } catch (error) {
    await session.change(path, (sftp, done) => sftp.unlink(unfinished, done)).catch(() => {});
    throw error;
  }
}

/** In one step where the server can do that (OpenSSH can); SFTP itself renames to no name that is taken. */
async function replace(session: Session, from: string, to: string) {
  try {
    await session.change(to, (sftp, done) => sftp.ext_openssh_rename(from, to, done));
  } catch (error) {
    if (!/does not support this extended request/i.test(messageOf(error))) throw error;
    await session.change(to, (sftp, done) => sftp.unlink(to, done)).catch(() => {});
    await session.change(to, (sftp, done) => sftp.rename(from, to, done));
  }
}
