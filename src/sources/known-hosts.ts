import { createHash, createHmac } from 'node:crypto';
import { starPattern } from '../text/wildcard.ts';

/** The keys of hosts, as OpenSSH keeps them in `known_hosts`. */

export interface KnownKey {
  readonly type: string;
  readonly key: Buffer;
  /** Counted from 1. */
  readonly line: number;
  readonly isRevoked: boolean;
}

/** Returns the name of a host in the file: with its port if that is not the usual one. */
export function hostEntry(host: string, port: number): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

/** The keys that the file has for a host. Keys of authorities are left out: certificates of hosts are not supported. */
export function keysOf(text: string, entry: string): readonly KnownKey[] {
  return text.split('\n').flatMap((content, at) => {
    const words = content.trim().split(/\s+/);
    const marker = words[0]?.startsWith('@') ? words.shift() : undefined;
    const [hosts, type, key] = words;
    if (hosts === undefined || type === undefined || key === undefined || hosts.startsWith('#')) return [];
    if ((marker !== undefined && marker !== '@revoked') || !isAmong(hosts, entry)) return [];
    return [{ type, key: Buffer.from(key, 'base64'), line: at + 1, isRevoked: marker === '@revoked' }];
  });
}

/** Returns the fingerprint in the form of OpenSSH: `SHA256:…`. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The type of a key, which its bytes begin with. */
export function typeOf(key: Buffer): string {
  return key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1');
}

/** Names and patterns with commas between them, or one name that is hashed. */
function isAmong(hosts: string, entry: string): boolean {
  if (hosts.startsWith('|1|')) {
    const [, , salt = '', hash] = hosts.split('|');
    return createHmac('sha1', Buffer.from(salt, 'base64')).update(entry).digest('base64') === hash;
  }
  const fits = (pattern: string) => starPattern(pattern)(entry);
  const names = hosts.split(',');
  const isExcluded = names.some((name) => name.startsWith('!') && fits(name.slice(1)));
  return !isExcluded && names.some((name) => !name.startsWith('!') && fits(name));
}
