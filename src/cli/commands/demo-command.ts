import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { readConfig } from '../../platform/config.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { PACKAGE_FOLDER } from '../../platform/package-folder.ts';
import { findImport, summaryOfKept } from '../client/kept-imports.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, withDataDir } from '../flags/flags.ts';
import { importLocally } from '../local-import.ts';
import { type Io, say } from '../screen/io.ts';
import { shortest } from '../typed-command.ts';

const SAMPLE = new URL('samples/first-import/', PACKAGE_FOLDER);

/** `rollcall demo`: the sample import, sent to a sandbox. Its bad rows are expected: ends with 0 when every row has its outcome. */
export function demoCommand(io: Io, end: End): Command {
  const command = new Command('demo');
  return withDataDir(command).action((flags: CommonFlags) => end(demo(io, flags)));
}

async function demo(io: Io, flags: CommonFlags): Promise<ExitCode> {
  const file = shortest(fileURLToPath(new URL('members.csv', SAMPLE)));
  const seed = fileURLToPath(new URL('sandbox.json', SAMPLE));
  say(io, 'Importing a sample of memberships into a chat service that runs in this process, over real TLS.', '');
  const code = await importLocally(io, file, { ...flags, sandbox: true, sandboxSeed: seed });
  if (code !== EXIT.ok && code !== EXIT.rowsFailed) return code;
  const config = readConfig(flags);
  const { rows } = summaryOfKept(dataDir(config.dataDir), findImport(config.dataDir, undefined));
  if (sumOfOutcomes(rows) !== rows.read || rows.unprocessed > 0) return EXIT.fatal;
  say(io, '', 'Some rows of the sample are wrong on purpose; the report has every one of them.');
  return EXIT.ok;
}
