import type { Command } from 'commander';
import { chooseProfile } from '../../platform/config.ts';
import { settingFlag } from './setting-flag.ts';

/** `--profile`, on a command and those in it: it counts for all settings that they read. */
export function withProfile(command: Command): Command {
  for (const one of [command, ...command.commands]) one.addOption(settingFlag('profile'));
  return command.hook('preAction', (_, acting) =>
    chooseProfile(acting.optsWithGlobals()['profile'] as string | undefined),
  );
}
