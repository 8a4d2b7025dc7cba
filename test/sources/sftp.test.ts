import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requestOf } from '../../src/sources/named.ts';
import { sourceAt } from '../../src/sources/schemes.ts';
import type { SourceSettings } from '../../src/sources/source.ts';
import { type Kept, spool } from '../../src/sources/spool.ts';
import { rejection } from '../chat/chat-server.ts';
import { endsWithTests } from '../ends-with-tests.ts';
import { companionOf } from '../servers/needs.ts';
import { type Sshd, startSshd } from '../servers/sshd.ts';
import { tempDir } from '../temp-dir.ts';

/** Files on an SFTP server: OpenSSH's own. */

const MEMBERS = 'guid,uid\ng1,ann\n';
let sshd: Sshd;
let files: string;

beforeAll(async () => {
  sshd = await startSshd();
  files = join(sshd.dir, 'files');
});
afterAll(() => sshd.stop());
beforeEach(() => {
  rmSync(files, { recursive: true, force: true });
  mkdirSync(files);
  put('members.csv', MEMBERS);
});

function put(name: string, content: string | Buffer, at = 1_700_000_000): void {
  const path = join(files, name);
  writeFileSync(path, content);
  utimesSync(path, at, at);
}

interface How extends SourceSettings {
  readonly kept?: Kept;
  readonly path?: string;
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
}

const usual = () => ({ keyFile: sshd.keyFile, knownHosts: sshd.knownHosts });

async function read(name: string, { kept, path, signal, env = {}, ...settings }: How = usual()) {
  const address = name.includes('://') ? name : `${sshd.url}/${name}`;
  const context = { named: {}, environment: (variable: string) => env[variable], ca: undefined };
  const source = await sourceAt(requestOf(address, settings, context));
  const to = path ?? join(tempDir(), 'input');
  const found = await spool(source, {
    path: to,
    maxBytes: 100_000_000,
    signal: signal ?? new AbortController().signal,
    kept: kept ?? null,
  });
  return { ...found, text: readFileSync(found.path, 'utf8') };
}

const failing = async (name: string, how?: How) => String(await rejection(read(name, how)));

describe('a file', () => {
  test('is read with a key file', async () => {
    const { text, name, version } = await read('members.csv');
    expect([text, name]).toEqual([MEMBERS, `${sshd.url}/members.csv`]);
    expect(version).toContain(String(MEMBERS.length));
  });

  test('of many pieces comes whole and in order', async () => {
    const rows = Array.from({ length: 200_000 }, (_, at) => `group-${at % 7},user-${at}\n`).join('');
    put('large.csv', `guid,uid\n${rows}`);
    expect((await read('large.csv')).text === `guid,uid\n${rows}`).toBe(true);
  });

  test('is read again only when its time or size is another', async () => {
    const path = join(tempDir(), 'source');
    const first = await read('members.csv', { ...usual(), path });
    writeFileSync(join(files, 'members.csv'), 'guid,uid\ng1,bob\n');
    utimesSync(join(files, 'members.csv'), 1_700_000_000, 1_700_000_000);
    // Nobody can see that it has changed.
    expect((await read('members.csv', { ...usual(), path, kept: first })).text).toBe(MEMBERS);
    put('members.csv', 'guid,uid\ng1,bob\n', 1_700_000_001);
    expect((await read('members.csv', { ...usual(), path, kept: first })).text).toContain('bob');
  });

  test.each([
    ['missing.csv', 'there is no "/'],
    ['', 'is not a file'],
    ['*.xlsx', 'no file fits'],
  ])('%j is refused with what to check', async (name, says) => {
    expect(await failing(name)).toContain(says);
  });

  test('that this user may not read is refused', async () => {
    put('closed.csv', MEMBERS);
    chmodSync(join(files, 'closed.csv'), 0o000);
    expect(await failing('closed.csv')).toContain('this user');
  });

  test('that is written to while it is read is refused', async () => {
    put('growing.csv', `guid,uid\n${'g,ann\n'.repeat(500_000)}`);
    const stop = new AbortController();
    const context = { named: {}, environment: () => undefined, ca: undefined };
    const source = await sourceAt(requestOf(`${sshd.url}/growing.csv`, usual(), context));
    const opened = await source.open(stop.signal);
    put('growing.csv', `guid,uid\n${'g,ann\n'.repeat(500_000)}`, 1_700_000_009);
    const again = { ...source, open: async () => opened };
    const to = { path: join(tempDir(), 'input'), maxBytes: 100_000_000, signal: stop.signal };
    expect(String(await rejection(spool(again, to)))).toContain('was changed');
  });
});

describe('a pattern', () => {
  test('gives the file that was changed last, also in folders', async () => {
    mkdirSync(join(files, '2026-01'));
    mkdirSync(join(files, '2026-02'));
    put('2026-01/b.csv', 'new', 1_700_000_300);
    put('2026-02/a.csv', 'old', 1_700_000_200);
    put('2026-02/a.txt', 'other', 1_700_000_900);
    const { text, name } = await read('2026-*/*.csv');
    expect([text, name]).toEqual(['new', `${sshd.url}/2026-01/b.csv`]);
    expect((await read('{2026-02,2025}/?.csv')).text).toBe('old');
  });

  test('is no pattern where a file has this very name', async () => {
    put('members [1].csv', 'exact');
    expect((await read('members [1].csv')).text).toBe('exact');
  });
});

describe('the key of the host', () => {
  test('that is not known is refused with its fingerprint and the line that accepts it', async () => {
    const knownHosts = join(tempDir(), 'known_hosts');
    writeFileSync(knownHosts, '');
    const said = await failing('members.csv', { ...usual(), knownHosts });
    expect(said).toMatch(
      /shows a key of type ssh-ed25519 with the fingerprint SHA256:[\w+/]{43}, and .*known_hosts has none/,
    );
    const [line = ''] = /\[127\.0\.0\.1\]:\d+ ssh-ed25519 \S+$/.exec(said) ?? [];
    expect(sshd.hostLine).toContain(line);
    writeFileSync(knownHosts, `${line}\n`);
    expect((await read('members.csv', { ...usual(), knownHosts })).text).toBe(MEMBERS);
  });

  test('that is another than the known one is refused', async () => {
    const knownHosts = join(tempDir(), 'known_hosts');
    const other = readFileSync(join(sshd.dir, 'strange.pub'), 'utf8');
    writeFileSync(knownHosts, `\n[127.0.0.1]:${sshd.port} ${other}`);
    expect(await failing('members.csv', { ...usual(), knownHosts })).toMatch(/line 2 /);
  });

  test('that was revoked is refused', async () => {
    const knownHosts = join(tempDir(), 'known_hosts');
    writeFileSync(knownHosts, `@revoked ${sshd.hostLine}\n${sshd.hostLine}\n`);
    expect(await failing('members.csv', { ...usual(), knownHosts })).toContain('another one');
  });

  test('is found where names are hashed, as Debian keeps them', async () => {
    const knownHosts = join(tempDir(), 'known_hosts');
    writeFileSync(knownHosts, `${sshd.hostLine}\n`);
    const { execFileSync } = await import('node:child_process');
    execFileSync(companionOf('sshd', 'ssh-keygen'), ['-q', '-H', '-f', knownHosts], { stdio: 'ignore' });
    expect(readFileSync(knownHosts, 'utf8')).toMatch(/^\|1\|/);
    expect((await read('members.csv', { ...usual(), knownHosts })).text).toBe(MEMBERS);
  });
});

describe('who signs in', () => {
  test('gives the passphrase of a key as a secret', async () => {
    const locked = { ...usual(), keyFile: sshd.lockedKeyFile };
    const { text } = await read('members.csv', {
      ...locked,
      secrets: { passphrase: 'env:KEY_WORD' },
      env: { KEY_WORD: 'of-the-key' },
    });
    expect(text).toBe(MEMBERS);
    expect(await failing('members.csv', locked)).toContain('--secret passphrase=env:NAME');
    const wrong = await failing('members.csv', {
      ...locked,
      secrets: { passphrase: 'env:KEY_WORD' },
      env: { KEY_WORD: 's3cret' },
    });
    expect(wrong).toContain('key file');
    expect(wrong).not.toContain('s3cret');
  });

  test('may use the agent', async () => {
    const { execFileSync, spawn } = await import('node:child_process');
    const socket = join(tempDir(), 'agent');
    const agent = spawn(companionOf('sshd', 'ssh-agent'), ['-D', '-a', socket], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    endsWithTests(agent);
    await new Promise((resolve) => agent.stdout.once('data', resolve));
    execFileSync(companionOf('sshd', 'ssh-add'), ['-q', sshd.keyFile], {
      env: { ...process.env, SSH_AUTH_SOCK: socket },
    });
    const { text } = await read('members.csv', { knownHosts: sshd.knownHosts, env: { SSH_AUTH_SOCK: socket } });
    agent.kill();
    expect(text).toBe(MEMBERS);
  });

  test.each([
    ['a key that the host does not know', () => ({ ...usual(), keyFile: sshd.strangeKeyFile }), 'does not let "'],
    ['nothing at all', () => ({ knownHosts: sshd.knownHosts }), 'nothing says how to sign in'],
    ['a key file that is not there', () => ({ ...usual(), keyFile: '/nowhere/key' }), 'the key file cannot be read'],
    ['a key file that is none', () => ({ ...usual(), keyFile: sshd.knownHosts }), 'the key file cannot be used'],
    [
      'a password that is wrong',
      () => ({ knownHosts: sshd.knownHosts, secrets: { password: 'env:P' }, env: { P: 's3cret' } }),
      'does not let "',
    ],
  ])('with %s is refused', async (_what, how, says) => {
    const said = await failing('members.csv', how());
    expect(said).toContain(says);
    expect(said).not.toContain('s3cret');
  });
});

test.each([
  ['sftp://ann@127.0.0.1:1/m.csv', 'nothing listens there'],
  ['sftp://ann@no-such-host.invalid/m.csv', 'no host has this name'],
  ['sftp://ann@', 'is not a valid address'],
  ['sftp://ann:s3cret@127.0.0.1/m.csv', 'take no password'],
])('%j is refused', async (address, says) => {
  const said = await failing(address);
  expect(said).toContain(says);
  expect(said).not.toContain('s3cret');
});

test('a connection that breaks off in the middle, and one that says nothing, give nothing', async () => {
  // It lets everything through until it has seen this many bytes of the server.
  const { connect } = await import('node:net');
  const proxy = createServer((near) => {
    const far = connect(sshd.port, '127.0.0.1');
    let seen = 0;
    near.pipe(far);
    far.on('data', (piece: Buffer) => {
      seen += piece.length;
      if (seen > 100_000) near.destroy();
      else near.write(piece);
    });
    for (const socket of [near, far]) socket.on('error', () => {}).on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { port: number };
  const knownHosts = join(tempDir(), 'known_hosts');
  writeFileSync(knownHosts, sshd.hostLine.replace(String(sshd.port), String(port)));
  put('large.csv', 'guid,uid\n'.repeat(100_000));
  const address = `${sshd.url.replace(String(sshd.port), String(port))}/large.csv`;
  const path = join(tempDir(), 'input');
  expect(await failing(address, { ...usual(), knownHosts, path })).toMatch(
    /broke off|cannot be reached|cannot be read/,
  );
  expect(() => readFileSync(path)).toThrow('ENOENT');
  proxy.close();
});

test('a signal while it is read ends it', async () => {
  const stop = new AbortController();
  stop.abort(new Error('this process stops'));
  expect(await failing('members.csv', { ...usual(), signal: stop.signal })).toBe('Error: this process stops');
});

test('what is in a folder can be listed', async () => {
  mkdirSync(join(files, 'older'));
  symlinkSync(join(files, 'members.csv'), join(files, 'link.csv'));
  const context = { named: {}, environment: () => undefined, ca: undefined };
  const source = await sourceAt(requestOf(`${sshd.url}/`, usual(), context));
  const entries = (await source.list?.(new AbortController().signal)) ?? [];
  expect(entries.map(({ name, kind }) => [name, kind]).toSorted()).toEqual([
    ['link.csv', 'file'],
    ['members.csv', 'file'],
    ['older', 'folder'],
  ]);
});
