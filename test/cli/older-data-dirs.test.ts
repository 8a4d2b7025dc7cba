import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { filesBelow, openSandboxPlace, type SandboxPlace, until } from './workplace.ts';

/** Data directories that earlier states of rollcall left, each with its commit for a name, and the files that were read. */
async function openOlder(commit: string, seed: SandboxOptions['seed'] = {}) {
  const place = await openSandboxPlace({ users: 100, groups: 5, seed });
  const kept = fileURLToPath(new URL(`../older/${commit}.tar.gz`, import.meta.url));
  execFileSync('tar', ['-xzf', kept, '-C', place.root]);
  return place;
}

const [FINISHED, BLOCKED, MANY] = ['20261123-114107-ywd', '20261123-114109-em2', '20261123-114110-a6n'];
const [SYNCED, PLANNED] = ['sync-20261123-114113-c48', 'sync-20261123-114115-szu'];

/** A command with its output and exit code. */
type Saying = readonly [code: number, says: string, ...args: string[]];

/**
 * The output of each command on the directory, in this order. The sandbox is another than then, without those who were
 * added.
 */
const COMMANDS: readonly Saying[] = [
  [EXIT.ok, BLOCKED, 'list'],
  [EXIT.ok, 'blocked', 'status', BLOCKED],
  [EXIT.ok, 'user-3', 'report', FINISHED, '--format', 'csv'],
  [EXIT.ok, 'user-60', 'report', MANY, '--format', 'csv'],
  [EXIT.ok, 'user-5', 'report', SYNCED, '--format', 'csv'],
  [EXIT.ok, PLANNED, 'sync', 'list'],
  [EXIT.ok, PLANNED, 'sync', 'show', PLANNED],
  [EXIT.ok, 'nightly', 'schedule', 'list'],
  [EXIT.ok, 'viewer', 'token', 'list'],
  [EXIT.rowsFailed, 'The only row did not succeed', 'retry', FINISHED],
  [EXIT.ok, '2 rows', 'resume', BLOCKED, '--max-create', 'users=2'],
  [EXIT.ok, 'there is nothing to do', 'undo', MANY],
  [EXIT.stopped, 'plan again', 'sync', 'apply', PLANNED],
  [EXIT.rowsFailed, '3 of 5 rows succeeded', 'import', 'members.csv'],
  [EXIT.ok, '', 'doctor'],
];

const [CREATED, LIMITED, READ] = ['20261124-160050-7hr', '20261124-160051-2qy', '20261124-160052-mez'];
const [RAN, WAITING, KILLED] = ['sync-20261124-160053-qrn', 'sync-20261124-160054-wah', '20261124-160057-uqp'];
/** The users and groups that CREATED created, in the sandbox of that time. */
const CREATIONS = { us: { members: { 'new-group': { participants: ['new-1', 'new-2'] } } } };

const OTHERS: readonly Saying[] = [
  [EXIT.ok, KILLED, 'list'],
  [EXIT.ok, '25 of 60 rows succeeded; 35 pending', 'status', KILLED],
  [EXIT.interrupted, 'Continue with', 'watch', KILLED],
  [EXIT.ok, '3  will be added', 'check', READ],
  [EXIT.ok, 'old', 'tag', READ, 'old'],
  [EXIT.ok, READ, 'list', '--tag', 'old'],
  [EXIT.ok, '2 members', 'export', '--output', 'now.csv'],
  [EXIT.ok, 'is rejected', 'sync', 'reject', WAITING, '--reason', 'it is old'],
  [EXIT.ok, RAN, 'schedule', 'history', 'nightly'],
  [EXIT.ok, 'Cancelled', 'cancel', LIMITED],
  [EXIT.ok, 'All 60 rows succeeded', 'resume', KILLED],
  [EXIT.ok, 'user-100', 'report', KILLED, '--format', 'csv'],
  [EXIT.ok, 'All 3 rows succeeded', 'resume', READ],
  // They are others than those that it created: the service says when these were.
  [EXIT.ok, 'user new-1 (us), kept: the service says that it was created at', 'undo', CREATED, '--created', '--apply'],
];

async function expectSayings(place: SandboxPlace, commands: readonly Saying[]): Promise<void> {
  const said = [];
  for (const [, , ...args] of commands) {
    const { code, stdout, stderr } = await place.run(args);
    said.push([code, args.join(' '), stdout + stderr]);
  }
  expect(said).toEqual(commands.map(([code, says, ...args]) => [code, args.join(' '), expect.stringContaining(says)]));
}

test('a directory of 4d0c2e6, with imports finished and blocked, syncs, a schedule and an export, works with every command', async () => {
  await expectSayings(await openOlder('4d0c2e6'), COMMANDS);
});

test('a directory of b335a4e, with an import that was killed while it sent, one that is only read, and created users, does as well', async () => {
  await expectSayings(await openOlder('b335a4e', { regions: CREATIONS }), OTHERS);
});

test('a server takes over the directory of b335a4e, and an import that was killed goes on by itself', async () => {
  const place = await openOlder('b335a4e');
  const server = place.begin(['serve', '--port', '0']);
  await server.says('http://');
  const [address = ''] = /http:\/\/[\w.:]+/.exec(server.stdout() + server.stderr()) ?? [];
  const stateOf = async () => {
    const answer = await fetch(`${address}/v1/imports/${KILLED}`);
    return ((await answer.json()) as { state: string }).state;
  };
  await until(async () => (await stateOf()) === 'completed');
  server.interrupt();
  expect((await server.ended).code).toBe(EXIT.ok);
  expect((await place.run(['status', KILLED])).stdout).toContain('All 60 rows succeeded');
});

test('a directory that cannot be converted is refused by each command, with what to do, and stays as it is', async () => {
  const place = await openOlder('d2e5d2c');
  place.file('new.csv', 'uid,guid,region\nuser-1,group-1,us\n');
  const databases = () => filesBelow(place.dataDir).filter(({ path }) => path.endsWith('.sqlite'));
  const before = databases();
  const commands = [
    ...['list', 'status', 'report', 'resume', 'retry', 'undo last', 'import new.csv', 'serve --port 0'],
    ...['doctor', 'doctor --rebuild-catalog', 'sync list', 'schedule list', 'watch', 'check last'],
  ];
  for (const command of commands) {
    const { code, stderr, stdout } = await place.run(command.split(' '));
    expect([command, code, stdout + stderr]).toEqual([
      command,
      EXIT.usage,
      expect.stringContaining('catalog.sqlite has schema 1 without imports.remedy'),
    ]);
    expect(stdout + stderr).toMatch(/before version 0\.1\.0 was released.* use another --data-dir/s);
  }
  expect(databases()).toEqual(before);
});
