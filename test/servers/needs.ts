import { existsSync, globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Programs that tests start and npm does not bring. */
export type Need = 'redis' | 'postgres' | 'mariadb' | 'chromium' | 'sshd' | 'curl' | 'jq' | 'strace';

/**
 * The folder of the programs that fetch.ts adds to the machine's: kept for other runs and other clones. Postgres does
 * not run as root, and root's home is closed to every other user.
 */
export const FETCHED = join(
  process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache'),
  'rollcall-tests',
  // Its programs run with the libraries of one version of the system.
  globSync('/etc/os-release').map(versionOfSystem).join(),
);

/** The places where they may be; the first one starts or draws with the least work. */
const PLACES: Readonly<Record<Need, () => string[]>> = {
  redis: () => onPath('redis-server', 'valkey-server'),
  // Debian keeps each version in a folder of its own.
  postgres: () => [...onPath('postgres'), ...globSync('/usr/lib/postgresql/*/bin/postgres').toSorted().toReversed()],
  mariadb: () => onPath('mariadbd', 'mysqld'),
  sshd: () => [...onPath('sshd'), '/usr/sbin/sshd'].filter((path) => existsSync(path)),
  curl: () => onPath('curl'),
  jq: () => onPath('jq'),
  strace: () => onPath('strace'),
  chromium: () => onPath('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'),
};

/**
 * The path of a program: the one that was fetched, else one of this machine. What is installed later, in whatever version, changes
 * no result of a machine that has fetched it.
 */
export function programOf(need: Need, fetched = FETCHED): string | undefined {
  const named = need === 'chromium' ? process.env['CHROMIUM_PATH'] : undefined;
  return [
    ...(named === undefined ? [] : [named]),
    ...globSync(
      join(fetched, need, 'bin/{redis-server,postgres,mariadbd,chromium-headless-shell,sshd,curl,jq,strace}'),
    ),
    ...PLACES[need](),
  ][0];
}

/** @throws Error when it is not here */
export function findProgram(need: Need): string {
  const found = programOf(need);
  if (found === undefined) throw new Error(`${need} is not on this machine: \`npm test\` fetches it where it can`);
  return found;
}

/** The path of a program that comes with one of these: fetched with it, or else its name, for the PATH. */
export function companionOf(need: Need, name: string): string {
  const fetched = join(FETCHED, need, 'bin', name);
  return existsSync(fetched) ? fetched : name;
}

function onPath(...names: string[]): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).filter((path) => existsSync(path));
}

function versionOfSystem(path: string): string {
  const text = readFileSync(path, 'utf8');
  return ['ID', 'VERSION_ID'].map((key) => new RegExp(`^${key}="?([^"\n]*)`, 'm').exec(text)?.[1] ?? '').join('-');
}
