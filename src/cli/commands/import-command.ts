import { Command, Option } from 'commander';
import { badUsage } from '../../errors/rollcall-error.ts';
import { inputNames } from '../../options/input-kinds.ts';
import { mapLookups } from '../../options/lookups.ts';
import { BANS, HELD, SILENCE, STOPPING } from '../../options/sending-options.ts';
import { type Action, EXIT } from '../exit-codes.ts';
import { type ImportFlags, withCheckCost, withFile, withTrial } from '../flags/file-flags.ts';
import {
  settingFlag,
  tagFlag,
  withJson,
  withOptions,
  withPace,
  withSandbox,
  withServer,
  withWorkers,
} from '../flags/flags.ts';
import type { Io } from '../screen/io.ts';

/** `rollcall import`: reads a file, sends its memberships, and accounts for every row. */
export function importCommand(action: Action) {
  const command = new Command('import').argument(
    '<file>',
    `${inputNames('or')}, also compressed; a folder or ZIP of these; an address; - reads standard input`,
  );
  withOptions(withFile(command), BANS);
  command.addOption(tagFlag('tag to find the import by; may be repeated'));
  withOptions(command, { ...SILENCE, ...HELD });
  const says = 'read the file, ask the service which rows would fail, and send nothing';
  withCheckCost(command.addOption(new Option('--check', says).conflicts('dryRun')));
  withPace(withOptions(command, STOPPING)).addOption(settingFlag('giveUpAfter'));
  withTrial(command);
  command.addOption(
    new Option('--detach', 'send in the background').conflicts(['sandbox', 'sandboxSeed', 'dryRun', 'check']),
  );
  withSandbox(withWorkers(withServer(withJson(command))));
  return command.action(action(importAs));
}

async function importAs(io: Io, file: string, flags: ImportFlags) {
  if (!flags.check && flags.maxCalls !== undefined) {
    throw badUsage('--max-calls is about the calls of --check; add --check, or leave it out');
  }
  const [{ importFile, importOptionsOf }, { openRunning }] = await Promise.all([
    import('../import-file.ts'),
    import('../run.ts'),
  ]);
  const running = await openRunning(io, flags);
  const code = await importFile(running, file, flags);
  if (code === EXIT.usage) {
    const { sayWhatItIs } = await import('../../features/inspect/commands/inspect-file.ts');
    await sayWhatItIs(io, running.config, file, importOptionsOf(running.config, flags), {
      lookups: mapLookups(flags, (name) => name),
      recipe: flags.recipe,
      typed: (...words) => `${running.imports.command(...words)}${flags.sandbox ? ' --sandbox' : ''}`,
    });
  }
  return code;
}
