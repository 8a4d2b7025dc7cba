import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { companionOf, findProgram } from './needs.ts';
import { userToRunAs } from './postgres.ts';
import { freePort, startServerProgram } from './program.ts';
import type { TestServer } from './server.ts';

const run = promisify(execFile);

export interface Sshd extends TestServer {
  readonly port: number;
  /** The folder with its files and those that people read. */
  readonly dir: string;
  /** The key of the user who runs the tests; it lets this one in. */
  readonly keyFile: string;
  /** A key with the passphrase `of-the-key`, which it lets in too. */
  readonly lockedKeyFile: string;
  /** A key that it does not know. */
  readonly strangeKeyFile: string;
  readonly knownHosts: string;
  /** The line of its host in `knownHosts`. */
  readonly hostLine: string;
}

/** Starts OpenSSH's sshd for SFTP, as this user, or as nobody in place of root: else it wants folders and users of the system. */
export async function startSshd(): Promise<Sshd> {
  const path = findProgram('sshd');
  const dir = await mkdtemp(join(tmpdir(), 'rollcall-sshd-'));
  const at = (name: string) => join(dir, name);
  const key = (name: string, passphrase = '') =>
    run(companionOf('sshd', 'ssh-keygen'), ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'test', '-f', at(name)]);
  await Promise.all([key('host'), key('key'), key('locked', 'of-the-key'), key('strange')]);
  await mkdir(at('files'));
  const keys = await Promise.all(['key.pub', 'locked.pub'].map((name) => readFile(at(name), 'utf8')));
  await writeFile(at('authorized_keys'), keys.join(''));
  const user = await userToRunAs();
  for (const path of [dir, at('files'), at('host')]) if (user !== undefined) await chown(path, user.uid, user.gid);
  await chmod(dir, 0o755);
  const port = await freePort();
  const hostLine = `[127.0.0.1]:${port} ${(await readFile(at('host.pub'), 'utf8')).trim()}`;
  await writeFile(at('known_hosts'), `# other hosts\nother.example ssh-ed25519 AAAA\n${hostLine}\n`);
  const settings = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: at('host'),
    AuthorizedKeysFile: at('authorized_keys'),
    PidFile: 'none',
    // Without it, an account without a password counts as locked.
    UsePAM: 'yes',
    StrictModes: 'no',
    Subsystem: 'sftp internal-sftp',
  };
  await writeFile(
    at('config'),
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  );
  const server = await startServerProgram({
    path,
    user,
    args: ['-D', '-e', '-f', at('config')],
    ready: 'Server listening on',
    url: `sftp://${user === undefined ? userInfo().username : 'nobody'}@127.0.0.1:${port}${at('files')}`,
    dir,
    flush: async () => {},
  });
  return {
    ...server,
    port,
    dir,
    hostLine,
    keyFile: at('key'),
    lockedKeyFile: at('locked'),
    strangeKeyFile: at('strange'),
    knownHosts: at('known_hosts'),
  };
}
