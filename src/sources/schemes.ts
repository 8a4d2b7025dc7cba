import { option, words } from '../errors/named-options.ts';
import { refuseAddress, shown } from '../imports/read/intake-error.ts';
import { isLoopback } from '../platform/hosts.ts';
import { type PackageUse, withPackages } from '../platform/packages.ts';
import { addressName, hasPassword, isAddress, schemeOf } from '../text/address-text.ts';
import { enumerate } from '../text/wording.ts';
import { type Adapter, badSource, type SourceRequest, type SourceSettings } from './source.ts';

interface Scheme {
  /** The first is the one that is shown. */
  readonly names: readonly string[];
  readonly takes: readonly (keyof SourceSettings)[];
  /** Packages that may not be installed. */
  readonly needs?: PackageUse;
  /** Loaded only when the scheme is named. */
  readonly load: () => Promise<{ readonly adapter: Adapter }>;
}

const SCHEMES: readonly Scheme[] = [
  {
    names: ['https', 'http'],
    takes: ['headers'],
    load: () => import('./https-source.ts'),
  },
  {
    names: ['s3'],
    takes: ['endpoint', 'region', 'secrets'],
    needs: 'addresses with s3:// and gs://',
    load: () => import('./s3-source.ts'),
  },
  {
    names: ['gs'],
    takes: ['endpoint', 'secrets'],
    needs: 'addresses with s3:// and gs://',
    load: () => import('./s3-source.ts'),
  },
  {
    names: ['postgres', 'postgresql'],
    takes: ['query', 'table', 'secrets'],
    needs: 'addresses with postgres://',
    load: () => import('./postgres-source.ts'),
  },
  {
    names: ['mysql', 'mariadb'],
    takes: ['query', 'table', 'secrets'],
    needs: 'addresses with mysql:// and mariadb://',
    load: () => import('./mysql-source.ts'),
  },
  {
    names: ['sqlite'],
    takes: ['query', 'table'],
    load: () => import('./sqlite-source.ts'),
  },
  {
    names: ['sftp'],
    takes: ['secrets', 'keyFile', 'knownHosts'],
    needs: 'addresses with sftp://',
    load: () => import('./sftp-source.ts'),
  },
];

/** Names of settings for people; the others have their own names. */
const OPTIONS: Partial<Record<keyof SourceSettings, string>> = { headers: 'header', secrets: 'secret' };

const schemeFor = (address: string) => SCHEMES.find(({ names }) => names.includes(schemeOf(address) ?? ''));

/** An address as it is kept. Asks nobody. @throws IntakeError BAD_ADDRESS, BAD_SOURCE; neither repeats a password */
export function checkedAddress(text: string, settings: SourceSettings = {}) {
  const address = text.trim();
  const scheme = schemeFor(address);
  const name = schemeOf(address);
  if (scheme === undefined) {
    const known = SCHEMES.map(({ names }) => `${names[0]}://`);
    refuseAddress(address, `a path or an address with ${enumerate(known, 'or')}`);
    throw new Error(`${JSON.stringify(text)} is no address`);
  }
  const isWeb = scheme.names[0] === 'https';
  if (hasPassword(address) && !isWeb) {
    throw badSource(
      `${name}:// addresses take no password, and this one holds a password`,
      words`take it out, and give it in an environment variable or in a file: ${option('secret', 'password=env:NAME')} or ${option('secret', 'password=file:PATH')}`,
    );
  }
  if (name === 'sqlite' && address.includes('?')) {
    throw badSource(
      'sqlite:// addresses name a file, and take nothing behind a question mark',
      'leave the rest of it out',
    );
  }
  if (!isWeb && name !== 'sqlite' && !address.includes('://')) {
    throw badSource(`"${name}:…" is not a valid address; write it as ${name}://…`);
  }
  for (const given of Object.keys(settings) as (keyof SourceSettings)[]) {
    const { [given]: value = {} } = settings;
    const isEmpty = typeof value === 'object' && Object.keys(value).length === 0;
    if (isEmpty || scheme.takes.includes(given)) continue;
    throw badSource(
      `${name}:// addresses do not take everything that is given`,
      words`leave ${option(OPTIONS[given] ?? given)} out`,
    );
  }
  return isWeb ? webAddress(address) : address;
}

/** Plain http could be read and changed on the way, except on this machine. @throws BAD_SOURCE */
function webAddress(text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Not shown: without being read, a password in it cannot be told from the rest.
  if (url === undefined)
    throw badSource(`"${schemeOf(text)}://…" is not a valid address; allowed is https:// with a host and a path`);
  if (url.username + url.password !== '') {
    throw badSource(
      `the address at ${url.host} holds a user name or password`,
      words`put them into an environment variable and name it with ${option('header', 'Authorization=env:NIGHTLY_TOKEN')}`,
    );
  }
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    const at = shown(addressName(url.href));
    throw badSource(`${at} is refused; allowed are https, and plain http on this machine`);
  }
  url.hash = '';
  return url.href;
}

export function shownFile({ file }: { readonly file: string }) {
  return isAddress(file) ? addressName(file) : file;
}

/** Loads what reads an address. @param address from `checkedAddress` @throws PACKAGE_MISSING */
export async function adapterFor(address: string) {
  const scheme = schemeFor(address);
  if (scheme === undefined) throw new Error(`no adapter for ${schemeOf(address)}`);
  const { needs, load } = scheme;
  const { adapter } = await (needs === undefined ? load() : withPackages(needs, load));
  return adapter;
}

export async function sourceAt(request: SourceRequest) {
  const address = checkedAddress(request.address, request.settings);
  return (await adapterFor(address))({ ...request, address });
}
