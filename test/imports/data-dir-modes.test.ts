import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { askOwner, type OwnerRequest, serveOwner } from '../../src/app/owner-socket.ts';
import { IMPORT_SCHEMA } from '../../src/imports/schemas.ts';
import { announceAddress, dataDir, makeDataDir, ownDataDir } from '../../src/platform/data-dir.ts';
import { openLog } from '../../src/platform/log.ts';
import { openForStaging, openForWriting } from '../../src/platform/sqlite.ts';

/** Under a umask that hides nothing, in a directory that others may enter: what lies in it is for its owner alone. */

const mask = process.umask(0o000);
process.umask(mask);
const roots: string[] = [];
afterEach(() => {
  process.umask(mask);
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function openRoot(name = 'data'): string {
  const home = mkdtempSync(join(tmpdir(), 'rollcall-modes-'));
  roots.push(home);
  const root = join(home, name);
  mkdirSync(root, { recursive: true });
  chmodSync(root, 0o755);
  return root;
}

/** Entries that others than their owner may read or write, as `mode name`. */
function openTo(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, mode: lstatSync(join(root, name)).mode & 0o777 }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ name, mode }) => `${mode.toString(8)} ${name}`);
}

test('databases, their logs, the lock, the address and the log are private whatever the umask', () => {
  process.umask(0o000);
  const dir = dataDir(openRoot());
  using _owned = ownDataDir(dir);
  const database = openForWriting(dir.catalog, IMPORT_SCHEMA);
  database.exec('create table t (x); insert into t values (1)');
  const staged = openForStaging(join(dir.root, 'ledger.sqlite'), IMPORT_SCHEMA);
  openLog(dir.root).info('x');
  announceAddress(dir, 'http://127.0.0.1:1');
  expect(readdirSync(dir.root)).toContain('catalog.sqlite-wal');
  expect(openTo(dir.root)).toEqual([]);
  staged.close();
  database.close();
});

test('what others may read in a data directory is closed when it is used again', () => {
  process.umask(0o000);
  const dir = dataDir(openRoot());
  for (const folder of ['imports', 'syncs', 'schedules']) mkdirSync(join(dir.root, folder));
  for (const file of ['catalog.sqlite', 'access.sqlite', 'rollcall.log', 'owner.lock']) {
    writeFileSync(join(dir.root, file), '');
  }
  writeFileSync(join(dir.root, 'members.csv'), 'not ours');
  makeDataDir(dir);
  expect(openTo(dir.root)).toEqual(['666 members.csv']);
});

test('a directory that others may enter or write into is warned of, and is not changed', () => {
  const root = openRoot();
  expect(makeDataDir(dataDir(root)).warning).toContain('0755');
  expect(statSync(root).mode & 0o777).toBe(0o755);
  chmodSync(root, 0o777);
  expect(makeDataDir(dataDir(root)).warning).toMatch(/0777/);
  chmodSync(root, 0o700);
  expect(makeDataDir(dataDir(root)).warning).toBeUndefined();
  const made = dataDir(join(root, 'made'));
  expect(makeDataDir(made).warning).toBeUndefined();
  expect(statSync(made.root).mode & 0o777).toBe(0o700);
});

const greeting = { method: 'GET', path: '/hello', answer: z.string() } as const;
const greet = async ({ path, who }: OwnerRequest) => `${path}, ${who}`;

test('a data directory with a long path has its socket in a private folder that only the directory names', async () => {
  const dir = dataDir(openRoot('long'.repeat(30)));
  const control = await serveOwner(dir, greet);
  try {
    expect(await askOwner(dir, greeting, {}, 'ann')).toBe('/hello, ann');
    const made = dirname(readFileSync(dir.control, 'utf8'));
    expect(statSync(made).mode & 0o777).toBe(0o700);
    expect(openTo(dir.root)).toEqual([]);
    await control.close();
    expect(existsSync(made)).toBe(false);
    await expect(askOwner(dir, greeting, {}, 'ann')).rejects.toMatchObject({ code: 'NO_OWNER' });
  } finally {
    await control.close();
  }
});

test('a command does not talk to a socket in a folder that others may enter', async () => {
  const dir = dataDir(openRoot('long'.repeat(30)));
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-control-'));
  roots.push(folder);
  chmodSync(folder, 0o755);
  const heard: string[] = [];
  const stranger = createServer((request, reply) => {
    heard.push(request.url ?? '');
    reply.end('{}');
  });
  await new Promise<void>((resolve) => stranger.listen(join(folder, 'control.sock'), resolve));
  try {
    writeFileSync(join(dir.root, 'control'), join(folder, 'control.sock'));
    await expect(askOwner(dir, greeting, { secret: 'x' }, 'ann')).rejects.toThrow(/is not private/);
    expect(heard).toEqual([]);
  } finally {
    stranger.close();
  }
});

/** In a process of its own, which root makes that of another user: root may look into every directory. */
const LOOK = `
const { dataDir, emptyPlace } = await import(process.argv[1]);
if (process.getuid() === 0) process.setuid(65534);
try {
  console.log(emptyPlace(dataDir(process.argv[2])));
} catch ({ code }) {
  console.log(code);
}`;

test.each(['000', '444'])(
  'a directory that may not be opened is refused, and not taken for one without imports: mode %s',
  (mode) => {
    const root = openRoot();
    chmodSync(dirname(root), 0o755);
    chmodSync(root, mode);
    const module = new URL('../../src/platform/data-dir.ts', import.meta.url).href;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', LOOK, module, root], {
      encoding: 'utf8',
    });
    expect(said).toBe('DATA_DIR_UNUSABLE\n');
  },
);
