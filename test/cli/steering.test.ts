import { describe, expect, test } from 'vitest';
import { importSummary } from '../../src/api/import-summary.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { eventually } from '../eventually.ts';
import { manyMembers, openSandboxPlace, type SandboxPlace, until } from './workplace.ts';

const GROUPS = 40;
/** Without the calls that ask who is banned: calls are counted. */
const ONE_BY_ONE = ['--concurrency', '1', '--no-ban-check'];

/** A sandbox that is slow until it is set otherwise, so that one can act meanwhile, and a file of forty calls. */
async function slowPlace(ms = 500): Promise<SandboxPlace> {
  const place = await openSandboxPlace({ users: 'any', groups: 'any', faults: `slow=${ms}ms` });
  place.file('m.csv', manyMembers(GROUPS * 10, GROUPS));
  return place;
}

/** From now on the sandbox answers at once. */
const hurry = ({ sandbox }: SandboxPlace) => sandbox.faults.clear();

async function stateOf(place: SandboxPlace): Promise<string> {
  const { stdout } = await place.run(['status', '--json']);
  return importSummary.parse(JSON.parse(stdout)).state;
}

describe('while an import runs, another command', () => {
  test('pauses it: no call starts any more, and resume sends the rest', async () => {
    const place = await slowPlace();
    const run = place.begin(['import', 'm.csv', ...ONE_BY_ONE]);
    await until(() => place.calls() > 1);
    const pause = await place.run(['pause']);
    expect([pause.code, pause.stdout]).toEqual([EXIT.ok, '']);
    expect(pause.stderr).toMatch(/paus(ing|ed)/);
    const { code, stderr } = await run.ended;
    expect(code).toBe(EXIT.interrupted);
    expect(stderr).toMatch(/ resume /);
    const sent = place.calls();
    expect(sent).toBeLessThan(GROUPS);

    expect(await stateOf(place)).toBe('paused');
    expect(place.calls()).toBe(sent);
    hurry(place);
    const { code: resumed, summary } = await place.summary(['resume']);
    expect(resumed).toBe(EXIT.ok);
    expect([summary.rows.added, place.calls()]).toEqual([GROUPS * 10, GROUPS]);
  });

  test('sees that the service lets no call through for now, also where it is only asked who is banned', async () => {
    const place = await openSandboxPlace({ users: 'any', groups: 'any', faults: 'too-many=100%' });
    place.file('m.csv', manyMembers(20, 4));
    const run = place.begin(['import', 'm.csv']);
    await eventually(async () => (await place.run(['status'])).stdout).toMatch(
      /^us +0 calls in flight, 4 batches queued, .*waiting \S+ m?s for the rate limit$/m,
    );
    hurry(place);
    expect((await run.ended).code).toBe(EXIT.ok);
  });

  test('cancels it: what was not sent is unprocessed, and retry sends exactly that', async () => {
    const place = await slowPlace();
    const run = place.begin(['import', 'm.csv', ...ONE_BY_ONE, '--json']);
    await until(() => place.calls() > 1);
    expect((await place.run(['cancel', '--json'])).stdout).toMatch(/^\{"id":"\S+","state":"cancell/);
    const { code, stdout } = await run.ended;
    expect(code).toBe(EXIT.stopped);
    const { state, rows } = importSummary.parse(JSON.parse(stdout));
    expect([state, rows.added + rows.unprocessed]).toEqual(['cancelled', GROUPS * 10]);

    hurry(place);
    const { code: retried, summary } = await place.summary(['retry']);
    expect(retried).toBe(EXIT.ok);
    expect([summary.rows.read, summary.rows.added]).toEqual([rows.unprocessed, rows.unprocessed]);
    expect(place.calls()).toBe(GROUPS);
  });

  test('sees how far it is, and watches it to its end', async () => {
    const place = await slowPlace(600_000);
    const run = place.begin(['import', 'm.csv', ...ONE_BY_ONE]);
    await until(() => place.calls() > 0);
    const status = await place.run(['status']);
    expect(status.code).toBe(EXIT.ok);
    expect(status.stdout).toMatch(/^import \S+, running: m\.csv$/m);
    expect(status.stdout).toMatch(/pending/);
    expect(status.stdout).toMatch(/^us {2}1 call in flight, \d+ batch(es)? queued, key [0-9a-f]{8}$/m);
    expect(JSON.parse((await place.run(['status', '--json'])).stdout)).not.toHaveProperty('interrupted');
    const retry = await place.run(['retry']);
    expect([retry.code, retry.stderr]).toEqual([EXIT.usage, expect.stringMatching(/ watch \S+ \[WRONG_STATE\]\n/)]);

    hurry(place);
    const watch = await place.summary(['watch']);
    expect(watch.code).toBe(EXIT.ok);
    expect(importSummary.parse(watch.summary)).toMatchObject({ state: 'completed', rows: { added: GROUPS * 10 } });
    expect((await run.ended).code).toBe(EXIT.ok);
  });

  test('begins an import of its own there, and the first command stays until both are over', async () => {
    const place = await slowPlace();
    const run = place.begin(['import', 'm.csv', ...ONE_BY_ONE]);
    await until(() => place.calls() > 0);
    const other = await place.run(['export']);
    expect([other.code, other.stderr]).toEqual([EXIT.usage, expect.stringContaining('[OWNER_REFUSED]')]);
    const check = await place.run(['import', 'm.csv', '--check']);
    expect([check.code, check.stderr]).toEqual([EXIT.usage, expect.stringContaining('[OWNER_REFUSED]')]);
    const sandbox = await place.run(['import', 'm.csv', '--sandbox']);
    expect([sandbox.code, sandbox.stderr]).toEqual([EXIT.usage, expect.stringContaining('[WRONG_TARGET]')]);
    const resume = place.begin(['resume', '--json']);
    await resume.says('runs in the process that uses the data directory');
    place.file('bad.csv', 'no,column,known\n1,2,3\n');
    const bad = await place.run(['import', 'bad.csv', '--detach']);
    expect([bad.code, bad.stdout]).toEqual([EXIT.usage, '']);
    const detached = await place.run(['import', 'm.csv', '--detach', '--no-ban-check']);
    expect([detached.code, detached.stderr]).toEqual([EXIT.ok, expect.stringContaining('continues it')]);
    const second = place.begin(['import', 'm.csv', '--no-ban-check', '--json']);
    await second.says('runs in the process that uses the data directory');
    hurry(place);
    expect((await run.ended).code).toBe(EXIT.ok);
    for (const { ended } of [resume, second]) {
      const { code, stdout } = await ended;
      expect(code).toBe(EXIT.ok);
      expect(importSummary.parse(JSON.parse(stdout))).toMatchObject({ state: 'completed' });
    }
    expect(place.calls()).toBe(GROUPS * 3);
    expect((await place.summary(['status', detached.stdout.trim()])).summary.state).toBe('completed');
  });
});

test('--detach prints the id alone, and the import completes in the background', async () => {
  const place = await slowPlace();
  hurry(place);
  const { code, stdout, stderr } = await place.run(['import', 'm.csv', '--detach']);
  expect(code).toBe(EXIT.ok);
  const [, id = ''] = /^(\d{8}-\d{6}-\w{3})\n$/.exec(stdout) ?? [];
  expect(stderr).toContain(`watch ${id}`);
  const watch = await place.summary(['watch', id]);
  expect([watch.code, watch.summary.id, watch.summary.rows.added]).toEqual([EXIT.ok, id, GROUPS * 10]);
});

describe('where no process runs an import,', () => {
  test('watch says so, pause and cancel act by themselves, and an end is final', async () => {
    const place = await slowPlace();
    const run = place.start(['import', 'm.csv', ...ONE_BY_ONE]);
    await until(() => place.calls() > 0);
    run.child.kill('SIGKILL');
    await run.ended;
    const watch = await place.run(['watch']);
    expect(watch.code).toBe(EXIT.interrupted);
    expect(watch.stderr).toMatch(/ resume /);
    const status = JSON.parse((await place.run(['status', '--json'])).stdout);
    expect(status).toMatchObject({ state: 'running', interrupted: true });
    expect((await place.run(['pause'])).code).toBe(EXIT.ok);
    expect(await stateOf(place)).toBe('paused');
    expect((await place.run(['cancel'])).code).toBe(EXIT.ok);
    expect(await stateOf(place)).toBe('cancelled');

    for (const verb of ['pause', 'resume', 'cancel']) {
      const { code, stderr } = await place.run([verb]);
      expect([verb, code]).toEqual([verb, EXIT.usage]);
      expect(stderr).toContain('[WRONG_STATE]');
    }
  });

  test('retry wants it to be over first', async () => {
    const place = await slowPlace();
    expect((await place.run(['import', 'm.csv', '--dry-run'])).code).toBe(EXIT.ok);
    const { code, stderr } = await place.run(['retry']);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(/ resume \S+ .*\[WRONG_STATE\]/);
  });
});
