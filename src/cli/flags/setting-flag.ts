import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { Allowed } from '../../platform/allowed-values.ts';
import { chooseProfile } from '../../platform/config.ts';
import type { LogLevel } from '../../platform/log-settings.ts';
import { SETTINGS, type SettingName } from '../../platform/settings.ts';
import { secret } from './once.ts';

type FlagName = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { flag?: string } ? Name : never;
}[SettingName];

/** The flag of a setting: its text, default and check are those of the setting. @param meaning where this command has another one */
export function settingFlag(name: FlagName, meaning?: string): Option {
  const declared = SETTINGS[name];
  if (declared.flag === undefined) throw new Error(`setting ${name} has no flag`);
  const text = (meaning ?? declared.meaning).replaceAll('`', '');
  const preset = (declared.default ?? 'none').replaceAll('`', '');
  const parser = valueOfFlag<unknown>(declared, declared.flag.split(' ')[0]);
  return new Option(declared.flag, `${text} (default: ${preset}, or ${declared.env})`).argParser(
    'secret' in declared ? secret(parser) : parser,
  );
}

/** Parser that commander calls with the text of a flag. */
export function valueOfFlag<Value>(allowed: Allowed<Value>, flag = 'it'): (text: string) => Value {
  return (text) => {
    const value = allowed.parse(text, flag);
    if (value !== undefined) return value;
    const { allowed: expected } = allowed;
    throw new InvalidArgumentError(
      `Expected ${typeof expected === 'string' ? expected : `one of ${expected.join(', ')}`}.`,
    );
  };
}

/** `--profile`, on a command and those in it: it counts for all settings that they read. */
export function withProfile(command: Command): Command {
  for (const one of [command, ...command.commands]) one.addOption(settingFlag('profile'));
  return command.hook('preAction', (_, acting) =>
    chooseProfile(acting.optsWithGlobals()['profile'] as string | undefined),
  );
}

export interface LogFlags {
  readonly logLevel?: LogLevel;
  readonly logFile?: string;
}

/** For long-running commands: they write their log to standard output. */
export function withLog(command: Command): Command {
  return command.addOption(settingFlag('logLevel')).addOption(settingFlag('logFile'));
}
