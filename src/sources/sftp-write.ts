import { open } from 'node:fs/promises';
import { dirname } from 'node:path/posix';
import type { SFTPWrapper } from 'ssh2';
import { messageOf } from '../errors/message-of.ts';
import { shown } from '../imports/read/intake-error.ts';
import { NO_PERMISSION, NO_SUCH_FILE, type Place, type Session, statusOf } from './sftp-session.ts';
import { SourceError } from './source-errors.ts';

/** Writes files on SFTP servers: under another name, until all of it is there. */

/** Writes that are asked for before the first is answered, each of as many bytes: a distant server is not waited for each time. */
const WRITES = 16;
const WRITE_BYTES = 32 * 1024;
/** Modes like those of local files: only the user may read them. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

type Nothing = (error: Error | undefined | null, nothing: undefined) => void;
const plainly = (done: Nothing) => (error?: Error | null) => done(error, undefined);

/** @param from path of the file on this machine */
export async function writeFile(session: Session, { path, name }: Place, from: string): Promise<void> {
  const unfinished = `${path}.part`;
  const ask = (what: (sftp: SFTPWrapper, done: Nothing) => void) => session.ask<undefined>(what, path);
  const isThere = (folder: string) =>
    session.stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
  try {
    const folder = dirname(path);
    if (!(await isThere(folder))) {
      await ask((sftp, done) => sftp.mkdir(folder, { mode: FOLDER_MODE }, plainly(done))).catch(async (error) => {
        // Another may have made it meanwhile.
        if (!(await isThere(folder))) throw error;
      });
    }
    const handle = await session.ask<Buffer>(
      (sftp, done) => sftp.open(unfinished, 'w', { mode: FILE_MODE }, done),
      path,
    );
    const size = await writeAll(session, handle, from, path);
    await ask((sftp, done) => sftp.close(handle, plainly(done)));
    const written = await session.stat(unfinished);
    if (written.size !== size) throw new Error(`${written.size} of ${size} bytes have arrived`);
    await replace(session, unfinished, path);
  } catch (error) {
    await ask((sftp, done) => sftp.unlink(unfinished, plainly(done))).catch(() => {});
    throw asWriting(name, error);
  }
}

/** Makes an empty file and removes it. */
export async function tryWriting(session: Session, { path, name }: Place): Promise<void> {
  const ask = (what: (sftp: SFTPWrapper, done: Nothing) => void) => session.ask<undefined>(what, path);
  try {
    const handle = await session.ask<Buffer>((sftp, done) => sftp.open(path, 'w', { mode: FILE_MODE }, done), path);
    await ask((sftp, done) => sftp.close(handle, plainly(done)));
    await ask((sftp, done) => sftp.unlink(path, plainly(done)));
  } catch (error) {
    throw asWriting(name, error);
  }
}

async function writeAll(session: Session, handle: Buffer, from: string, path: string): Promise<number> {
  const asked: Promise<unknown>[] = [];
  let start = 0;
  await using file = await open(from, 'r');
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(WRITE_BYTES), 0, WRITE_BYTES, start);
    if (bytesRead === 0) break;
    const at = start;
    const write = session.ask<undefined>(
      (sftp, done) => sftp.write(handle, buffer, 0, bytesRead, at, plainly(done)),
      path,
    );
    write.catch(() => {});
    asked.push(write);
    start += bytesRead;
    if (asked.length === WRITES) await asked.shift();
  }
  await Promise.all(asked);
  return start;
}

/** In one step where the server can do that (OpenSSH can); SFTP itself renames to no name that is taken. */
async function replace(session: Session, from: string, to: string): Promise<void> {
  const rename = (atOnce: boolean) =>
    session.ask<undefined>((sftp, done) => {
      if (atOnce) sftp.ext_openssh_rename(from, to, plainly(done));
      else sftp.rename(from, to, plainly(done));
    }, to);
  try {
    // It throws where the server has no such step.
    await rename(true);
  } catch (error) {
    if (!isUnknownStep(error)) throw error;
    await session.ask<undefined>((sftp, done) => sftp.unlink(to, plainly(done)), to).catch(() => {});
    await rename(false);
  }
}

const isUnknownStep = (error: unknown) => /does not support this extended request/i.test(messageOf(error));

function asWriting(name: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const status = statusOf(error.cause ?? error);
  if (status === NO_SUCH_FILE) {
    return new SourceError(`${shown(name)} cannot be written: the folder above it is not there`, {
      remedy: 'make it, or correct the path',
      cause: error,
    });
  }
  if (status === NO_PERMISSION) {
    return new SourceError(`${shown(name)} may not be written by this user`, {
      remedy: 'ask the owner of the host for the right to write there',
      cause: error,
    });
  }
  // Whoever is not let in, or was cut off, has been told what to do.
  if (error instanceof SourceError && typeof status !== 'number') return error;
  const { message } = error.cause instanceof Error ? error.cause : error;
  return new SourceError(`${shown(name)} cannot be written: ${message}`, { cause: error });
}
