import { readFileSync } from 'node:fs';
import { messageOf } from '../errors/rollcall-error.ts';
import { defined } from '../platform/defined.ts';
import type { NamedSource } from '../platform/named-sources.ts';
import { isAddress, sourceName } from '../text/address-text.ts';
import { badSource, type SourceRequest, type SourceSettings } from './source.ts';

/** The sources that the settings of a process name, and where their secrets are. */
export interface SourceContext {
  readonly named: Readonly<Record<string, NamedSource>>;
  readonly environment: SourceRequest['environment'];
  /** PEM of another certificate authority that sources may use. */
  readonly ca: string | undefined;
}

/** The named source that a text begins with: `hr` of `hr:/out/members.csv`. */
function nameIn(text: string, named: SourceContext['named']) {
  const name = sourceName(text);
  return name !== undefined && Object.hasOwn(named, name) ? name : undefined;
}

/** Whether a text is to be fetched: an address, or in a named source. Anything else is a path. */
export function isAddressOrName(text: string, named: SourceContext['named']) {
  return isAddress(text) || nameIn(text, named) !== undefined;
}

/** A request for what is at an address, or in a named source, whose settings give way to the given ones. */
export function requestOf(text: string, given: SourceSettings, context: SourceContext): SourceRequest {
  const { named, environment, ca } = context;
  const name = nameIn(text, named);
  const source = name === undefined ? undefined : named[name];
  if (name === undefined || source === undefined) {
    if (!isAddress(text)) throw unknownName(sourceName(text) ?? text, Object.keys(named));
    return { address: text, settings: given, environment, ca, secret: secretReader(given, environment) };
  }
  const { url, ...ofName } = source;
  const keyFile = ofName.keyFile ?? environment(variableOf(name, 'keyFile'));
  const headers = { ...ofName.headers, ...given.headers };
  const secrets = { ...ofName.secrets, ...given.secrets };
  const settings = { ...ofName, ...defined({ keyFile }), ...given, headers, secrets };
  const address = below(url, text.slice(name.length + 1));
  return { address, settings, environment, ca, secret: secretReader(settings, environment, name) };
}

function unknownName(name: string, known: readonly string[]) {
  const others = known.length === 0 ? 'none is named there' : `named there are ${known.join(', ')}`;
  return badSource(
    `the settings name no source ${JSON.stringify(name)}; ${others}`,
    'name it in "sources" of rollcall.config.json, where rollcall runs',
  );
}

function below(url: string, place: string) {
  if (place === '') return url;
  return `${url.replace(/\/+$/, '')}/${place.replace(/^\/+/, '')}`;
}

/** Secrets of sources, such as a password or the value of a header: only where they are is given and kept, and they are read when they are needed. */

const SECRET_FORM =
  "allowed is a name and where its value is, such as 'password=env:SOURCE_DB_PASSWORD' or 'password=file:/run/secrets/db'";
const SECRET_NAME = /^[a-z][A-Za-z0-9]*$/;
const PLACE = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/s;

/** `password=env:DB_PASSWORD` as name and place. A text instead of a place may be the secret, and is not shown. */
export function secretFrom(text: string): readonly [name: string, place: string] {
  const [, name = '', value = ''] = /^([^=\s]+)\s*=(.*)$/s.exec(text.trim()) ?? [];
  const place = value.trim();
  if (!SECRET_NAME.test(name)) throw badSource(`a secret has no name; ${SECRET_FORM}`);
  if (!PLACE.test(place)) throw badSource(`the secret ${name} says not where its value is; ${SECRET_FORM}`);
  return [name, place];
}

/** Returns the name of a secret's variable: `SOURCE_HR_PASSWORD` of `hr`. */
function variableOf(source: string, secret: string) {
  const words = `${source}_${secret.replace(/[A-Z]/g, (letter) => `_${letter}`)}`;
  return `SOURCE_${words.toUpperCase().replaceAll('-', '_')}`;
}

/** @param name of the source, if it has one */
function secretReader(
  { secrets = {} }: SourceSettings,
  environment: SourceRequest['environment'],
  name?: string,
): SourceRequest['secret'] {
  return (secret) => {
    const place = Object.hasOwn(secrets, secret) ? secrets[secret] : undefined;
    if (place?.startsWith('file:')) return inFile(secret, place.slice('file:'.length));
    const variable = place?.slice('env:'.length) ?? (name === undefined ? undefined : variableOf(name, secret));
    if (variable === undefined) return undefined;
    const value = environment(variable)?.trim();
    if (value !== undefined && value !== '') return value;
    const path = place === undefined ? environment(`${variable}_FILE`) : undefined;
    if (path !== undefined && path !== '') return inFile(secret, path);
    if (place === undefined) return undefined;
    throw notSet(variable, secret);
  };
}

function inFile(secret: string, path: string) {
  try {
    const value = readFileSync(path, 'utf8').trim();
    if (value !== '') return value;
  } catch (cause) {
    throw badSource(`the file with the ${secret} cannot be read: ${messageOf(cause)}`, undefined, { cause });
  }
  throw badSource(`the file with the ${secret}, ${path}, is empty; put the ${secret} into it`);
}

const HEADER_FORM =
  "allowed is a name and the environment variable with its value, such as 'Authorization=env:NIGHTLY_TOKEN'";
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VARIABLE = /^env:([A-Za-z_][A-Za-z0-9_]*)$/;
/** Those by which a request is held together, or which are rollcall's own. */
const OURS = /^(host|connection|content-.*|transfer-encoding|te|upgrade|expect|accept-encoding|range|if-.*)$/i;
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]+$/;

/** `Authorization=env:NIGHTLY_TOKEN` as header and variable. Another text may be a secret, and is not shown. */
export function headerFrom(text: string): readonly [header: string, variable: string] {
  const [, header = '', value = ''] = /^([^=:\s]+)\s*=(.*)$/s.exec(text.trim()) ?? [];
  if (!HEADER_NAME.test(header)) throw badSource(`a header has no name; ${HEADER_FORM}`);
  if (OURS.test(header)) throw badSource(`the header ${header} is rollcall's own; leave it out`);
  const [, variable] = VARIABLE.exec(value.trim()) ?? [];
  if (variable !== undefined) return [header, variable];
  throw badSource(`the header ${header} names no environment variable; ${HEADER_FORM}`);
}

/** With the values of this moment. @throws BAD_SOURCE with the name of a variable that is not set or cannot be sent */
export function headersWithValues(
  headers: Readonly<Record<string, string>>,
  environment: (variable: string) => string | undefined,
) {
  const values = Object.entries(headers).map(([header, variable]) => {
    const value = environment(variable)?.trim();
    if (value === undefined || value === '') throw notSet(variable, `header ${header}`);
    if (!SENDABLE.test(value)) {
      throw badSource(`the environment variable ${variable} holds characters that no header may have`);
    }
    return [header, value] as const;
  });
  return Object.fromEntries(values);
}

function notSet(variable: string, secret: string) {
  return badSource(
    `the environment variable ${variable}, which holds the ${secret}, is not set; set it where rollcall runs`,
  );
}
