import { hasPassword, isAddress } from '../text/address-text.ts';
import { type Allowed, allowedValues } from './allowed-values.ts';
import { isLoopback } from './loopback.ts';
import { ConfigError } from './setting.ts';

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
function sourceAddress(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return '';
  const isWeb = /^https?:$/.test(url.protocol);
  // A password is not repeated.
  if (hasPassword(text) || (isWeb && url.username !== '')) {
    throw new ConfigError(`${name} holds a user name or password; allowed ${allowedValues(sourceList)}`);
  }
  if (!isWeb) return text;
  const isAllowed = url.protocol === 'https:' || isLoopback(url.hostname);
  return isAllowed && url.search + url.hash === '' ? url.href : '';
}

/** The origin of the API's addresses. */
export const serverOrigin: Allowed<string> = {
  allowed: "a server's address without a path, such as http://127.0.0.1:7700",
  parse: (given, name) => {
    const text = given.trim();
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined) return undefined;
    // A password is not repeated.
    if (url.username + url.password !== '') {
      throw new ConfigError(
        `${name} holds a user name or password; allowed ${allowedValues(serverOrigin)}, and the token belongs into ROLLCALL_TOKEN`,
      );
    }
    return /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
  },
};

/** The base address of an app, with its version. */
export const appUrl: Allowed<string> = {
  allowed: 'an https address with its version, such as https://chat.corp.example/v3',
  parse: (given, name) => {
    const url = URL.canParse(given.trim()) ? new URL(given.trim()) : undefined;
    if (url === undefined) return undefined;
    // A password is not repeated.
    if (url.username + url.password !== '') {
      throw new ConfigError(`${name} holds a user name or password; allowed ${allowedValues(appUrl)}`);
    }
    const path = url.pathname.replace(/\/+$/, '');
    return url.protocol === 'https:' && url.search + url.hash === '' && path !== '' ? url.origin + path : undefined;
  },
};

/** Printable ASCII, as it can be sent in a header. */
export const secretText: Allowed<string> = {
  allowed: 'printable ASCII',
  parse: (text, name) => {
    if (/^[\x21-\x7e]+$/.test(text)) return text;
    throw new ConfigError(
      `${name} holds a blank or a letter that is not ASCII: set it to the secret as it was given out`,
    );
  },
};
