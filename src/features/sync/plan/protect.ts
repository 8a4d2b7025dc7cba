import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { DEFAULT_REGION } from '../../../chat/service/regions.ts';
import { messageOf } from '../../../errors/message-of.ts';
import { isError, RollcallError } from '../../../errors/rollcall-error.ts';
import { fieldByAlias } from '../../../imports/read/columns.ts';
import { openIntake } from '../../../imports/read/intake.ts';
import { refuseAddress, shown } from '../../../imports/read/intake-error.ts';

/** Nothing may continue with a protect file that cannot be used: the users that it names would not be protected. */

/** Matches separators of UIDs in a list that is no list of lines, and characters that no UID has. */
const NOT_UID = /[\s\p{Cc},;|"']/u;
const DELIMITERS = /[,;|\t]/;

/**
 * Reads the UIDs of a protect file: one a line, `#` begins a comment, or a CSV file with a column for the UID (under any
 * name by which an import knows it). UTF-8. Throws BAD_PROTECT_FILE naming the file and the line; a file without a UID is
 * an error too, because an emptied file would protect no one.
 * @param name as the user named it
 */
export async function readProtectFile(path: string, name = path) {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    refuseAddress(path);
    throw refused(name, `cannot be read: ${messageOf(cause)}`, cause);
  });
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => (line.startsWith('#') ? '' : line));
  const uids = isTable(lines) ? await uidsOfTable(name, lines) : uidsOfLines(name, lines);
  if (uids.size === 0) throw refused(name, 'names no UID');
  return uids;
}

/** Whether the first line is a header: one of its cells names the UID. */
function isTable(lines: readonly string[]) {
  const header = lines.find((line) => line.trim() !== '') ?? '';
  return header.split(DELIMITERS).some((cell) => fieldByAlias(cell.replace(/^"|"$/g, '').trim()) === 'uid');
}

function uidsOfLines(path: string, lines: readonly string[]) {
  const uids = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const uid = line.replace(/\s#.*$/s, '').trim();
    if (NOT_UID.test(uid)) {
      throw refused(path, `line ${index + 1} is ${shown(line)}; allowed is one UID, without blanks, commas or quotes`);
    }
    if (uid !== '') uids.add(uid);
  }
  return uids;
}

/** The ordinary intake reads it; only the column of UIDs counts, and rows that cannot be read at all. */
async function uidsOfTable(path: string, lines: readonly string[]) {
  const uids = new Set<string>();
  try {
    const stream = Readable.from([Buffer.from(lines.join('\n'))]);
    const intake = await openIntake(
      { stream, name: path },
      { format: 'csv', map: {}, region: DEFAULT_REGION, guid: 'any' },
    );
    const column = intake.recognised.uid;
    for await (const rows of intake.chunks()) {
      for (const { line, uid, problems } of rows) {
        const problem = problems.find((found) => found.column === column || found.code === 'CELL_COUNT');
        if (problem !== undefined) throw refused(path, `line ${line}: ${problem.reason}`);
        uids.add(uid);
      }
    }
  } catch (cause) {
    if (isError(cause, 'BAD_PROTECT_FILE')) throw cause;
    throw refused(path, `cannot be used: ${messageOf(cause)}`, cause);
  }
  return uids;
}

function refused(path: string, what: string, cause?: unknown) {
  const remedy = 'write one UID a line, or a CSV file with a column uid';
  return new RollcallError('BAD_PROTECT_FILE', { what: `the protect file ${shown(path)} ${what}`, remedy }, { cause });
}
