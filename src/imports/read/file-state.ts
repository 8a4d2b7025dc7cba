import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { option, words } from '../../errors/named-options.ts';
import { intakeError, notReadable, refuseAddress, shownPath } from './intake-error.ts';

/** The clock for waiting until a file is quiet. */
export interface Quiet {
  /** ms since 1970. */
  now(): number;
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

const QUIET: Quiet = {
  now: Date.now,
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  },
};

/** Interval between two checks of a file that is not quiet yet, in ms. */
const LOOK_MS = 500;

/** A file that was written to this recently may be incomplete, in ms. */
const FRESH_MS = 1_000;
/** The wait for its writer to write more, in ms. */
const SETTLING_MS = 300;

/** Last bytes of a file that ends with a whole line, or with the end of a JSON document. */
const ENDS = new Set(['\n', '\r', '\0', ']', '}'].map((end) => end.charCodeAt(0)));

/** A file as it was before it was read. */
export interface FileState {
  /**
   * To be called when all has been read. Throws FILE_CHANGED if the file has been changed, replaced or removed since: what
   * was read may be half of it. A recent file that ends in the middle of a line is checked once more after a moment.
   */
  checkUnchanged(lastByte: number): Promise<void>;
}

/** Conditions that a file must meet before it is read. */
export interface FileOptions {
  /** Wait until the file has not changed for this long, in ms. */
  readonly waitForQuietMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly quiet?: Quiet | undefined;
  /** Told when bytes were read, and at each look at a file that must be quiet first: reading does not stand still. */
  readonly onRead?: (() => void) | undefined;
}

/** Checks that the input exists, before anything starts. Throws FILE_NOT_FOUND, NOT_READABLE. */
export async function checkInput(path: string) {
  const status = await stat(path).catch(() => undefined);
  if (status?.isDirectory() !== true) await fileStateOf(path, path);
}

/**
 * Checks a file that is about to be read. Throws FILE_NOT_FOUND, BAD_ADDRESS, NOT_A_FILE or NOT_READABLE, the signal's reason.
 * Pipes and devices are fine, and never change.
 */
export async function fileStateOf(path: string, name: string, options: FileOptions = {}): Promise<FileState> {
  const { signal, quiet = QUIET, waitForQuietMs = 0, onRead } = options;
  let before = await look(path, name);
  if (!before.isFile()) return { checkUnchanged: async () => {} };
  for (let since = quiet.now(); quiet.now() - since < waitForQuietMs; ) {
    await quiet.sleep(Math.min(LOOK_MS, waitForQuietMs), signal);
    const after = await look(path, name);
    onRead?.();
    if (difference(before, after) === undefined) continue;
    before = after;
    since = quiet.now();
  }
  return {
    checkUnchanged: async (lastByte) => {
      const fresh = Math.abs(quiet.now() - Number(before.mtimeMs)) < FRESH_MS;
      if (fresh && !ENDS.has(lastByte)) await quiet.sleep(SETTLING_MS, signal);
      const changed = await look(path, name).then(
        (after) => difference(before, after),
        () => 'it is not there any more',
      );
      if (changed === undefined) return;
      throw intakeError(
        'FILE_CHANGED',
        `${shownPath(name)} has changed while it was read: ${changed}; rows may be missing or cut in two`,
        words`Import it when it is complete, or let rollcall wait until nothing changes it, with ${option('waitForQuiet', '10s')}`,
        { file: name },
      );
    },
  };
}

async function look(path: string, name: string) {
  const status = await stat(path, { bigint: true }).catch((cause: NodeJS.ErrnoException) => {
    // If an address was fetched, its copy is missing.
    if (path === name) refuseAddress(name);
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') {
      const what = `there is no file ${shownPath(name)}`;
      const remedy = 'Check the path and the folder that you are in';
      throw intakeError('FILE_NOT_FOUND', what, remedy, { file: name, cause });
    }
    throw notReadable(name, 'be opened', cause);
  });
  if (!status.isDirectory()) return status;
  const what = `${shownPath(name)} is a directory; a file is needed`;
  throw intakeError('NOT_A_FILE', what, 'Name one file in it, or put those to read into a ZIP archive', {
    file: name,
  });
}

function difference(before: BigIntStats, after: BigIntStats) {
  if (before.ino !== after.ino || before.dev !== after.dev) return 'another file has taken its place';
  if (before.size !== after.size) return `it had ${before.size} bytes and now has ${after.size}`;
  if (before.mtimeNs !== after.mtimeNs) return 'it was written to, and kept its size';
  return undefined;
}
