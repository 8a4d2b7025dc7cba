import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { EXIT, EXIT_MEANINGS } from '../../src/cli/exit-codes.ts';
import { LAUNCHER, manyMembers, members, openSandboxPlace, openWorkplace, until, type Workplace } from './workplace.ts';

/** Runs a command in a script, as `"$0" "$@"`. */
function inBash(place: Workplace, script: string, args: readonly string[]) {
  const { root: cwd, env } = place;
  return spawnSync('bash', ['-c', script, process.execPath, LAUNCHER, ...args], { cwd, env, encoding: 'utf8' });
}

describe('exit codes', () => {
  test('0: every row is added, banned or a member already; duplicates of such rows included', async () => {
    const place = await openSandboxPlace();
    const file = place.file(
      'members.csv',
      members([
        ['g', 'ann', 'admin'],
        ['g', 'ANN'],
        ['g', 'ben', 'ban'],
      ]),
    );
    const { code, summary } = await place.summary(['import', file]);
    expect(code).toBe(EXIT.ok);
    expect(summary.rows).toMatchObject({ read: 3, added: 1, banned: 1, duplicate: 1 });
    expect(place.sandbox.members('us', 'g')).toEqual(
      new Map([
        ['ann', 'admin'],
        ['ben', 'ban'],
      ]),
    );
  });

  test('0: nobody reads what is said, and the import is completed all the same', async () => {
    const place = await openWorkplace();
    const file = place.file('members.csv', members([['g', 'ann']]));
    const { status } = inBash(place, `"$0" "$@" 2>&1 | true; exit "\${PIPESTATUS[0]}"`, ['import', file, '--sandbox']);
    expect(status).toBe(EXIT.ok);
    const { summary } = await place.summary(['status']);
    expect(summary).toMatchObject({ state: 'completed', rows: { added: 1 } });
  });

  test('4: standard output takes no more: why, and no stack', async () => {
    const place = await openWorkplace();
    const { status, stderr } = inBash(place, 'exec "$0" "$@" > /dev/full', ['template']);
    expect(status).toBe(EXIT.fatal);
    expect(stderr).toMatch(/ENOSPC.*\n$/);
  });

  test('4: the disk takes no more: what to do, and no stack', async () => {
    const place = await openWorkplace();
    const file = place.file('members.csv', members([['g', 'ann']]));
    // A limit of the process that a full disk looks like to SQLite.
    const limited = `ulimit -f 20; exec "$0" "$@"`;
    const full = ['--data-dir', join(place.root, 'full')];
    const { status, stderr } = inBash(place, limited, ['import', file, '--dry-run', ...full]);
    expect([status, stderr]).toEqual([EXIT.fatal, expect.stringContaining('[DISK_FULL]')]);
    expect(stderr).not.toContain('    at ');
  });

  test('4: the disk takes no more while the file is read: what to do, and how to continue', async () => {
    const place = await openSandboxPlace();
    const file = place.file('members.csv', manyMembers(20_000));
    const { status, stderr } = inBash(place, `ulimit -f 1000; exec "$0" "$@"`, ['import', file]);
    expect(status).toBe(EXIT.fatal);
    expect(stderr).toContain('[DISK_FULL]');
    expect(stderr).not.toContain('    at ');
    expect((await place.summary(['status'])).summary).toMatchObject({ state: 'blocked', code: 'DISK_FULL' });
    const resumed = await place.summary(['resume']);
    expect(resumed).toMatchObject({ code: EXIT.ok, summary: { state: 'completed', rows: { added: 20_000 } } });
  });

  test('2: too few open files for a worker: how to raise the limit', async () => {
    const place = await openSandboxPlace();
    const worker = ['worker', '--queue', 'redis://127.0.0.1:1'];
    const { status, stderr } = inBash(place, `ulimit -n 40; exec "$0" "$@"`, worker);
    expect([status, stderr]).toEqual([EXIT.usage, expect.stringContaining('[TOO_FEW_FILES]')]);
  });

  test('1: finished, and a row failed', async () => {
    const place = await openSandboxPlace({ seed: { users: ['ann'], groups: ['g'] } });
    const { code, summary } = await place.summary([
      'import',
      place.file(
        'm.csv',
        members([
          ['g', 'ann'],
          ['g', 'nobody'],
        ]),
      ),
    ]);
    expect(code).toBe(EXIT.rowsFailed);
    expect(summary.rows).toMatchObject({ read: 2, added: 1, failed: 1 });
  });

  test('2: wrong use', async () => {
    const place = await openWorkplace();
    const { code, stderr } = await place.run(['import', 'nowhere.csv', '--sandbox']);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringMatching(/^rollcall: .* \[FILE_NOT_FOUND\]\n$/)]);
  });

  test.each([
    [
      'a file',
      ['import', 'nowhere.csv', '--sandbox'],
      { code: 'FILE_NOT_FOUND', detail: 'There is no file "nowhere.csv".' },
    ],
    ['an import', ['status', 'x'], { code: 'NO_IMPORTS', title: 'There is no import yet' }],
    ['a flag', ['list', '--limit', '0'], { code: 'BAD_USAGE' }],
    ['a setting', ['import', 'm.csv'], { code: 'BAD_SETTING', type: '/docs/errors#BAD_SETTING' }],
  ])('2: with --json, %s that cannot be used is a problem document on standard error', async (_, args, problem) => {
    const place = await openWorkplace();
    place.file('m.csv', members([['g', 'ann']]));
    const { code, stdout, stderr } = await place.run([...args, '--json']);
    expect([code, stdout]).toEqual([EXIT.usage, '']);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([problem]);
  });

  test('3: stopped by --max-errors, and what was not sent is unprocessed', async () => {
    const place = await openSandboxPlace({ seed: { groups: ['g'] } });
    const rows = Array.from({ length: 600 }, (_, at) => ['g', `nobody-${at}`] as const);
    const { code, summary } = await place.summary([
      'import',
      place.file('m.csv', members(rows)),
      '--max-errors',
      '1%',
      '--concurrency',
      '1',
    ]);
    expect(code).toBe(EXIT.stopped);
    expect(summary.state).toBe('aborted');
    expect(summary.rows.failed).toBeGreaterThan(6);
    expect(summary.rows.failed + summary.rows.unprocessed).toBe(600);
  });

  test('3: cancelled', async () => {
    const place = await openSandboxPlace({ users: 'any', groups: 'any', latencyMs: 300 });
    const run = place.begin(['import', place.file('m.csv', manyMembers(600, 60)), '--concurrency', '1', '--json']);
    await until(() => place.calls() > 0);
    expect((await place.run(['cancel'])).code).toBe(EXIT.ok);
    const { code, stdout } = await run.ended;
    expect(code).toBe(EXIT.stopped);
    expect(JSON.parse(stdout).state).toBe('cancelled');
  });

  test('4: a sum that does not hold is shown, and is not a success', async () => {
    const { place, id } = await pausedImport();
    const ledger = new DatabaseSync(join(place.dataDir, 'imports', id, 'ledger.sqlite'));
    ledger.exec(`update counters set n = n + 1 where name = 'added'`);
    ledger.close();
    const { code, stderr } = await place.run(['resume', id]);
    expect(code).toBe(EXIT.fatal);
    expect(stderr).toContain('[WRONG_SUM]');
  });

  test('4: a damaged ledger is a fault: it is named, and nothing is sent', async () => {
    const { place, id } = await pausedImport();
    const ledger = join(place.dataDir, 'imports', id, 'ledger.sqlite');
    truncateSync(ledger, 0);
    appendFileSync(ledger, 'x'.repeat(8192));
    const before = place.calls();
    const { code, stderr } = await place.run(['resume', id]);
    expect(code).toBe(EXIT.fatal);
    expect(stderr).toContain(ledger);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(place.calls()).toBe(before);
  });

  test('5: interrupted, and can be resumed', async () => {
    const place = await openSandboxPlace({ users: 'any', groups: 'any', latencyMs: 300 });
    const run = place.begin([
      'import',
      place.file('m.csv', manyMembers(600, 60)),
      '--concurrency',
      '1',
      '--no-ban-check',
    ]);
    await until(() => place.calls() > 0);
    run.interrupt();
    expect((await run.ended).code).toBe(EXIT.interrupted);
  });

  test('6: the wait ran out, and the import goes on', async () => {
    const place = await openSandboxPlace({ users: 'any', groups: 'any', latencyMs: 500 });
    const run = place.begin([
      'import',
      place.file('m.csv', manyMembers(600, 60)),
      '--concurrency',
      '1',
      '--no-ban-check',
    ]);
    await until(() => place.calls() > 0);
    const { code, stderr } = await place.run(['watch', '--timeout', '1s']);
    expect(code).toBe(EXIT.stillRunning);
    expect(stderr).toMatch(/ watch \S+/);
    run.interrupt();
    expect((await run.ended).code).toBe(EXIT.interrupted);
  });

  test('all of them stand in the help, with their meaning', async () => {
    const place = await openWorkplace();
    const { code, stdout } = await place.run(['--help']);
    expect(code).toBe(EXIT.ok);
    const text = stdout.slice(stdout.indexOf('Exit codes:')).replace(/\s+/g, ' ');
    const meanings = Object.entries(EXIT).map(
      ([name, number]) => `${number} ${EXIT_MEANINGS[name as keyof typeof EXIT]}`,
    );
    expect(text).toContain(`Exit codes: ${meanings.join(' ')}`);
    expect(meanings.map((line) => line[0])).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });
});

/** An import that has sent a part and waits. */
async function pausedImport() {
  const place = await openSandboxPlace({ users: 'any', groups: 'any', latencyMs: 300 });
  const run = place.begin([
    'import',
    place.file('m.csv', manyMembers(600, 60)),
    '--concurrency',
    '1',
    '--no-ban-check',
  ]);
  await until(() => place.calls() > 0);
  await place.run(['pause']);
  expect((await run.ended).code).toBe(EXIT.interrupted);
  const [id = ''] = readdirSync(join(place.dataDir, 'imports'));
  return { place, id };
}
