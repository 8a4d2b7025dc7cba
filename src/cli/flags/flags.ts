import { statSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { tagsProblem } from '../../api/tag-rule.ts';
import { asFlag, flagOf } from '../../errors/named-options.ts';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import { byteSize, DEFAULT_MAX_FILE } from '../../options/bounds.ts';
import { LIST_FILTERS } from '../../options/list-filters.ts';
import type { OptionDeclaration } from '../../options/option.ts';
import { type Allowed, wholeNumber as numbersBetween, parserFor } from '../../platform/allowed-values.ts';
import { joined } from '../../platform/defined.ts';
import { defaultOf, type FlagName, type Flags, SETTINGS, type SettingDeclaration } from '../../platform/settings.ts';
import { parseFaults } from '../../sandbox/injected-faults.ts';

/** Flags that several commands share, and the parsers of their values. */

/** Flags that settings declare, of which a command has some, and those that stand beside them. */
export interface CommonFlags extends Flags {
  readonly json?: true;
  readonly plainHttp?: true;
}

export function withDataDir(command: Command) {
  return command.addOption(settingFlag('dataDir'));
}

/** For commands about imports: where they are. */
export function withServer(command: Command) {
  return withDataDir(command)
    .addOption(settingFlag('server'))
    .option(
      '--plain-http',
      'send the token to another machine even without TLS: anyone on the network path can read it',
    );
}

export function withNotify(command: Command) {
  return command
    .addOption(settingFlag('notify'))
    .option('--notify-private', 'allow that address to be on this machine or a private network, and plain http');
}

export function withJson(command: Command) {
  return command.option('--json', 'print one JSON document on standard output');
}

export function withQueue(command: Command) {
  return command.addOption(settingFlag('queue'));
}

export function withWorkers(command: Command) {
  return withQueue(command).option(
    '--with-workers',
    'with --queue: also send from this process, not only from `rollcall worker`',
  );
}

export interface SandboxFlags {
  readonly sandbox?: true;
  readonly sandboxSeed?: string;
  readonly sandboxFaults?: string;
}

export function withSandbox(command: Command) {
  return command
    .option('--sandbox', 'send to a sandbox in this process instead of the service; it knows every group and user')
    .addOption(
      new Option('--sandbox-seed <file>', 'users and groups of the sandbox instead: a JSON file').implies({
        sandbox: true,
      }),
    )
    .addOption(
      new Option('--sandbox-faults <list>', 'faults in the sandbox; `rollcall sandbox --help` lists them')
        .argParser(faultList)
        .implies({ sandbox: true }),
    );
}

export function withPace(command: Command) {
  for (const name of ['callsPerMinute', 'concurrency', 'perGroup'] as const) command.addOption(settingFlag(name));
  return command;
}

/** Flags of commands that work through a coordinator, of this process or a server. */
export interface RunningFlags extends CommonFlags, SandboxFlags {
  readonly withWorkers?: true;
}

export function withRunning(command: Command) {
  return withSandbox(withPace(withWorkers(withServer(withJson(command)))));
}

export function portFlag(preset: number) {
  return new Option('--port <port>', 'port to listen on; 0 picks a free one')
    .argParser(wholeNumber(0, 65_535))
    .default(preset);
}

export function wholeNumber(from: number, to: number): (text: string) => number {
  return valueOfFlag(numbersBetween(from, to));
}

/** Checks the text and keeps it, so that it can be shown as it was written. @throws BAD_FAULT */
export function faultList(text: string) {
  parseFaults(text);
  return text;
}

/** `us,eu` */
export const regionList = valueOfFlag<readonly Region[]>({
  allowed: `regions, with commas: ${REGIONS.join(', ')}`,
  parse: (text) => {
    const names = text.split(',').map((part) => part.trim().toLowerCase());
    const regions = REGIONS.filter((region) => names.includes(region));
    return names.every((name) => regions.some((region) => region === name)) ? regions : undefined;
  },
});

export function sizeFlag(flag: string, meaning: string) {
  const size = valueOfFlag({ allowed: 'a size such as 500mb or 2gb', parse: byteSize });
  return new Option(`${flag} <size>`, `${meaning}, such as 500mb`).argParser(size).default(DEFAULT_MAX_FILE, '2gb');
}

/** Filters of `rollcall list` by their flags: texts as the API takes them. */
export interface ListFlags {
  readonly tag?: readonly string[];
  readonly [flag: string]: unknown;
}

const FLAGS = Object.entries(LIST_FILTERS).map(([name, filter]) => ({ flag: name, value: undefined, ...filter, name }));

export function withListFilter(command: Command) {
  for (const { flag, value, help } of FLAGS) {
    if (flag === 'tag') command.addOption(tagFlag(`${help}; may be repeated`));
    else command.option(value === undefined ? `--${flag}` : `--${flag} ${value}`, help);
  }
  return command;
}

/** A flag that may be repeated: each is one tag. */
export function tagFlag(meaning: string) {
  return new Option('--tag <tag>', meaning).argParser(each);
}

/** Tags as people type them, each once. @throws BAD_OPTION */
export function tagsOf(given: readonly string[] = []) {
  const tags = [...new Set(given.map((tag) => tag.trim()))];
  const what = tagsProblem(tags);
  if (what !== '') throw new RollcallError('BAD_OPTION', { what, field: 'tag' });
  return tags;
}

/** The filter as the API takes it, which checks it. */
export type FilterTexts = Readonly<Record<string, string>>;

export function filterTexts(flags: ListFlags): FilterTexts {
  return Object.fromEntries(
    FLAGS.flatMap(({ name, flag }) => (flags[flag] === undefined ? [] : [[name, String(flags[flag])]])),
  );
}

/** A refusal of the filter by the API, with the flag in place of the parameter. */
export function ofFlag({ what, facts }: RollcallError<'BAD_OPTION'>) {
  const flag = FLAGS.find(({ name }) => name === facts.field)?.flag;
  return new RollcallError('BAD_OPTION', { what: what.replace(/^\w+(?= is )/, `--${flag}`), field: flag });
}

export interface OutputFlags {
  readonly output?: string;
  readonly overwrite?: true;
}

/** @param beside what else is said about the file */
export function withOutput(command: Command, beside = '') {
  command
    .option('--output <file>', `write to a file instead of standard output${beside}`)
    .option('--overwrite', 'with --output: replace a file that exists');
  return withNeeds(command, ['overwrite'], ['output']);
}

/** Spares what may be the only copy of what was imported. @throws OUTPUT_EXISTS unless it may be replaced */
export function refuseExisting({ output, overwrite }: OutputFlags) {
  if (output !== undefined && !overwrite && isFileThere(output)) {
    throw new RollcallError('OUTPUT_EXISTS', { place: output });
  }
}

/** Whether there is a file with something to lose; a device or pipe has nothing. */
export function isFileThere(path: string) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

type FlagDeclaration = Pick<OptionDeclaration, 'value' | 'help' | 'preset' | 'off' | 'choices' | 'parse' | 'repeats'>;

export function withOptions(command: Command, options: Readonly<Record<string, FlagDeclaration>>) {
  for (const [name, declared] of Object.entries(options)) command.addOption(optionFlag(name, declared));
  return command;
}

/** Makes a command refuse flags that have no effect without one of those that they need. @throws FLAG_NEEDS in the command */
export function withNeeds(command: Command, names: readonly string[], needs: readonly string[]) {
  return command.hook('preAction', (_, acting) => {
    const isGiven = (name: string) => acting.getOptionValueSource(name) === 'cli';
    const alone = names.find(isGiven);
    if (alone === undefined || needs.some(isGiven)) return;
    const option = acting.options.find((one) => one.attributeName() === alone);
    throw new RollcallError('FLAG_NEEDS', {
      flag: option?.long ?? flagOf(alone),
      needs: needs.map(flagOf).join(' or '),
    });
  });
}

export function optionFlag(name: string, declared: FlagDeclaration) {
  const { value, help, preset, off, choices, parse, repeats } = declared;
  const flag = asFlag({ option: name, value: off && 'false' });
  const meaning = (off ?? help).replace(/`resume`/g, '`rollcall resume`');
  if (value === undefined) return new Option(flag, meaning);
  const option = new Option(`${flag} ${value}`, preset === undefined ? meaning : `${meaning} (default: ${preset})`);
  return choices === undefined ? option.argParser(parserOf(parse, repeats)) : option.choices(choices);
}

function parserOf<Value>(parse: (text: string) => Value, repeats?: true) {
  const parser = (text: string, earlier?: Value): Value => {
    try {
      const value = parse(text);
      return repeats && earlier !== undefined ? joined([earlier, value]) : value;
    } catch (error) {
      if (isError(error, 'BAD_USAGE')) throw new InvalidArgumentError(`Expected ${error.message}.`);
      throw error;
    }
  };
  return repeats ? repeatable(parser) : parser;
}

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

export const each = repeatable((text: string, before: readonly string[] = []) => [...before, text]);

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

/** The flag of a setting: its text, default and check are those of the setting. */
export function settingFlag(name: FlagName) {
  const { flag } = SETTINGS[name];
  const declared: SettingDeclaration = SETTINGS[name];
  const preset = defaultOf(declared) || 'none';
  const text = `${declared.meaning} (default: ${preset}, or ${declared.env})`.replaceAll('`', '');
  const parser = valueOfFlag<unknown>(declared, flag.split(' ')[0]);
  return new Option(flag, text).argParser(declared.secret ? secret(parser) : parser);
}

export function valueOfFlag<Value>(allowed: Allowed<Value>, flag?: string): (text: string) => Value {
  return parserOf(parserFor(allowed, flag));
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
