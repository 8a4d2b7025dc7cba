import { Command } from 'commander';
import type { ImportSummary } from '../../api/import-summary.ts';
import { isUnderWay } from '../../membership/import-state.ts';
import { FULFILLED } from '../../membership/outcome.ts';
import { grouped, printable } from '../../text/wording.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, type ServerFlags, wholeNumber, withDataDir, withJson, withServer } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { drawTable } from '../screen/table.ts';
import { NoImports } from '../target/data.ts';
import { openImports } from '../target/open-imports.ts';

const MOST = 1_000;

type Flags = CommonFlags & ServerFlags & { readonly limit: number };

/** `rollcall list`: the imports of a data directory, newest first. */
export function listCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('list').option('--limit <n>', 'how many', wholeNumber(1, MOST), 20);
  return withServer(withDataDir(withJson(command))).action((flags: Flags) => end(list(io, flags)));
}

async function list(io: Io, flags: Flags): Promise<ExitCode> {
  const { imports } = await openImports(flags);
  let found: readonly ImportSummary[];
  try {
    found = await imports.list(flags.limit);
  } catch (error) {
    if (!(error instanceof NoImports)) throw error;
    if (flags.json) io.out.write('[]\n');
    say(io, `${error.message[0]?.toUpperCase()}${error.message.slice(1)}.`);
    return EXIT.ok;
  }
  if (flags.json) {
    io.out.write(`${JSON.stringify(found)}\n`);
    return EXIT.ok;
  }
  const isOwned = (await imports.regions()) !== undefined;
  const table = found.map(({ id, state, file, rows }) => [
    id,
    isUnderWay(state) && !isOwned ? 'interrupted' : state,
    grouped(rows.read),
    grouped([...FULFILLED].reduce((sum, outcome) => sum + rows[outcome], 0)),
    grouped(rows.failed + rows.invalid + rows.unconfirmed),
    printable(file),
  ]);
  io.out.write(`${drawTable(['id', 'state', 'rows', 'succeeded', 'problems', 'file'], table, io.width)}\n`);
  return EXIT.ok;
}
