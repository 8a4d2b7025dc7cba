import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { hasPassword } from '../text/address-text.ts';
import { defined } from './defined.ts';
import { ConfigError } from './setting.ts';

/** Sources that the settings name, such as `hr`: an address and how it is read. No secret is among them. */
export interface NamedSource {
  readonly url: string;
  /** Header → environment variable that has its value. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Name, such as `password` → where its value is: `env:NAME` or `file:PATH`. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The field of a JSON API with the address of the next page, or `parameter=field` for a cursor; `none` for its first page alone. */
  readonly nextPage?: string;
  /** Whole path of a file with one query. */
  readonly query?: string;
  readonly table?: string;
  /** Address of a server that speaks the protocol of the scheme, such as MinIO. */
  readonly endpoint?: string;
  readonly region?: string;
  /** Whole path of a private key. */
  readonly keyFile?: string;
  /** Whole path of the keys of hosts. */
  readonly knownHosts?: string;
}

const load = createRequire(import.meta.url);

/** Returns the schema of `sources` in the configuration file. */
export function namedSourcesSchema() {
  const { z } = load('zod') as typeof import('zod');
  const text = (description: string) => z.string().min(1).optional().meta({ description });
  const source = z.strictObject({
    url: z
      .string()
      .min(1)
      .meta({ description: 'Its address, without a password: what follows the name is added to it.' }),
    headers: z.record(z.string(), z.string()).optional().meta({
      description: 'Header -> environment variable that has its value.',
    }),
    secrets: z
      .record(z.string(), z.string().regex(/^(env|file):./s))
      .optional()
      .meta({ description: 'Name, such as `password` -> `env:NAME` or `file:PATH`.' }),
    nextPage: text(
      'Field of a JSON API with the address of the next page, or `parameter=field` for a cursor; `none` for this page alone.',
    ),
    query: text('A file with the query of a database.'),
    table: text('The table of a database.'),
    endpoint: text('Address of a server that speaks the protocol, such as MinIO.'),
    region: text('Region of a bucket.'),
    keyFile: text('A private key.'),
    knownHosts: text('A file with the keys of hosts.'),
  });
  const name = z.string().regex(/^[a-z][a-z0-9_-]{1,63}$/);
  return z.record(name, source).meta({ description: 'Sources by name: `rollcall import hr:/out/members.csv`.' });
}

/** With whole paths. @throws ConfigError */
export function readNamedSources(given: unknown, folder: string): Readonly<Record<string, NamedSource>> {
  if (typeof given !== 'object' || given === null) return {};
  const whole = (path: string | undefined) => (path === undefined ? undefined : resolve(folder, path));
  return Object.fromEntries(
    Object.entries(given as Record<string, NamedSource>).map(([name, source]) => {
      const { url, query, keyFile, knownHosts, secrets } = source;
      if (hasPassword(url)) {
        throw new ConfigError(`the url of the source ${name} holds a password: name its place in "secrets" instead`);
      }
      return [
        name,
        defined({
          ...source,
          ...{ query: whole(query), keyFile: whole(keyFile), knownHosts: whole(knownHosts) },
          secrets: secrets && wholeSecrets(secrets, folder),
        }) as NamedSource,
      ];
    }),
  );
}

/** `file:PATH` with a whole path. */
export function wholeSecrets(
  secrets: Readonly<Record<string, string>>,
  folder: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, place]) => [
      name,
      place.startsWith('file:') ? `file:${resolve(folder, place.slice('file:'.length))}` : place,
    ]),
  );
}
