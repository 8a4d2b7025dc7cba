import { Command, Option } from 'commander';
import { inputNames } from '../../options/input-kinds.ts';
import { BANS, HELD, SILENCE, STOPPING } from '../../options/sending-options.ts';
import type { Action } from '../exit-codes.ts';
import { type ImportFlags, withCheckCost, withFile, withTrial } from '../flags/file-flags.ts';
import {
  settingFlag,
  tagFlag,
  withJson,
  withNeeds,
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
  withNeeds(withCheckCost(command.addOption(new Option('--check', says).conflicts('dryRun'))), ['maxCalls'], ['check']);
  withPace(withOptions(command, STOPPING)).addOption(settingFlag('giveUpAfter'));
  withTrial(command);
  command.addOption(
    new Option('--detach', 'send in the background').conflicts(['sandbox', 'sandboxSeed', 'dryRun', 'check']),
  );
  withSandbox(withWorkers(withServer(withJson(command))));
  const acting = async (io: Io, file: string, flags: ImportFlags) => {
    const [{ openRunning }, { importInput }] = await Promise.all([import('../run.ts'), import('../import-file.ts')]);
    return importInput(await openRunning(io, flags), file, flags);
  };
  return command.action(action(acting));
}
