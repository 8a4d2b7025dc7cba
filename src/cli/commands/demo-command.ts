import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { openService } from '../../app/open-service.ts';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { readConfig } from '../../platform/config.ts';
import { PACKAGE_FOLDER } from '../../platform/packages.ts';
import { localImports } from '../client/imports.ts';
import { type Action, EXIT } from '../exit-codes.ts';
import { type CommonFlags, withDataDir } from '../flags/flags.ts';
import { importInput } from '../import-file.ts';
import { type Io, say, shortest } from '../screen/io.ts';

const SAMPLE = new URL('samples/first-import/', PACKAGE_FOLDER);

/** `rollcall demo`: the sample import, sent to a sandbox. Its bad rows are expected: ends with 0 when every row has its outcome. */
export function demoCommand(action: Action) {
  const command = new Command('demo');
  return withDataDir(command).action(action(demo));
}

async function demo(io: Io, flags: CommonFlags) {
  const file = shortest(fileURLToPath(new URL('members.csv', SAMPLE)));
  const seed = fileURLToPath(new URL('sandbox.json', SAMPLE));
  say(io, 'Importing a sample of memberships into a chat service that runs in this process, over real TLS.', '');
  const config = readConfig(flags);
  const imports = localImports(config);
  const chosen = { ...flags, sandbox: true, sandboxSeed: seed } as const;
  const running = { config, io, imports, openService: () => openService(config, chosen), json: false };
  const code = await importInput(running, file, chosen);
  if (code !== EXIT.ok && code !== EXIT.rowsFailed) return code;
  const { rows } = await imports.find(undefined);
  if (sumOfOutcomes(rows) !== rows.read || rows.unprocessed > 0) return EXIT.fatal;
  say(io, '', 'Some rows of the sample are wrong on purpose; the report has every one of them.');
  return EXIT.ok;
}
