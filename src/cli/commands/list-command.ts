import { Command } from 'commander';
import type { ImportView } from '../../api/imports.ts';
import { isError } from '../../errors/rollcall-error.ts';
import { summaryIn } from '../../imports/report/summarize.ts';
import { isUnderWay } from '../../membership/import-state.ts';
import { FULFILLED } from '../../membership/outcome.ts';
import { grouped, printable } from '../../text/wording.ts';
import { openImports } from '../client/open-imports.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, type ServerFlags, wholeNumber, withDataDir, withJson, withServer } from '../flags/flags.ts';
import { filterTexts, type ListFlags, withListFilter } from '../flags/list-flags.ts';
import { type Io, say, tableWidth } from '../screen/io.ts';
import { drawTable } from '../screen/table.ts';

const MAX_LISTED = 1_000;
/** An import of a file, and one without tags. */
const PLAIN: ReadonlySet<string> = new Set(['file', '']);

type Flags = CommonFlags & ServerFlags & ListFlags & { readonly limit: number };

/** `rollcall list`: the imports of a data directory, newest first. */
export function listCommand(io: Io, end: End): Command {
  const command = new Command('list').option('--limit <n>', 'how many', wholeNumber(1, MAX_LISTED), 20);
  return withListFilter(withServer(withDataDir(withJson(command)))).action((flags: Flags) => end(list(io, flags)));
}

async function list(io: Io, flags: Flags): Promise<ExitCode> {
  const { imports } = await openImports(flags);
  const filter = await filterTexts(flags);
  let found: readonly ImportView[];
  try {
    found = await imports.list(flags.limit, filter);
  } catch (error) {
    if (!isError(error, 'NO_IMPORTS')) throw error;
    if (flags.json) io.out.write('[]\n');
    say(io, `${error.message[0]?.toUpperCase()}${error.message.slice(1)}.`);
    return EXIT.ok;
  }
  if (flags.json) {
    const listed = found.map((view) => {
      const { createdAt, createdBy, kind, tags } = view;
      return { ...summaryIn(view), createdAt, createdBy, kind, tags };
    });
    io.out.write(`${JSON.stringify(listed)}\n`);
    return EXIT.ok;
  }
  if (found.length === 0) {
    say(io, 'No import fits; leave out a flag to see more.');
    return EXIT.ok;
  }
  const isOwned = (await imports.regions()) !== undefined;
  const table = found.map(({ id, state, file, rows, kind, tags }) => [
    id,
    isUnderWay(state) && !isOwned ? 'interrupted' : state,
    grouped(rows.read),
    grouped([...FULFILLED].reduce((sum, outcome) => sum + rows[outcome], 0)),
    grouped(rows.failed + rows.invalid + rows.unconfirmed),
    kind,
    printable(tags.join(', ')),
    printable(file),
  ]);
  const head = ['id', 'state', 'rows', 'succeeded', 'problems', 'kind', 'tags', 'file'];
  // A value that all imports share gets no column.
  const said = head.map(
    (name, at) => !(name === 'kind' || name === 'tags') || table.some((row) => !PLAIN.has(row[at] ?? '')),
  );
  const shown = (row: readonly string[]) => row.filter((_, at) => said[at]);
  io.out.write(`${drawTable(shown(head), table.map(shown), tableWidth(io))}\n`);
  return EXIT.ok;
}
