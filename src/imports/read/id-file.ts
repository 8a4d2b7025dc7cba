import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { DEFAULT_REGION } from '../../chat/service/regions.ts';
import { messageOf } from '../../errors/rollcall-error.ts';
import { fieldByAlias } from './columns.ts';
import { openIntake } from './intake.ts';
import { refuseAddress, shown } from './intake-error.ts';

/** Matches separators of ids in a list that is no list of lines, and characters that no id has. */
const NOT_ID = /[\s\p{Cc},;|"']/u;
const DELIMITERS = /[,;|\t]/;

/** A file that names users or groups. */
interface IdFile {
  readonly path: string;
  readonly name: string;
  readonly field: 'uid' | 'guid';
  /** The error for something that is wrong with it. */
  readonly refused: (what: string, cause?: unknown) => Error;
}

/**
 * Reads the ids in a file: one a line, `#` begins a comment, or a CSV file with a column for them (under any name by which an
 * import knows it). UTF-8. A file without an id is an error too.
 * @throws the error of `refused`, which names the line; BAD_ADDRESS
 */
export async function readIdFile(file: IdFile) {
  const { path, field, refused } = file;
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    refuseAddress(path);
    throw refused(`cannot be read: ${messageOf(cause)}`, cause);
  });
  const all = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  // Of a table, the first line is a header: one of its cells names the field.
  const header = all.findIndex((line) => !line.startsWith('#') && line.trim() !== '');
  const cells = all[header]?.split(DELIMITERS) ?? [];
  const column = cells.findIndex((cell) => fieldByAlias(cell.replace(/^"|"$/g, '').trim()) === field);
  const isTable = column >= 0;
  // A row of a table may begin with the name of a group, such as #general. A UID does not begin with #.
  const last = isTable && (field === 'guid' || column > 0) ? header : all.length;
  const lines = all.map((line, index) => (index < last && line.startsWith('#') ? '' : line));
  const ids = isTable ? await idsOfTable(file, lines) : idsOfLines(file, lines);
  if (ids.size === 0) throw refused(`names no ${field.toUpperCase()}`);
  return ids;
}

function idsOfLines({ field, refused }: IdFile, lines: readonly string[]) {
  const ids = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const id = line.replace(/\s#.*$/s, '').trim();
    if (NOT_ID.test(id)) {
      const allowed = `one ${field.toUpperCase()}, without blanks, commas or quotes`;
      throw refused(`line ${index + 1} is ${shown(line)}; allowed is ${allowed}`);
    }
    if (id !== '') ids.add(id);
  }
  return ids;
}

/** The ordinary intake reads it; only the column of ids counts, and rows that cannot be read at all. */
async function idsOfTable({ name, field, refused }: IdFile, lines: readonly string[]) {
  const ids = new Set<string>();
  const stream = Readable.from([Buffer.from(lines.join('\n'))]);
  const options = { format: 'csv', map: {}, region: DEFAULT_REGION, lenient: field === 'guid' } as const;
  let wrong: string | undefined;
  try {
    const intake = await openIntake({ stream, name }, { ...options, ...(field === 'uid' && { guid: 'any' }) });
    const column = intake.recognised()[field];
    if (column === undefined) wrong = `has more than one column for the ${field.toUpperCase()}`;
    for await (const rows of intake.chunks()) {
      for (const { line, [field]: id, problems } of rows) {
        // A row without a group names none. One without a user is wrong: it would protect nobody.
        if (field === 'guid' && id === '') continue;
        const problem = problems.find((found) => found.column === column || found.code === 'CELL_COUNT');
        wrong ??= problem && `line ${line}: ${problem.reason}`;
        ids.add(id);
      }
    }
  } catch (cause) {
    throw refused(wrong ?? `cannot be used: ${messageOf(cause)}`, cause);
  }
  if (wrong !== undefined) throw refused(wrong);
  return ids;
}
