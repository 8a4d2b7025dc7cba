import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { asError, badUsage, RollcallError } from '../errors/rollcall-error.ts';
import { isDiskFull } from '../platform/files.ts';
import { newestLog } from '../platform/newest-log.ts';
import { asClause } from '../text/wording.ts';
import { type Io, say } from './screen/io.ts';

/** The end of a command that could not do what it was asked. */

/** Says why, with the code; with `--json` as a problem document on standard error. Returns the exit code. */
export async function refuse(io: Io, thrown: unknown, json: boolean) {
  const error = refusalOf(thrown);
  if (json) {
    const { problemMembers } = await import('../api/problems.ts');
    io.err.write(`${JSON.stringify(problemMembers(error, 'command'))}\n`);
  } else sayRefusal(io, error);
  return error.exit;
}

export function sayRefusal(io: Io, { code, message }: RollcallError<string>) {
  say(io, withCode(`rollcall: ${message}`, code));
}

/** A sentence that ends in its code, by which docs/errors.md can be searched. */
export function withCode(sentence: string, code: string | null | undefined) {
  return code == null || sentence.includes(code) ? sentence : `${sentence} [${code}]`;
}

function refusalOf(thrown: unknown) {
  if (thrown instanceof RollcallError) return thrown;
  if (thrown instanceof CommanderError) {
    const what = thrown.message.replace(/^error: /, '').replaceAll('\n', ' ');
    return badUsage(thrown.code === 'commander.conflictingOption' ? `${what}; leave one of them out` : what);
  }
  if (isDiskFull(thrown)) {
    const what = `the data directory cannot be written: ${asError(thrown).message}`;
    const remedy =
      'make room on its disk, or name another directory with --data-dir; `rollcall resume` continues an import that had begun';
    return new RollcallError<string>('DISK_FULL', { what, remedy, exit: 4 });
  }
  // Errors of the system (a missing right, a lost network) are clear as they are; anything else is a bug.
  if (thrown instanceof Error && 'syscall' in thrown && 'code' in thrown) {
    return new RollcallError<string>(String(thrown.code), { what: thrown.message, exit: 4 });
  }
  return unexpected(asError(thrown));
}

/** Characters of the error's own text that are shown; its details have all of them. */
const MAX_TEXT = 300;

/** An error that nothing expected, in a sentence for the user. Its stack goes to the log, or to a file where there is none. */
export function unexpected(cause: Error) {
  const [firstLine = ''] = cause.message.split('\n');
  const what = `an unexpected error ended rollcall: ${asClause(firstLine.slice(0, MAX_TEXT))}`;
  const place = keepDetails(cause);
  const remedy = `start it again, and continue an import that had begun with \`rollcall resume\`${place === undefined ? '' : `; details are in ${place}`}`;
  return new RollcallError('UNEXPECTED_ERROR', { what, remedy });
}

/** The file that has them; undefined where nothing can be written. */
function keepDetails(error: Error) {
  try {
    const opened = newestLog();
    opened?.log.fatal({ err: error, code: 'UNEXPECTED_ERROR' }, 'an unexpected error ends rollcall');
    if (opened?.file !== undefined) return opened.file;
    const path = join(tmpdir(), `rollcall-error-${process.pid}-${Date.now()}.txt`);
    writeFileSync(path, inspect(error), { mode: 0o600, flag: 'wx' });
    return path;
  } catch {
    return undefined;
  }
}

/** Returns the reason why rollcall cannot continue, with advice if the disk is full: SQLite names no disk. */
export function failureWords(error: Error) {
  return isDiskFull(error) ? `${error.message}. Make room on the disk of the data directory` : error.message;
}
