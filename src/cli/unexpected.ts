import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { asError } from '../errors/message-of.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { isDiskFull } from '../platform/files.ts';
import { newestLog } from '../platform/newest-log.ts';
import { asClause } from '../text/wording.ts';

/** Characters of the error's own text that are shown; its details have all of them. */
const MAX_TEXT = 300;

/** An error that nothing expected, in a sentence for the user. Its stack goes to the log, or to a file where there is none. */
export function unexpectedSentence(thrown: unknown) {
  const cause = asError(thrown);
  const [firstLine = ''] = cause.message.split('\n');
  const what = `an unexpected error ended rollcall: ${asClause(firstLine.slice(0, MAX_TEXT))}`;
  const place = keepDetails(cause);
  const remedy = `start it again, and continue an import that had begun with \`rollcall resume\`${place === undefined ? '' : `; details are in ${place}`}`;
  const { code, message } = new RollcallError('UNEXPECTED_ERROR', { what, remedy });
  return `rollcall: ${code}: ${message}`;
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
