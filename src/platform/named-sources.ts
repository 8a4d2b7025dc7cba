import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { badSetting, RollcallError } from '../errors/rollcall-error.ts';
import { hasPassword, isAddress } from '../text/address-text.ts';
import { asSentence } from '../text/wording.ts';
import { type Allowed, allowedValues } from './allowed-values.ts';
import { defined } from './defined.ts';
import { isLoopback } from './hosts.ts';

/** A setting for reading an address. */
export interface SourceSetting {
  /** Name of its flag, where that is another one. */
  readonly flag?: string;
  /** The value in `--help`. Absent: it has no flag. */
  readonly value?: string;
  readonly help: string;
  /** It is the path of a file. */
  readonly isPath?: true;
  /** It has many values, each with a name. */
  readonly isMap?: true;
}

/** The settings for reading an address: of named sources, of flags, and as schedules keep them. */
export const SOURCE_SETTINGS = {
  headers: {
    flag: 'header',
    value: '<name=env:variable>',
    help: 'for an https address: a header, and the environment variable that has its value',
    isMap: true,
  },
  secrets: {
    flag: 'secret',
    value: '<name=place>',
    help: 'for an address: password or another secret, and the place of its value, env:NAME or file:PATH',
    isMap: true,
  },
  endpoint: {
    value: '<url>',
    help: 'for a bucket: the address of a server that speaks its protocol, such as MinIO',
  },
  region: { help: 'for a bucket: its region' },
  keyFile: { value: '<file>', help: 'for sftp: the private key', isPath: true },
  knownHosts: {
    value: '<file>',
    help: "for sftp: the keys of hosts, in place of this user's ~/.ssh/known_hosts",
    isPath: true,
  },
  query: { value: '<file>', help: 'for a database: the file with the query', isPath: true },
  table: { value: '<name>', help: 'for a database: the table to read' },
} as const satisfies Record<string, SourceSetting>;
/** Settings with one text as their value. */
type TextSetting = Exclude<keyof typeof SOURCE_SETTINGS, 'headers' | 'secrets'>;
const TEXT_SETTINGS = (Object.keys(SOURCE_SETTINGS) as (keyof typeof SOURCE_SETTINGS)[]).filter(
  (name): name is TextSetting => name !== 'headers' && name !== 'secrets',
);

/** Sources that the settings name, such as `hr`: an address and how it is read. No secret is among them. */
export interface NamedSource extends Readonly<Partial<Record<TextSetting, string>>> {
  readonly url: string;
  /** Header → environment variable that has its value. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Name, such as `password` → where its value is: `env:NAME` or `file:PATH`. */
  readonly secrets?: Readonly<Record<string, string>>;
}

const load = createRequire(import.meta.url);

/** Returns the schema of `sources` in the configuration file. */
export function namedSourcesSchema() {
  const { z } = load('zod') as typeof import('zod');
  const described = (name: keyof typeof SOURCE_SETTINGS) => ({ description: asSentence(SOURCE_SETTINGS[name].help) });
  const text = (name: TextSetting) => z.string().min(1).optional().meta(described(name));
  const source = z.strictObject({
    url: z.string().min(1).describe('Its address, without a password: what follows the name is added to it.'),
    headers: z.record(z.string(), z.string()).optional().meta(described('headers')),
    secrets: z
      .record(z.string(), z.string().regex(/^(env|file):./s))
      .optional()
      .meta(described('secrets')),
    ...Object.fromEntries(TEXT_SETTINGS.map((name) => [name, text(name)])),
  });
  const name = z
    .string()
    .regex(/^[a-z][a-z0-9_-]{1,63}$/)
    .refine((one) => !isAddress(`${one}:`), 'a kind of address, such as s3, cannot be the name of a source');
  return z.record(name, source).describe('Sources by name: `rollcall import hr:/out/members.csv`.');
}

/** With whole paths. @throws BAD_SETTING */
export function readNamedSources(given: unknown, folder: string): Readonly<Record<string, NamedSource>> {
  if (typeof given !== 'object' || given === null) return {};
  return Object.fromEntries(
    Object.entries(given as Record<string, NamedSource>).map(([name, source]) => {
      const { url, secrets } = source;
      if (hasPassword(url)) {
        throw badSetting(`the url of the source ${name} holds a password: name its place in "secrets" instead`);
      }
      return [
        name,
        defined({
          ...source,
          ...wholePaths(source, folder),
          secrets: secrets && wholeSecrets(secrets, folder),
        }) as NamedSource,
      ];
    }),
  );
}

/** The settings with one text, their paths whole. */
export function wholePaths(
  given: Readonly<Partial<Record<TextSetting, string | undefined>>>,
  folder: string,
): Partial<Record<TextSetting, string>> {
  return Object.fromEntries(
    TEXT_SETTINGS.flatMap((name) => {
      const text = given[name];
      return text === undefined ? [] : [[name, 'isPath' in SOURCE_SETTINGS[name] ? resolve(folder, text) : text]];
    }),
  );
}

/** `file:PATH` with a whole path. */
export function wholeSecrets(secrets: Readonly<Record<string, string>>, folder: string) {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, place]) => [
      name,
      place.startsWith('file:') ? `file:${resolve(folder, place.slice('file:'.length))}` : place,
    ]),
  );
}

/** Folders and addresses, separated by commas: what is in or below one of them. Folders may still be relative. */
export const sourceList: Allowed<readonly string[]> = {
  allowed:
    'folders, addresses and named sources, separated by commas, such as /srv/exports,https://hr.example.com/,s3://hr-exports/members/,hr: (http on this machine only)',
  parse: (text, name) => {
    const list = text.split(',').map((one) => one.trim());
    if (list.some((one) => one === '' || one.includes('\0'))) return undefined;
    const places = list.map((one) => (isAddress(one) ? sourceAddress(one, name) : one));
    return places.includes('') ? undefined : (places as string[]);
  },
};

/** '' for an address that cannot be one of a source. */
function sourceAddress(text: string, name: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return '';
  const isWeb = /^https?:$/.test(url.protocol);
  // A password is not repeated.
  if (hasPassword(text) || (isWeb && url.username !== '')) {
    throw new RollcallError('BAD_SETTING', { name, allowed: allowedValues(sourceList) });
  }
  if (!isWeb) return text;
  const isAllowed = url.protocol === 'https:' || isLoopback(url.hostname);
  return isAllowed && url.search + url.hash === '' ? url.href : '';
}
