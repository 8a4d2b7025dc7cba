import { type Command, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../../errors/message-of.ts';
import { asFlag } from '../../errors/named-options.ts';
import { badUsage } from '../../errors/rollcall-error.ts';
import { parseTemplate } from '../../imports/read/shape/field-sources.ts';
import { DEFAULT_MAX_FILE } from '../../options/bounds.ts';
import { CREATION, type CreateChoices } from '../../options/create-options.ts';
import { type Given, TEXT } from '../../options/option.ts';
import {
  actionWordList,
  columnList,
  conditions,
  numberedColumns,
  scopeLists,
  scopeWordList,
  splitOf,
} from '../../options/option-texts.ts';
import { READING, type ReadingChoices } from '../../options/reading-options.ts';
import {
  type BanChoices,
  CHECKING,
  DEFAULT_MAX_CALLS,
  EXPECTING,
  type ExpectingChoices,
  REMOVING,
  type SENDING,
  TRIAL,
} from '../../options/sending-options.ts';
import { MAX_SKIPPED, type Shape, shapeSettings } from '../../options/shape.ts';
import { defined } from '../../platform/defined.ts';
import { SOURCE_SETTINGS, type SourceSetting, wholePaths, wholeSecrets } from '../../platform/named-sources.ts';
import type { SourceSettings } from '../../sources/source.ts';
import {
  byteCount,
  type RecipeFlags,
  type RunningFlags,
  repeatable,
  wholeNumber,
  withOptions,
  withRecipeFlag,
} from './flags.ts';

const row = wholeNumber(1, MAX_SKIPPED);

/** Flags that say how the rows of a file become memberships (docs/shaping.md). A shape keeps them as one object. */
const SHAPING = {
  headerRow: { value: '<n>', help: 'row with the column names; rows above it are skipped', parse: row },
  skipLines: { value: '<n>', help: 'rows to skip at the top', parse: row },
  columns: {
    value: '<name,...>',
    help: 'names of the columns of a file without a header; - for one not needed',
    parse: columnList,
  },
  uid: { value: '<template>', help: 'make the UID of columns: "{email|localpart|lower}"', parse: template },
  identities: { value: '<file>', ...TEXT, help: 'look the UID up in this file or address, by e-mail or another key' },
  identityKey: { value: '<column,...>', help: 'its columns with keys', preset: 'recognised', parse: columnList },
  identityUid: { value: '<column>', ...TEXT, help: 'its column with the UID', preset: 'recognised' },
  groups: { value: '<file>', ...TEXT, help: 'look the GUIDs up in this file or address, by code, name or another key' },
  groupKey: { value: '<column,...>', help: 'its columns with keys', preset: 'recognised', parse: columnList },
  groupGuid: { value: '<column>', ...TEXT, help: 'its column with the GUID', preset: 'recognised' },
  split: {
    value: '<field=separator>',
    help: 'several values in a cell: "guid=;"; repeat for more',
    parse: splitOf,
    join: merge,
  },
  lists: { value: '<scope=column,...>', help: 'a column with users for each scope', parse: scopeLists, join: merge },
  wide: {
    value: '<column,...>',
    help: 'columns that each stand for a group, with a mark or a scope in the cells; * matches any text',
    parse: columnList,
  },
  wideGuid: { value: '<template>', help: 'make the GUID of the column name: "{column|slug}"', parse: template },
  numbered: {
    value: '<guid=name#,scope=name#>',
    help: 'numbered columns: course1, role1, course2, …',
    parse: numberedColumns,
  },
  scopeWords: {
    value: '<word=scope,...>',
    help: 'words for scopes; none for no membership, * for all others',
    parse: scopeWordList,
    join: merge,
  },
  where: {
    value: '<column=value,...>',
    help: 'only rows that match; != excludes, and | stands between alternatives',
    parse: conditions,
    join: concat,
  },
  actions: {
    value: '[column]',
    help: 'a file of changes: add, change, remove, ban, unban (default column: action)',
    parse: (text: string): string | true => text,
  },
  actionWords: {
    value: '<word=action,...>',
    help: 'words for actions; none leaves the row out',
    parse: actionWordList,
    join: merge,
  },
};
export type ShapeFlags = {
  readonly [Name in keyof typeof SHAPING]?: ReturnType<(typeof SHAPING)[Name]['parse']>;
};

const GROUP = 'Shaping (docs/shaping.md has an example of each):';

/** Flags for every command that reads a file. */
export function withShape(command: Command) {
  return withOptions(command.optionsGroup(GROUP), SHAPING).optionsGroup('Options:');
}

const CREATES = ['createUsers', 'createGroups', 'reactivate'] as const;

/** Flags about what is missing at the service. How it is created needs one that says that it is. @throws BAD_USAGE in the command */
function withCreation(command: Command) {
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

/** Flags of an import alone. */
export function withTrial(command: Command) {
  return withOptions(command.optionsGroup(GROUP), { ...REMOVING, ...TRIAL }).optionsGroup('Options:');
}

/** The shape that the flags describe; undefined without any. @throws BAD_USAGE for flags that contradict each other */
export function shapeOf(flags: ShapeFlags): Shape | undefined {
  const { headerRow, skipLines, columns, uid, split, lists, wide, wideGuid, numbered, scopeWords, where } = flags;
  const { identities, identityKey, identityUid, groups, groupKey, groupGuid, actions, actionWords } = flags;
  if (wideGuid !== undefined && wide === undefined) throw badUsage('--wide-guid needs --wide');
  if (actionWords !== undefined && actions === undefined) throw badUsage('--action-words needs --actions');
  if ((identityKey ?? identityUid) !== undefined && identities === undefined) {
    throw badUsage('--identity-key and --identity-uid need --identities');
  }
  if ((groupKey ?? groupGuid) !== undefined && groups === undefined) {
    throw badUsage('--group-key and --group-guid need --groups');
  }
  const given = defined({
    headerRow,
    skipLines,
    columns,
    templates: uid === undefined ? undefined : { uid },
    identities: identities === undefined ? undefined : defined({ keys: identityKey, uid: identityUid }),
    groups: groups === undefined ? undefined : defined({ keys: groupKey, guid: groupGuid }),
    split,
    lists,
    wide: wide === undefined ? undefined : defined({ columns: wide, guid: wideGuid }),
    numbered,
    scopeWords,
    where,
    actions:
      actions === undefined
        ? undefined
        : defined({ column: actions === true ? undefined : actions, words: actionWords }),
  });
  if (Object.keys(given).length === 0) return undefined;
  const parsed = shapeSettings.safeParse(given);
  if (parsed.success) return parsed.data;
  throw badUsage(parsed.error.issues.map(({ message }) => message).join('; '));
}

function merge<Value extends object>(earlier: Value, later: Value) {
  return { ...earlier, ...later };
}

function concat<Value>(earlier: Value[], later: Value[]) {
  return [...earlier, ...later];
}

function template(text: string) {
  try {
    parseTemplate(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

/** Flags for reaching an address. */
export interface PlaceFlags extends Pick<SourceSettings, 'endpoint' | 'keyFile' | 'knownHosts'> {
  /** Texts as typed: `password=env:DB_PASSWORD`. */
  readonly secret?: readonly string[];
}

/** Flags for reading from an address. */
export interface SourceFlags extends PlaceFlags, Pick<SourceSettings, 'query' | 'table'> {
  /** Texts as typed: `Authorization=env:NIGHTLY_TOKEN`. */
  readonly header?: readonly string[];
  /** In bytes. */
  readonly maxSource?: number;
}

type Setting = keyof typeof SOURCE_SETTINGS;
const SETTINGS: Readonly<Record<Setting, SourceSetting>> = SOURCE_SETTINGS;

const flagOf = (name: Setting): string => SETTINGS[name].flag ?? name;

/** A flag as it is typed. */
const typed = (option: string) => asFlag({ option });

// Read later: a message of commander's would repeat a secret that is given in place of where it is.
const each = () => repeatable((text: string, earlier: readonly string[] = []) => [...earlier, text]);

function withSettings(command: Command, names: readonly Setting[]) {
  for (const name of names) {
    const { value, help, isMap } = SETTINGS[name];
    const flag = `${typed(flagOf(name))} ${value}`;
    if (isMap) command.option(flag, `${help}; repeat for more`, each());
    else command.option(flag, help);
  }
  return command;
}

/** Adds the flags for reaching an address. */
export function withPlace(command: Command) {
  return withSettings(command, ['secrets', 'endpoint', 'keyFile', 'knownHosts']);
}

export function withSource(command: Command) {
  return withSettings(withPlace(withSettings(command, ['headers'])), ['query', 'table']).addOption(
    new Option('--max-source <size>', 'largest file to accept, such as 500mb')
      .argParser(byteCount)
      .default(DEFAULT_MAX_FILE, '2gb'),
  );
}

/** A flag that is given and is for addresses only, as it is typed. */
export function addressFlagOf(flags: SourceFlags): string | undefined {
  return addressFlagsOf(flags)[0]?.[0];
}

/** The flags that are for addresses only, as they are typed, with their values. */
export function addressFlagsOf(flags: SourceFlags): [flag: string, value: string][] {
  const given = flags as Readonly<Record<string, string | readonly string[] | undefined>>;
  return (Object.keys(SETTINGS) as Setting[])
    .filter((name) => SETTINGS[name].value !== undefined)
    .map(flagOf)
    .flatMap((flag) => [given[flag] ?? []].flat().map((value): [string, string] => [typed(flag), value]));
}

/** With whole paths, as schedules keep them. @throws BAD_SOURCE, which repeats no secret */
export async function sourceSettingsOf(flags: SourceFlags): Promise<SourceSettings> {
  const { header = [], secret = [] } = flags;
  const { headersFrom, secretFrom } = await import('../../sources/named.ts');
  const secrets = wholeSecrets(Object.fromEntries(secret.map(secretFrom)), process.cwd());
  return defined({
    headers: header.length === 0 ? undefined : headersFrom(header),
    secrets: secret.length === 0 ? undefined : secrets,
    // `--region` is that of the members.
    ...wholePaths({ ...flags, region: undefined }, process.cwd()),
  });
}

/** The source of the flags, as a schedule keeps it: `settings` only where it is made on the machine that runs it. @throws as sourceSettingsOf */
export async function keptSourceOf(flags: SourceFlags) {
  const { headers = {}, ...settings } = await sourceSettingsOf(flags);
  return { source: { headers, maxSource: flags.maxSource }, settings };
}

/** Flags of commands that read a file in order to send it. */
export interface FileFlags
  extends ReadingChoices,
    CreateChoices,
    RecipeFlags,
    SourceFlags,
    ExpectingChoices,
    ShapeFlags {}

export function withFile(command: Command) {
  withRecipeFlag(withCreation(withOptions(command, READING)));
  return withShape(withOptions(withSource(command), EXPECTING));
}

export interface ImportFlags extends FileFlags, BanChoices, CheckFlags, Given<typeof SENDING>, RunningFlags {
  readonly check?: true;
  readonly detach?: true;
  readonly tag?: readonly string[];
}

export interface CheckFlags extends Given<typeof CHECKING> {
  readonly yes?: true;
}

/** Adds the flags that limit the cost of a check. */
export function withCheckCost(command: Command) {
  return withOptions(
    command.addOption(new Option('--yes', 'check however many calls it takes').conflicts('maxCalls')),
    CHECKING,
  );
}

export function maxCallsOf({ yes, maxCalls = DEFAULT_MAX_CALLS }: CheckFlags) {
  return yes ? Number.POSITIVE_INFINITY : maxCalls;
}
