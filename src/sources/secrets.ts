import { readFileSync } from 'node:fs';
import { messageOf } from '../errors/message-of.ts';
import type { SourceRequest, SourceSettings } from './source.ts';
import { SourceError } from './source-errors.ts';

/** Secrets of sources, such as a password: only where they are is given and kept, and they are read when they are needed. */

const FORM =
  "allowed is a name and where its value is, such as 'password=env:SOURCE_DB_PASSWORD' or 'password=file:/run/secrets/db'";
const NAME = /^[a-z][A-Za-z0-9]*$/;
const PLACE = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/s;

/** `password=env:DB_PASSWORD` as name and place. A text instead of a place may be the secret, and is not shown. */
export function secretFrom(text: string): readonly [name: string, place: string] {
  const [, name = '', value = ''] = /^([^=\s]+)\s*=(.*)$/s.exec(text.trim()) ?? [];
  const place = value.trim();
  if (!NAME.test(name)) throw new SourceError(`a secret has no name; ${FORM}`);
  if (!PLACE.test(place)) throw new SourceError(`the secret ${name} says not where its value is; ${FORM}`);
  return [name, place];
}

/** Returns the name of a secret's variable: `SOURCE_HR_PASSWORD` of `hr`. */
export function variableOf(source: string, secret: string): string {
  const words = `${source}_${secret.replace(/[A-Z]/g, (letter) => `_${letter}`)}`;
  return `SOURCE_${words.toUpperCase().replaceAll('-', '_')}`;
}

/** @param name of the source, if it has one */
export function secretReader(
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
    throw new SourceError(
      `the environment variable ${variable}, which holds the ${secret}, is not set; set it where rollcall runs`,
    );
  };
}

function inFile(secret: string, path: string): string {
  try {
    const value = readFileSync(path, 'utf8').trim();
    if (value !== '') return value;
  } catch (cause) {
    throw new SourceError(`the file with the ${secret} cannot be read: ${messageOf(cause)}`, { cause });
  }
  throw new SourceError(`the file with the ${secret}, ${path}, is empty; put the ${secret} into it`);
}
