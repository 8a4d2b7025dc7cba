import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { filesBelow, openSandboxPlace } from './workplace.ts';

/** Data directories that earlier states of rollcall left, each with its commit for a name, and the files that were read. */
async function openOlder(commit: string) {
  const place = await openSandboxPlace({ users: 100, groups: 5 });
  const kept = fileURLToPath(new URL(`../older/${commit}.tar.gz`, import.meta.url));
  execFileSync('tar', ['-xzf', kept, '-C', place.root]);
  return place;
}

const [FINISHED, BLOCKED, MANY] = ['20261123-114107-ywd', '20261123-114109-em2', '20261123-114110-a6n'];
const [SYNCED, PLANNED] = ['sync-20261123-114113-c48', 'sync-20261123-114115-szu'];

/** What each command says of the directory, in this order. The sandbox is another than then, without those who were added. */
const COMMANDS: readonly (readonly [code: number, says: string, ...args: string[]])[] = [
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

test('a directory of 4d0c2e6, with imports finished and blocked, syncs, a schedule and an export, works with every command', async () => {
  const place = await openOlder('4d0c2e6');
  const said = [];
  for (const [, , ...args] of COMMANDS) {
    const { code, stdout, stderr } = await place.run(args);
    said.push([code, args.join(' '), stdout + stderr]);
  }
  expect(said).toEqual(COMMANDS.map(([code, says, ...args]) => [code, args.join(' '), expect.stringContaining(says)]));
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
