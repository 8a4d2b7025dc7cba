import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FETCHED, type Need } from './needs.ts';

const run = promisify(execFile);

/** A package of Debian and its relatives, and the programs in it that tests start. */
const PACKAGES: Readonly<Record<Need, { readonly name: string; readonly programs: string }>> = {
  redis: { name: 'redis-server', programs: 'usr/bin/redis-server' },
  postgres: { name: 'postgresql', programs: 'usr/lib/postgresql/*/bin/{postgres,initdb}' },
  mariadb: { name: 'mariadb-server-core', programs: 'usr/sbin/mariadbd' },
  sshd: { name: 'openssh-server', programs: 'usr/{sbin/sshd,lib/openssh/sftp-server,bin/ssh-{keygen,agent,add}}' },
  curl: { name: 'curl', programs: 'usr/bin/curl' },
  jq: { name: 'jq', programs: 'usr/bin/jq' },
  strace: { name: 'strace', programs: 'usr/bin/strace' },
  chromium: { name: 'chromium-headless-shell', programs: 'usr/lib/chromium/chromium-headless-shell' },
};

/**
 * Unpacks a program from packages of this machine's distribution, with the libraries that the machine lacks. Nothing is
 * installed, so this needs no root.
 * @returns what it fetched, for people
 * @throws Error with what apt or dpkg said
 */
export async function fetchProgram(need: Need): Promise<string> {
  const { name, programs } = PACKAGES[need];
  await mkdir(FETCHED, { recursive: true });
  const home = join(FETCHED, need);
  const work = await mkdtemp(`${home}-`);
  // Postgres runs as another user than root.
  await chmod(work, 0o755);
  try {
    const archives = await download(name, join(work, 'apt'));
    for (const archive of archives) await run('dpkg-deb', ['--extract', archive, join(work, 'root')]);
    await rm(join(work, 'apt'), { recursive: true });
    await mkdir(join(work, 'bin'));
    for (const path of globSync(programs, { cwd: join(work, 'root') })) await writeStarter(path, work, home);
    // Whole at once: another run may have fetched it meanwhile, and uses it.
    await rename(work, home).catch((error) => {
      if (!existsSync(home)) throw error;
    });
    return `${name} with ${archives.length - 1} packages that it needs, into ${home}`;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Gets the archives of a package and of what it needs, without what the machine has. */
async function download(name: string, folder: string): Promise<string[]> {
  await Promise.all(['lists/partial', 'archives/partial'].map((one) => mkdir(join(folder, one), { recursive: true })));
  const settings = {
    'Dir::State': folder,
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': folder,
    // Prevents apt from downloading as a user who may not write here.
    'APT::Sandbox::User': '',
    'APT::Install-Recommends': 'false',
    // Only who installs needs the lock.
    'Debug::NoLocking': 'true',
  };
  const options = ['-qq', '-y', ...Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`])];
  await run('apt-get', [...options, 'update']);
  await run('apt-get', [...options, 'install', '--download-only', name]);
  return globSync(join(folder, 'archives/*.deb'));
}

/** Writes a script that starts an unpacked program with the libraries and fonts that were unpacked with it. */
async function writeStarter(path: string, work: string, home: string): Promise<void> {
  const folders = new Set(globSync('**/*.so*', { cwd: join(work, 'root') }).map(dirname));
  const root = join(home, 'root');
  const fonts = join(home, 'fonts.conf');
  const libraries = [...folders].map((folder) => join(root, folder)).join(':');
  // The machine's own programs and fonts are not fetched. Chromium ends when it finds no font.
  const fontFolders = [join(root, 'usr/share/fonts'), '/usr/share/fonts'].map((folder) => `<dir>${folder}</dir>`);
  await writeFile(
    join(work, basename(fonts)),
    `<fontconfig>${fontFolders.join('')}<cachedir>${join(home, 'fonts')}</cachedir></fontconfig>\n`,
  );
  const script = `#!/bin/sh
LD_LIBRARY_PATH='${libraries}' FONTCONFIG_FILE='${fonts}' exec '${join(root, path)}' "$@"
`;
  await writeFile(join(work, 'bin', basename(path)), script, { mode: 0o755 });
}
