import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../errors/message-of.ts';
import { badSetting } from '../errors/rollcall-error.ts';
import { hasPassword, isAddress } from '../text/address-text.ts';
import { type Allowed, allowedValues } from './allowed-values.ts';
import { isLoopback } from './loopback.ts';

/** The common part of all settings, from every origin. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value, and where it was given, as messages name it. */
export interface Setting {
  readonly name: string;
  readonly value: string;
}

/** A variable that is set to nothing counts as not set. */
export function present(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

/** Windows begins a text with a byte order mark. */
export function withoutMark(text: string) {
  return text.replace(/^\uFEFF/, '');
}

/** The text of a file that a setting names. @throws BAD_SETTING */
export function readNamed(setting: string, path: string) {
  try {
    return withoutMark(readFileSync(path, 'utf8'));
  } catch (error) {
    throw badSetting(`${setting} names ${path}, which cannot be read: ${messageOf(error)}`);
  }
}

type Named = readonly [name: string, value: string | undefined];

/**
 * A value as it is set, or out of the file that is set instead, which is read when the value is asked for: a command that
 * needs no key runs without its file. Undefined where neither is.
 * @throws BAD_SETTING
 */
export function valueOrFile([name, value]: Named, [fileName, path]: Named, folder: string): Setting | undefined {
  if (path === undefined) return value === undefined ? undefined : { name, value };
  if (value !== undefined) throw badSetting(`${name} and ${fileName} are both set: keep one`);
  return {
    name: fileName,
    get value() {
      const text = present(readNamed(fileName, resolve(folder, path)));
      if (text !== undefined) return text;
      throw badSetting(`${fileName} names ${path}, which is empty: put the value into it`);
    },
  };
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
    throw badSetting(`${name} holds a user name or password; allowed ${allowedValues(sourceList)}`);
  }
  if (!isWeb) return text;
  const isAllowed = url.protocol === 'https:' || isLoopback(url.hostname);
  return isAllowed && url.search + url.hash === '' ? url.href : '';
}

/** An address of the web. One with a user name or password is refused in words that do not repeat it. @param instead where that belongs */
function webAddress(allowed: string, read: (url: URL) => string | undefined, instead = ''): Allowed<string> {
  return {
    allowed,
    parse: (given, name) => {
      const text = given.trim();
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url === undefined) return undefined;
      if (url.username + url.password === '') return read(url);
      throw badSetting(`${name} holds a user name or password; allowed is ${allowed}${instead}`);
    },
  };
}

/** The origin of the API's addresses. */
export const serverOrigin = webAddress(
  "a server's address without a path, such as http://127.0.0.1:7700",
  ({ protocol, href, origin }) => (/^https?:$/.test(protocol) && href === `${origin}/` ? origin : undefined),
  ', and the token belongs into ROLLCALL_TOKEN',
);

/** The base address of an app, with its version. */
export const appUrl = webAddress(
  'an https address with its version, such as https://chat.corp.example/v3',
  ({ protocol, pathname, search, hash, origin }) => {
    const path = pathname.replace(/\/+$/, '');
    return protocol === 'https:' && search + hash === '' && path !== '' ? origin + path : undefined;
  },
);

/** Printable ASCII, as it can be sent in a header. */
export const secretText: Allowed<string> = {
  allowed: 'printable ASCII',
  parse: (text, name) => {
    if (/^[\x21-\x7e]+$/.test(text)) return text;
    throw badSetting(`${name} holds a blank or a letter that is not ASCII: set it to the secret as it was given out`);
  },
};
