import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Ended, runHere } from '../cli/run-here.ts';
import { endsWithTests } from '../ends-with-tests.ts';
import { loopback, openSandbox } from './open-sandbox.ts';

/** Runs the command alone, as src/cli/main.ts does: errors to stderr, exit code 2 for them. */
const DRIVER = `
  import { Command } from 'commander';
  import { sandboxCommand } from './src/cli/commands/sandbox-command.ts';
  const action = (does) => (...given) => does({ out: process.stdout, err: process.stderr }, ...given);
  const program = new Command('rollcall').exitOverride().addCommand(sandboxCommand(action).exitOverride());
  await program.parseAsync().catch((error) => {
    if (!error.code?.startsWith('commander.')) process.stderr.write('error: ' + error.message + '\\n');
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  });
`;

interface Run {
  readonly child: ChildProcess;
  /** Ends with the process. */
  readonly done: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Resolves with the whole of stdout once it holds the text. */
  until(expected: string): Promise<string>;
}

/** For a command that is refused: it is over at once. */
async function sandboxHere(...flags: string[]): Promise<Ended> {
  const ended = runHere(['sandbox', ...flags], { cwd: tmpdir(), env: {} });
  if (ended === undefined) throw new Error('another command runs in this process');
  return ended;
}

function sandboxProcess(...flags: string[]): Run {
  const args = ['--input-type=module', '-e', DRIVER, '--', 'sandbox', ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  endsWithTests(child);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const done = Promise.all([once(child, 'close'), text(child.stderr)]).then(([[code], stderr]) => ({
    code,
    stdout,
    stderr,
  }));
  return {
    child,
    done,
    async until(expected) {
      while (!stdout.includes(expected)) {
        const ended = await Promise.race([once(child.stdout, 'data').then(() => undefined), done]);
        if (ended !== undefined) throw new Error(`ended with ${ended.code}: ${ended.stderr}`);
      }
      return stdout;
    },
  };
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Status of GET on an address of the app in region us, with nothing but what env says. */
async function statusWith(env: Record<string, string>, path: string): Promise<number | undefined> {
  const [, port] = (env['ROLLCALL_HOST'] ?? '').split(':');
  const ca = await readFile(env['ROLLCALL_CA_FILE'] ?? '');
  const host = `${env['ROLLCALL_US_APP_ID']}.api-us.localhost`;
  return new Promise((resolve, reject) => {
    const headers = { apikey: env['ROLLCALL_US_API_KEY'] };
    get({ host, port, path, headers, ca, lookup: loopback, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

describe('rollcall sandbox', () => {
  test('--json prints one line that leads to it; Ctrl-C ends it with 0 and leaves nothing', async () => {
    const run = sandboxProcess('--json', '--users', '2', '--groups', '1');
    const { url, caFile, apps, env } = JSON.parse(await run.until('\n'));
    expect(url).toBe(`https://${env.ROLLCALL_HOST}`);
    expect([env.ROLLCALL_EU_APP_ID, env.ROLLCALL_EU_API_KEY]).toEqual([apps.eu.appId, apps.eu.apiKey]);
    expect((await stat(caFile)).mode & 0o777).toBe(0o644);
    expect(await statusWith(env, '/v3/groups/group-1')).toBe(200);
    expect(await statusWith(env, '/v3/groups/group-2')).toBe(404);

    run.child.kill('SIGINT');
    const { code, stdout, stderr } = await run.done;
    expect([code, stdout.split('\n').length, stderr]).toEqual([0, 2, '']);
    await expect(access(caFile)).rejects.toThrow('ENOENT');
  });

  test('for people it says what is there and how to stop; stdout holds the exports alone; SIGTERM ends it as Ctrl-C does', async () => {
    const run = sandboxProcess('--faults', 'eu:too-many=2%', '--random-seed', '7', '--calls-per-minute', '500');
    const lines = (await run.until('ROLLCALL_CA_FILE=')).trimEnd().split('\n');
    expect(lines.filter((line) => !/^export ROLLCALL_[A-Z_]+=\S+$/.test(line))).toEqual([]);
    const env = Object.fromEntries(lines.map((line) => line.replace('export ', '').split('=') as [string, string]));
    expect(await statusWith(env, '/v3/groups/group-20')).toBe(200);
    run.child.kill('SIGTERM');
    const { code, stderr } = await run.done;
    expect(code).toBe(0);
    await expect(access(env['ROLLCALL_CA_FILE'] ?? '')).rejects.toThrow('ENOENT');
    for (const part of [
      `https://sandbox-us.api-us.${env['ROLLCALL_HOST']}/v3`,
      'user-1 to user-1000, group-1 to group-20',
      '500 calls a minute',
      'Faults: eu:too-many=2%; repeat them with --random-seed 7',
      'Stop it with Ctrl-C',
    ]) {
      expect(stderr).toContain(part);
    }
  });

  test('--seed, --ca-file: members of a file, and a certificate that stays where it was asked for', async () => {
    const folder = await temporaryFolder();
    const [seed, caFile] = [join(folder, 'seed.json'), join(folder, 'my ca.pem')];
    await writeFile(seed, JSON.stringify({ regions: { us: { members: { team: { admins: ['ann'] } } } } }));
    const run = sandboxProcess('--json', '--seed', seed, '--ca-file', caFile);
    const { env } = JSON.parse(await run.until('\n'));
    expect(env.ROLLCALL_CA_FILE).toBe(caFile);
    expect(await statusWith(env, '/v3/groups/team')).toBe(200);
    expect(await statusWith(env, '/v3/groups/group-1')).toBe(404);
    run.child.kill('SIGINT');
    expect((await run.done).code).toBe(0);
    await access(caFile);
  });

  test.each([
    [['--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
    [['--port', '70000'], 'Expected a whole number from 0 to 65535.'],
    [['--users', 'many'], 'Expected a whole number from 0 to 10000000.'],
    [['--users', '5', '--open'], "'--open' cannot be used with option '--users <n>'"],
    [['--calls-per-minute', '0'], 'Expected a whole number from 1 to'],
    [['--latency', '80-20'], 'Expected milliseconds as MS or MIN-MAX'],
    [['--faults', 'broken=1'], 'unknown kind "broken", known are reset-before'],
    [['--seed', '/nowhere/seed.json'], 'the seed file /nowhere/seed.json cannot be read'],
    [['--ca-file', '/nowhere/ca.pem'], 'cannot be written to /nowhere/ca.pem'],
  ])('%j is refused before anything listens, with what is allowed', async (flags, message) => {
    const { code, stdout, stderr } = await sandboxHere(...flags);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('a port in use is named', async () => {
    const { sandbox } = await openSandbox();
    const { code, stderr } = await sandboxHere('--port', String(sandbox.port));
    expect(code).toBe(2);
    expect(stderr).toContain(`port ${sandbox.port}`);
  });
});
