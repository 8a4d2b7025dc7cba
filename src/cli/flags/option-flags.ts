import { type Command, InvalidArgumentError, Option } from 'commander';
import { asFlag } from '../../errors/named-options.ts';
import { isError } from '../../errors/rollcall-error.ts';
import type { OptionDeclaration } from '../../options/option.ts';
import type { Allowed } from '../../platform/allowed-values.ts';
import { defaultOf, type FlagName, SETTINGS, type SettingDeclaration } from '../../platform/settings.ts';

/** The parts of an option's declaration that make its flag. */
// biome-ignore lint/suspicious/noExplicitAny: an option with a value of any type
type FlagDeclaration = Pick<OptionDeclaration<any>, 'value' | 'help' | 'preset' | 'off' | 'choices' | 'parse' | 'join'>;

/** Adds a flag for each of the options. */
export function withOptions(command: Command, options: Readonly<Record<string, FlagDeclaration>>) {
  for (const [name, declared] of Object.entries(options)) command.addOption(optionFlag(name, declared));
  return command;
}

export function optionFlag(name: string, declared: FlagDeclaration) {
  const { value, help, preset, off, choices, parse, join } = declared;
  const flag = asFlag({ option: name, value: off && 'false' });
  const meaning = (off ?? help).replace(/`resume`/g, '`rollcall resume`');
  if (value === undefined) return new Option(flag, meaning);
  const option = new Option(`${flag} ${value}`, preset === undefined ? meaning : `${meaning} (default: ${preset})`);
  return choices === undefined ? option.argParser(parserOf(parse, join)) : option.choices(choices);
}

/** Parser that commander calls with the text of a flag; with `join` the flag may be repeated. */
function parserOf<Value>(parse: (text: string) => Value, join?: (earlier: Value, later: Value) => Value) {
  const parser = (text: string, earlier?: Value): Value => {
    try {
      const value = parse(text);
      return earlier === undefined || join === undefined ? value : join(earlier, value);
    } catch (error) {
      if (isError(error, 'BAD_USAGE')) throw new InvalidArgumentError(`Expected ${error.message}.`);
      throw error;
    }
  };
  return join === undefined ? parser : repeatable(parser);
}

export interface RecipeFlags {
  readonly recipe?: string;
}

/** For commands that read a file. */
export function withRecipeFlag(command: Command) {
  return command.option(
    '--recipe <recipe>',
    'settings for one kind of file: a name that `rollcall recipes` lists, or a JSON file; other flags go before them',
  );
}

/** A flag with a value is given once: of two values the last would win, and nobody would notice. */

const REPEATABLE = new WeakSet<object>();
const SECRET = new WeakSet<object>();
/** `https://ann:password@…` */
const ADDRESS_WITH_USER = /:\/\/[^/\s]*@/;

/** Marks the parser of a flag that joins its value with what was given before. */
export function repeatable<Parser extends object>(parser: Parser): Parser {
  REPEATABLE.add(parser);
  return parser;
}

/** Marks the parser of a flag whose value may hold a key or password: no message repeats it. */
export function secret<Parser extends object>(parser: Parser): Parser {
  SECRET.add(parser);
  return parser;
}

/** Makes a command refuse a second, different value. */
export function refuseSecondValues(command: Command) {
  for (const option of command.options) {
    const { parseArg = {}, flags } = option;
    if (option.isBoolean() || option.variadic || REPEATABLE.has(parseArg)) continue;
    let first: string | undefined;
    command.on(`option:${option.name()}`, (given: string | null) => {
      const value = given ?? '';
      first ??= value;
      if (first === value) return;
      const isSecret = SECRET.has(parseArg) || ADDRESS_WITH_USER.test(`${first} ${value}`);
      const both = isSecret ? 'two values' : `${JSON.stringify(first)} and ${JSON.stringify(value)}`;
      command.error(`error: option '${flags}' was given ${both}; give it once${insteadOf(flags)}`);
    });
  }
}

/** A script that always gives a flag would win over its user, or lose to them, unseen; a setting loses, as all know. */
function insteadOf(flags: string) {
  const setting = Object.values<SettingDeclaration>(SETTINGS).find(({ flag }) => flag === flags);
  return setting === undefined ? '' : `. A script can set ${setting.env} instead, which the flag overrides`;
}

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
