import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { Allowed } from '../../platform/allowed-values.ts';
import { defaultOf, type FlagName, SETTINGS, type SettingDeclaration } from '../../platform/settings.ts';
import { secret } from './once.ts';

/** The flag of a setting: its text, default and check are those of the setting. @param meaning where this command has another one */
export function settingFlag(name: FlagName, meaning?: string) {
  const { flag } = SETTINGS[name];
  const declared: SettingDeclaration = SETTINGS[name];
  const preset = defaultOf(declared) || 'none';
  const text = `${meaning ?? declared.meaning} (default: ${preset}, or ${declared.env})`.replaceAll('`', '');
  const parser = valueOfFlag<unknown>(declared, flag.split(' ')[0]);
  return new Option(flag, text).argParser(declared.secret ? secret(parser) : parser);
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

/** `--profile`, on a command and those in it, before or after its name: it is among the flags of the one that acts. */
export function withProfile(command: Command) {
  for (const one of [command, ...command.commands]) one.addOption(settingFlag('profile'));
  return command.hook('preAction', (_, acting) => {
    acting.setOptionValue('profile', acting.optsWithGlobals()['profile']);
  });
}

/** For long-running commands: they write their log to standard output. */
export function withLog(command: Command) {
  return command.addOption(settingFlag('logLevel')).addOption(settingFlag('logFile'));
}
