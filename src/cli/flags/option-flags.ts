import { type Command, InvalidArgumentError, Option } from 'commander';
import { asFlag } from '../../errors/named-options.ts';
import { badUsage, isError } from '../../errors/rollcall-error.ts';
import { CREATION } from '../../options/create-options.ts';
import type { OptionDeclaration } from '../../options/option.ts';
import { repeatable } from './once.ts';

/** The parts of an option's declaration that make its flag. */
// biome-ignore lint/suspicious/noExplicitAny: an option with a value of any type
type FlagDeclaration = Pick<OptionDeclaration<any>, 'value' | 'help' | 'preset' | 'off' | 'choices' | 'parse' | 'join'>;

/** Adds a flag for each of the options. */
export function withOptions(command: Command, options: Readonly<Record<string, FlagDeclaration>>) {
  for (const [name, declared] of Object.entries(options)) command.addOption(optionFlag(name, declared));
  return command;
}

const CREATES = ['createUsers', 'createGroups', 'reactivate'] as const;

/** Flags about what is missing at the service. How it is created needs one that says that it is. @throws BAD_USAGE in the command */
export function withCreation(command: Command) {
  return withOptions(command, CREATION).hook('preAction', (_, acting) => {
    const isGiven = (name: string) => acting.getOptionValueSource(name) === 'cli';
    const how = acting.options.find((option) => {
      const name = option.attributeName();
      return name in CREATION && isGiven(name);
    });
    if (how === undefined || CREATES.some(isGiven)) return;
    throw badUsage(`${how.long} creates nothing by itself; add --create-users, --create-groups or --reactivate`);
  });
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
