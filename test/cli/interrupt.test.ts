import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { SAME_SIGNAL_MS } from '../../src/platform/lifecycle.ts';
import { childrenOf } from '../servers/program.ts';
import {
  type Ended,
  type Followed,
  manyMembers,
  openSandboxPlace,
  openWorkplace,
  readingHalf,
  type SandboxPlace,
  unfinishedLedgers,
  until,
} from './workplace.ts';

const ROWS = 300;
const GROUPS = 12;
/** No call is answered before the sandbox is set to hurry. */
const NEVER_MS = 600_000;
/** An import of twelve calls, one after the other; without those that ask who is banned, because calls are counted. */
const IMPORT = ['import', 'm.csv', '--concurrency', '1', '--no-ban-check'];

/** An import whose calls take so long until the sandbox is set to hurry, and that has had so many answers. */
async function runningImport<Import extends Followed>(
  slowMs: number,
  begin: (place: SandboxPlace) => Import,
  answers = 1,
): Promise<{ place: SandboxPlace; run: Import }> {
  const place = await openSandboxPlace({ users: 'any', groups: 'any', faults: `slow=${slowMs}ms` });
  place.file('m.csv', manyMembers(ROWS, GROUPS));
  const run = begin(place);
  await Promise.race([until(() => place.calls() > answers), run.ended.then(endedTooSoon)]);
  return { place, run };
}

const inProcessOfItsOwn = (place: SandboxPlace) => place.start(IMPORT);
const inThisProcess = (place: SandboxPlace) => place.begin(IMPORT);

function endedTooSoon({ code, stderr }: Ended): never {
  throw new Error(`the import ended with ${code} before it could be interrupted: ${stderr}`);
}

/** The command that an ending has printed, without the name of the program. */
function commandIn(stderr: string, verb: string): string[] {
  const [, command = ''] = new RegExp(`^ {2}rollcall (${verb} .*)$`, 'm').exec(stderr) ?? [];
  return command.split(' ');
}

async function expectAllOnce(place: SandboxPlace): Promise<void> {
  const { stdout } = await place.run(['report', '--format', 'ndjson']);
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.map((row) => row._row)).toEqual(Array.from({ length: ROWS }, (_, at) => at + 2));
  expect(rows.filter((row) => !['added', 'already_member'].includes(row._status))).toEqual([]);
  for (let group = 0; group < GROUPS; group += 1) {
    expect(place.sandbox.members('us', `g${group}`).size).toBe(ROWS / GROUPS);
  }
}

describe('an import in the middle of sending', () => {
  // Signals that come to a process of its own: below.
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'ends after %s with exit code 5 and the command that goes on, which completes it with every row once',
    async (signal) => {
      const { place, run } = await runningImport(400, inThisProcess);
      run.interrupt(signal);
      const { code, stderr } = await run.ended;
      expect(code).toBe(EXIT.interrupted);
      expect(stderr).toContain('Ctrl-C');
      const answered = place.sandbox.calls.us.byStatus[200] ?? 0;
      expect(answered).toBeLessThan(GROUPS);
      const [, id = ''] = commandIn(stderr, 'resume');
      expect(await place.run(['undo', id])).toMatchObject({
        code: EXIT.usage,
        stderr: expect.stringContaining('[CANNOT_UNDO]'),
      });

      place.sandbox.faults.clear();
      const { code: resumed, summary } = await place.summary(commandIn(stderr, 'resume'));
      expect(resumed).toBe(EXIT.ok);
      // Calls that had answered are not made again.
      expect(summary.rows).toMatchObject({ read: ROWS, added: ROWS });
      expect(place.calls()).toBe(GROUPS);
      await expectAllOnce(place);
    },
  );

  test('leaves at once when the signal comes twice, and can be resumed all the same', async () => {
    const { place, run } = await runningImport(NEVER_MS, inProcessOfItsOwn, 0);
    run.child.kill('SIGINT');
    await run.says('Ctrl-C again to stop at once');
    await delay(SAME_SIGNAL_MS + 1);
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(EXIT.interrupted);
    expect(stderr).toContain('at once.');
    // The call has not been waited for.
    expect(place.sandbox.calls.us.byStatus[200]).toBeUndefined();
    place.sandbox.faults.clear();
    expect((await place.run(commandIn(stderr, 'resume'))).code).toBe(EXIT.ok);
    await expectAllOnce(place);
  });

  test('under an older Node too: the launcher ends with its child, and leaves none behind', async ({ skip }) => {
    const older = olderNode();
    // If every Node is new enough, the launcher has no child.
    if (older === undefined) skip('there is no Node older than 24 at /usr/bin/node');
    const olderNodeOptions = older === undefined ? {} : { node: older };
    const { place, run } = await runningImport(400, (there) => there.start(IMPORT, olderNodeOptions));
    const children = childrenOf(run.child.pid ?? 0);
    expect(children.length).toBe(1);
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(EXIT.interrupted);
    expect(children.filter(isAlive)).toEqual([]);
    place.sandbox.faults.clear();
    expect((await place.run(commandIn(stderr, 'resume'))).code).toBe(EXIT.ok);
    await expectAllOnce(place);
  });
});

test('a signal while the file is being read: nothing is sent, and resume reads it again from the start', async () => {
  const place = await openSandboxPlace();
  const { run, end } = await readingHalf(place, 'm.csv', ['import', 'm.csv', '--dry-run']);
  run.interrupt();
  await until(() => unfinishedLedgers(place.dataDir).length === 0);
  await end(manyMembers(ROWS));
  const { code, stderr } = await run.ended;
  expect(code).toBe(EXIT.interrupted);

  const { code: resumed, summary } = await place.summary(commandIn(stderr, 'resume'));
  expect([resumed, summary.state, summary.rows.read]).toEqual([EXIT.ok, 'staged', ROWS]);
  expect(place.calls()).toBe(0);
});

test('a signal while standard input is still open: half an input does not pass for a whole one', async () => {
  const place = await openSandboxPlace();
  const run = place.start(['import', '-'], { input: 'open' });
  run.child.stdin?.write('guid,uid\ng,ann\n');
  await until(() => existsSync(join(place.dataDir, 'imports')));
  run.child.kill('SIGINT');
  const { code, stderr } = await run.ended;
  expect(code).toBe(EXIT.interrupted);
  expect(stderr).toContain('before anything');
  expect(readdirSync(join(place.dataDir, 'imports'))).toEqual([]);
  expect((await place.run(['list', '--json'])).stdout).toBe('[]\n');
});

test('a signal to watch ends the look, not the import', async () => {
  const { place, run } = await runningImport(NEVER_MS, inThisProcess, 0);
  const watching = place.start(['watch']);
  await watching.says('Watching import');
  watching.child.kill('SIGINT');
  const { code, stderr } = await watching.ended;
  expect([code, stderr]).toEqual([EXIT.stillRunning, expect.stringContaining('continues; ')]);
  place.sandbox.faults.clear();
  expect((await run.ended).code).toBe(EXIT.ok);
});

test('a signal to sandbox ends it with 0', async () => {
  const place = await openWorkplace();
  const run = place.begin(['sandbox', '--json']);
  await run.says('ROLLCALL_HOST');
  run.interrupt();
  expect((await run.ended).code).toBe(EXIT.ok);
});

/** A Node of the system that rollcall itself cannot run on, if there is one. */
function olderNode(): string | undefined {
  const path = '/usr/bin/node';
  if (!existsSync(path)) return undefined;
  const major = Number(execFileSync(path, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' }));
  return major < 24 ? path : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
