import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ImportOptions } from '../../imports/import-options.ts';
import { DEFAULT_MAX_FILE } from '../../options/bounds.ts';
import type { ReportingChoices } from '../../options/sending-options.ts';
import type { Config } from '../../platform/config.ts';
import { defined } from '../../platform/defined.ts';
import { wholeSecrets } from '../../platform/named-sources.ts';
import type { SourceSettings } from '../../sources/source.ts';
import { byteCount } from './flags.ts';
import { repeatable } from './once.ts';

/** Flags for reaching an address. */
export interface PlaceFlags extends Pick<SourceSettings, 'endpoint' | 'keyFile' | 'knownHosts'> {
  /** Texts as typed: `password=env:DB_PASSWORD`. */
  readonly secret?: readonly string[];
}

/** Flags for reading from an address. */
export interface SourceFlags extends PlaceFlags, Pick<SourceSettings, 'nextPage' | 'query' | 'table'> {
  /** Texts as typed: `Authorization=env:NIGHTLY_TOKEN`. */
  readonly header?: readonly string[];
  /** In bytes. */
  readonly maxSource?: number;
}

// Read later: a message of commander's would repeat a secret that is given in place of where it is.
const each = () => repeatable((text: string, earlier: readonly string[] = []) => [...earlier, text]);

/** Adds the flags for reaching an address. */
export function withPlace(command: Command): Command {
  return command
    .option(
      '--secret <name=place>',
      'for an address: password or another secret, and where its value is, env:NAME or file:PATH; repeat for more',
      each(),
    )
    .option('--endpoint <url>', 'for a bucket: the address of its server, such as MinIO')
    .option('--key-file <file>', 'for sftp: the private key')
    .option('--known-hosts <file>', "for sftp: the keys of hosts, in place of this user's ~/.ssh/known_hosts");
}

export function withSource(command: Command): Command {
  command.option(
    '--header <name=env:variable>',
    'for an https address: a header, and the environment variable that has its value; repeat for more',
    each(),
  );
  return withPlace(command)
    .option(
      '--next-page <field>',
      'for a JSON API: the field with the address of the next page, or parameter=field for a cursor (a header Link is followed without it); none: read this page alone',
    )
    .option('--query <file>', 'for a database: the file with the query')
    .option('--table <name>', 'for a database: the table to read')
    .addOption(
      new Option('--max-source <size>', 'largest file to accept, such as 500mb')
        .argParser(byteCount)
        .default(DEFAULT_MAX_FILE, '2gb'),
    );
}

const FLAGS = ['header', 'nextPage', 'secret', 'query', 'table', 'endpoint', 'keyFile', 'knownHosts'] as const;

/** A flag that is given and is for addresses only, as it is typed. */
export function addressFlagOf(flags: SourceFlags): string | undefined {
  return addressFlagsOf(flags)[0]?.[0];
}

/** The flags that are for addresses only, as they are typed, with their values. */
export function addressFlagsOf(flags: SourceFlags): [flag: string, value: string][] {
  return FLAGS.flatMap((name) => {
    const flag = name.replace(/^|[A-Z]/g, (letter) => (letter === '' ? '--' : `-${letter.toLowerCase()}`));
    return [flags[name] ?? []].flat().map((value): [string, string] => [flag, value]);
  });
}

/** With whole paths, as schedules keep them. @throws SourceError, which repeats no secret */
export async function sourceSettingsOf(flags: SourceFlags): Promise<SourceSettings> {
  const { header = [], secret = [], nextPage, query, table, endpoint, keyFile, knownHosts } = flags;
  const { headersFrom, secretFrom } = await import('../../sources/secrets.ts');
  const whole = (path: string | undefined) => (path === undefined ? undefined : resolve(path));
  const secrets = wholeSecrets(Object.fromEntries(secret.map(secretFrom)), process.cwd());
  return defined({
    headers: header.length === 0 ? undefined : headersFrom(header),
    secrets: secret.length === 0 ? undefined : secrets,
    ...{ nextPage, table, endpoint, query: whole(query), keyFile: whole(keyFile), knownHosts: whole(knownHosts) },
  });
}

/**
 * Returns the destination of the reports, valid in every folder: from the flag, or the setting.
 * @throws SourceError where nothing can be written, without asking anyone
 */
export async function reportTargetOf(
  { reportTo: usual, namedSources }: Config,
  flags: ReportingChoices & PlaceFlags & { readonly sandbox?: true },
): Promise<Pick<ImportOptions, 'reportTo'>> {
  const text = flags.reportTo?.place ?? (flags.sandbox ? undefined : usual);
  if (text === undefined) return {};
  const { placeToWrite } = await import('../../sources/write.ts');
  const given = flags.reportTo === undefined ? {} : await sourceSettingsOf(flags);
  return { reportTo: await placeToWrite(text, process.cwd(), given, namedSources) };
}
