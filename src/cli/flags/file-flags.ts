import { type Command, InvalidArgumentError, Option } from 'commander';
import { flagOf } from '../../errors/named-options.ts';
import { messageOf } from '../../errors/rollcall-error.ts';
import { parseTemplate } from '../../imports/read/shape/template.ts';
import { CREATION, type CreateChoices } from '../../options/create-options.ts';
import type { Given } from '../../options/option.ts';
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
import { NEEDING, SHAPING, type ShapeFlags } from '../../options/shape-flags.ts';
import { defined } from '../../platform/defined.ts';
import { SOURCE_SETTINGS, type SourceSetting, wholePaths, wholeSecrets } from '../../platform/named-sources.ts';
import type { SourceSettings } from '../../sources/source.ts';
import { each, type RunningFlags, sizeFlag, withNeeds, withOptions, withRecipeFlag } from './flags.ts';

const GROUP = 'Shaping (docs/shaping.md has an example of each):';

export function withShape(command: Command) {
  const { uid, wideGuid } = SHAPING;
  const flags = { ...SHAPING, uid: { ...uid, parse: template }, wideGuid: { ...wideGuid, parse: template } };
  for (const { name, part } of NEEDING) withNeeds(command, [name], [part]);
  return withOptions(command.optionsGroup(GROUP), flags).optionsGroup('Options:');
}

const CREATES = ['createUsers', 'createGroups', 'reactivate'] as const;

/** Flags about what is missing at the service. How it is created needs one that says that it is. */
function withCreation(command: Command) {
  return withNeeds(withOptions(command, CREATION), Object.keys(CREATION), CREATES);
}

export function withTrial(command: Command) {
  return withOptions(command.optionsGroup(GROUP), { ...REMOVING, ...TRIAL }).optionsGroup('Options:');
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
  readonly maxSource?: number | undefined;
}

const SOURCE_FLAGS = Object.entries<SourceSetting>(SOURCE_SETTINGS).flatMap(
  ([name, { flag = name, value, ...more }]) =>
    value === undefined ? [] : [{ ...more, name: flag, flag: flagOf(flag), value }],
);

function withSourceFlags(command: Command, flags: typeof SOURCE_FLAGS) {
  for (const { flag, value, help, isMap } of flags) {
    // Read later: a message of commander's would repeat a secret that is given in place of where it is.
    if (isMap) command.option(`${flag} ${value}`, `${help}; repeat for more`, each);
    else command.option(`${flag} ${value}`, help);
  }
  return command;
}

const ONLY_READING = ['header', 'query', 'table'];

export function withPlace(command: Command) {
  return withSourceFlags(
    command,
    SOURCE_FLAGS.filter(({ name }) => !ONLY_READING.includes(name)),
  );
}

export function withSource(command: Command) {
  return withSourceFlags(command, SOURCE_FLAGS).addOption(sizeFlag('--max-source', 'largest file to accept'));
}

/** A flag that is given and is for addresses only, as it is typed. */
export function addressFlagOf(flags: SourceFlags) {
  return addressFlagsOf(flags)[0]?.[0];
}

/** The flags that are for addresses only, as they are typed, with their values. */
export function addressFlagsOf(flags: SourceFlags): [flag: string, value: string][] {
  const given = flags as Readonly<Record<string, string | readonly string[] | undefined>>;
  return SOURCE_FLAGS.flatMap(({ name, flag }) =>
    [given[name] ?? []].flat().map((value): [string, string] => [flag, value]),
  );
}

/** With whole paths, as schedules keep them. @throws BAD_SOURCE, which repeats no secret */
export async function sourceSettingsOf(flags: SourceFlags): Promise<SourceSettings> {
  const { header = [], secret = [] } = flags;
  const { headerFrom, secretFrom } = await import('../../sources/named.ts');
  const secrets = wholeSecrets(Object.fromEntries(secret.map(secretFrom)), process.cwd());
  return defined({
    headers: header.length === 0 ? undefined : Object.fromEntries(header.map(headerFrom)),
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
export interface FileFlags extends ReadingChoices, CreateChoices, SourceFlags, ExpectingChoices, ShapeFlags {
  readonly recipe?: string;
}

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

export function withCheckCost(command: Command) {
  return withOptions(
    command.addOption(new Option('--yes', 'check however many calls it takes').conflicts('maxCalls')),
    CHECKING,
  );
}

export function maxCallsOf({ yes, maxCalls = DEFAULT_MAX_CALLS }: CheckFlags) {
  return yes ? Number.POSITIVE_INFINITY : maxCalls;
}
