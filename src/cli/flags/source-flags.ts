import { type Command, Option } from 'commander';
import { asFlag } from '../../errors/named-options.ts';
import { DEFAULT_MAX_FILE } from '../../options/bounds.ts';
import { defined } from '../../platform/defined.ts';
import { SOURCE_SETTINGS, type SourceSetting, wholePaths, wholeSecrets } from '../../platform/named-sources.ts';
import type { SourceSettings } from '../../sources/source.ts';
import { byteCount } from './flags.ts';
import { repeatable } from './option-flags.ts';

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
