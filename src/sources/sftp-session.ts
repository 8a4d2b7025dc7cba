import { createHash, createHmac } from 'node:crypto';
import { addAbortListener } from 'node:events';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectConfig, FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import ssh from 'ssh2';
import { option, type Words, words } from '../errors/named-options.ts';
import { isError, messageOf } from '../errors/rollcall-error.ts';
import { shown } from '../imports/read/intake-error.ts';
import { defined } from '../platform/defined.ts';
import { starPattern } from '../text/wildcard.ts';
import { checkedHost } from './allowed-sources.ts';
import { badSource, type SourceRequest } from './source.ts';

/** Connections to SFTP servers: who signs in, and which hosts are known. */

const CONNECT_MS = 20_000;
const QUIET_MS = 15_000;

export interface SftpPlace {
  readonly user: string;
  readonly host: string;
  readonly port: number;
  /** The path in the server's form. */
  readonly path: string;
  /** The address as it is shown. */
  readonly name: string;
}

/** A connection. Requests fail when it ends. */
export type Session = Awaited<ReturnType<typeof connect>>;

type Done<Value> = (error: Error | undefined | null, value: Value) => void;

export async function connect(place: SftpPlace, request: SourceRequest, signal: AbortSignal) {
  signal.throwIfAborted();
  const host = await checkedHost(place.host, request.mayConnect).catch((error: Error) => {
    throw isError(error, 'SOURCE_NOT_ALLOWED') ? error : connectionError(place.host, error, place.user);
  });
  signal.throwIfAborted();
  const client = new ssh.Client();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const at = `${place.host}${place.port === 22 ? '' : `:${place.port}`}`;
  let refused: Error | undefined;
  client.on('error', (error) => ended.reject(refused ?? connectionError(at, error, place.user)));
  client.on('close', () => ended.reject(badSource(`the connection to ${at} broke off; try again`)));
  const stopping = addAbortListener(signal, () => {
    ended.reject(signal.reason);
    client.destroy();
  });
  const close = () => {
    stopping[Symbol.dispose]();
    client.end();
    client.destroy();
  };
  const asked = <Value>(ask: (done: Done<Value>) => void, path = '', isWriting = false): Promise<Value> => {
    const answer = new Promise<Value>((resolve, reject) =>
      ask((error, value) => (error ? reject(error) : resolve(value))),
    );
    const answered = answer.catch((error: Error) => {
      throw fileError(at, path, error, isWriting);
    });
    return Promise.race([answered, ended.promise]);
  };
  try {
    const ready = new Promise<void>((resolve) => {
      client.once('ready', resolve);
    });
    // Some servers ask for a password as a question.
    client.on('keyboard-interactive', (_name, _text, _language, prompts, finish) =>
      finish(prompts.map(() => request.secret('password') ?? '')),
    );
    const checkHost = hostCheck(place, request, (error) => {
      refused = error;
    });
    const config = configOf(place, request);
    try {
      client.connect({ ...config, ...checkHost, host });
    } catch (error) {
      throw connectionError(at, error as Error, place.user);
    }
    await Promise.race([ended.promise, ready]);
    const sftp = await asked<SFTPWrapper>((done) => client.sftp(done));
    return {
      list: (folder: string) => asked<readonly FileEntryWithStats[]>((done) => sftp.readdir(folder, done), folder),
      stat: (path: string) => asked<Stats>((done) => sftp.stat(path, done), path),
      open: (path: string) => asked<Buffer>((done) => sftp.open(path, 'r', done), path),
      statOpen: (handle: Buffer) => asked<Stats>((done) => sftp.fstat(handle, done)),
      /** Fewer bytes than were asked for at the end of the file only. */
      read: async (handle: Buffer, start: number, length: number) => {
        const bytes = Buffer.alloc(length);
        let read = 0;
        while (read < length) {
          const from = read;
          const more = await asked<number>((done) =>
            sftp.read(handle, bytes, from, length - from, start + from, (error, count) =>
              isEnd(error) ? done(null, 0) : done(error, count),
            ),
          );
          if (more === 0) break;
          read += more;
        }
        return bytes.subarray(0, read);
      },
      /** Changes something. @param path for the error */
      change: (path: string, what: (sftp: SFTPWrapper, done: (error?: Error | null) => void) => void) =>
        asked<undefined>((done) => what(sftp, (error) => done(error, undefined)), path, true),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Returns the credentials: a key file, the agent or a password, as far as they are given. */
function configOf({ host, port, user }: SftpPlace, { settings, secret, environment }: SourceRequest) {
  const password = secret('password');
  const passphrase = secret('passphrase');
  const agent = environment('SSH_AUTH_SOCK');
  const { keyFile } = settings;
  if (keyFile === undefined && password === undefined && agent === undefined) {
    throw badSource(
      `nothing says how to sign in at ${host}: there is no key file, no password and no agent`,
      words`give ${option('keyFile', '~/.ssh/id_ed25519')} or ${option('secret', 'password=env:NAME')}, or set SSH_AUTH_SOCK`,
    );
  }
  return {
    host,
    port,
    username: user,
    readyTimeout: CONNECT_MS,
    keepaliveInterval: QUIET_MS,
    keepaliveCountMax: 3,
    tryKeyboard: password !== undefined,
    // A key file that is named counts alone, as few tries are allowed.
    ...defined({ passphrase, password, privateKey: keyFile && keyIn(keyFile), agent: keyFile ? undefined : agent }),
  };
}

function keyIn(path: string) {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw badSource(`the key file cannot be read: ${messageOf(cause)}`, undefined, { cause });
  }
}

/** Lets only a host go on whose key is in known_hosts. @param refuse is told why it does not */
function hostCheck({ host, port }: SftpPlace, { settings }: SourceRequest, refuse: (error: Error) => void) {
  const path = settings.knownHosts ?? join(homedir(), '.ssh', 'known_hosts');
  const entry = hostEntry(host, port);
  const known = keysOf(keyFileText(path, settings.knownHosts !== undefined), entry);
  const hostVerifier = (key: Buffer) => {
    const same = known.filter((one) => one.key.equals(key));
    if (same.length > 0 && !same.some(({ isRevoked }) => isRevoked)) return true;
    refuse(strangeKey(entry, path, key, known[0]?.line));
    return false;
  };
  // The host shows one of its keys: one of a kind that is known.
  const types = known.flatMap(({ type }) => (type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type]));
  const algorithms = types.length === 0 ? {} : { serverHostKey: [...new Set([...types, ...HOST_KEYS])] };
  return { hostVerifier, algorithms: algorithms as NonNullable<ConnectConfig['algorithms']> };
}

const HOST_KEYS = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

function keyFileText(path: string, isNamed: boolean) {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (!isNamed) return '';
    throw badSource(`the file of known hosts cannot be read: ${messageOf(cause)}`, undefined, { cause });
  }
}

function strangeKey(entry: string, path: string, key: Buffer, line: number | undefined) {
  const shows = `${entry} shows a key of type ${typeOf(key)} with the fingerprint ${fingerprint(key)}`;
  if (line !== undefined) {
    return badSource(
      `${shows}, and line ${line} of ${path} has another one`,
      'another machine may answer in its place: ask the owner of the host before you change that line',
    );
  }
  return badSource(
    `${shows}, and ${path} has none of it`,
    words`compare the fingerprint with what the owner of the host says; if it is the same, add this line to that file, or to one of your own that ${option('knownHosts')} names: ${`${entry} ${typeOf(key)} ${key.toString('base64')}`}`,
  );
}

const ENDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no host has this name',
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ETIMEDOUT: 'it does not answer (ETIMEDOUT)',
};

function connectionError(at: string, cause: Error, user: string) {
  const { level, code = '' } = cause as { level?: string; code?: string };
  if (level === 'client-authentication') {
    return badSource(
      `${at} does not let ${shown(user)} in with what is given`,
      words`check the user's name in the address, ${option('keyFile')} and ${option('secret')}`,
      { cause },
    );
  }
  // A private key that cannot be used is found out before anyone is asked.
  const isKey = /private ?key|passphrase/i.test(cause.message);
  const remedy: Words = isKey
    ? words`check ${option('keyFile')}, and give the passphrase of an encrypted key: ${option('secret', 'passphrase=env:NAME')}`
    : 'check host and port, and whether this machine may reach it';
  const what = isKey ? 'the key file cannot be used' : `${at} cannot be reached`;
  return badSource(`${what}: ${ENDS[code] ?? cause.message}`, remedy, { cause });
}

const NO_SUCH_FILE = 2;
const NO_PERMISSION = 3;
const END_OF_FILE = 1;

const statusOf = (error: unknown) => (error as { code?: unknown } | undefined)?.code;
const isEnd = (error: unknown) => statusOf(error) === END_OF_FILE;

function fileError(at: string, path: string, cause: Error, isWriting: boolean) {
  const file = path === '' ? `a file at ${at}` : `${shown(path)} at ${at}`;
  const done = isWriting ? 'written' : 'read';
  const status = statusOf(cause);
  if (status === NO_PERMISSION) {
    return badSource(`${file} may not be ${done} by this user`, 'ask the owner of the host for the right', { cause });
  }
  if (status !== NO_SUCH_FILE) return badSource(`${file} cannot be ${done}: ${cause.message}`, undefined, { cause });
  return isWriting
    ? badSource(`${file} cannot be written: the folder above it is not there`, 'make it, or correct the path', {
        cause,
      })
    : badSource(`there is no ${file}`, 'check the path, and whether the export has run', { cause });
}

/** The keys of hosts, as OpenSSH keeps them in `known_hosts`. */

interface KnownKey {
  readonly type: string;
  readonly key: Buffer;
  /** Counted from 1. */
  readonly line: number;
  readonly isRevoked: boolean;
}

/** Returns the name of a host in the file: with its port if that is not the usual one. */
function hostEntry(host: string, port: number) {
  return port === 22 ? host : `[${host}]:${port}`;
}

/** The keys that the file has for a host. Keys of authorities are left out: certificates of hosts are not supported. */
function keysOf(text: string, entry: string): readonly KnownKey[] {
  return text.split('\n').flatMap((content, at) => {
    const words = content.trim().split(/\s+/);
    const marker = words[0]?.startsWith('@') ? words.shift() : undefined;
    const [hosts, type, key] = words;
    if (hosts === undefined || type === undefined || key === undefined || hosts.startsWith('#')) return [];
    if ((marker !== undefined && marker !== '@revoked') || !isAmong(hosts, entry)) return [];
    return [{ type, key: Buffer.from(key, 'base64'), line: at + 1, isRevoked: marker === '@revoked' }];
  });
}

function fingerprint(key: Buffer) {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The type of a key, which its bytes begin with. */
function typeOf(key: Buffer) {
  return key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1');
}

/** Names and patterns with commas between them, or one name that is hashed. */
function isAmong(hosts: string, entry: string) {
  if (hosts.startsWith('|1|')) {
    const [, , salt = '', hash] = hosts.split('|');
    return createHmac('sha1', Buffer.from(salt, 'base64')).update(entry).digest('base64') === hash;
  }
  const fits = (pattern: string) => starPattern(pattern)(entry);
  const names = hosts.split(',');
  const isExcluded = names.some((name) => name.startsWith('!') && fits(name.slice(1)));
  return !isExcluded && names.some((name) => !name.startsWith('!') && fits(name));
}
