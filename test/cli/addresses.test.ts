import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { filesBelow, members, openSandboxPlace, openWorkplace } from './workplace.ts';

/** Addresses that are given in place of a file. */

const SECRET = 's3cret';

/** Addresses that people type: also with a password that must be percent-encoded, and longer than any path. */
const WITH_PASSWORD = [
  ['of a database', `postgres://ann:${SECRET}@127.0.0.1:5432/app`, 'postgres'],
  ['of a driver', `jdbc:postgresql://ann:${SECRET}@127.0.0.1/app`, 'jdbc:postgresql'],
  ['with a slash in the password', `mysql://ann:a/${SECRET}@127.0.0.1/app`, 'mysql'],
  ['with an @ in the password', `sftp://ann:a@${SECRET}@127.0.0.1/app`, 'sftp'],
  ['that is longer than a path may be', `postgres://ann:${SECRET.repeat(1_000)}@127.0.0.1/app`, 'postgres'],
  ['of a file with what encrypts it', `sqlite:/srv/app.db?key=${SECRET}`, 'sqlite'],
] as const;

/** Every command that takes a file, with the file last. */
const COMMANDS: readonly (readonly string[])[] = [
  ['import'],
  ['import', '--dry-run'],
  ['import', '--check'],
  ['import', 'members.csv', '--dry-run', '--identities'],
  ['check'],
  ['inspect'],
  ['inspect', 'members.csv', '--identities'],
  ['sync'],
  ['sync', 'members.csv', '--identities'],
  ['sync', 'members.csv', '--protect'],
  ['schedule', 'add', 'nightly', '--cron', '@daily', '--file'],
  ['schedule', 'add', 'nightly', '--cron', '@daily', '--file', 'members.csv', '--protect'],
  ['schedule', 'add', 'nightly', '--cron', '@daily', '--file', 'members.csv', '--identities'],
  ['schedule', 'edit', 'known', '--file'],
  ['export', '--groups-file'],
  ['retry', '--edits'],
];

describe.each(WITH_PASSWORD)('an address %s', (_what, address, scheme) => {
  test('is refused by its scheme in place of a file; its password is in no output, log or audit line', async () => {
    const place = await openSandboxPlace();
    place.file('members.csv', members([['g', 'ann']]));
    expect((await place.run(['schedule', 'add', 'known', '--cron', '@daily', '--file', 'members.csv'])).code).toBe(0);
    expect((await place.run(['import', 'members.csv'])).code).toBe(0);
    const before = place.calls();
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await place.run([...command, address]);
      expect([command, code, stderr]).toEqual([
        command,
        EXIT.usage,
        expect.stringContaining(`${scheme}:// addresses `),
      ]);
      expect(stdout + stderr).not.toContain(SECRET);
      expect(stderr).not.toContain('[FILE_NOT_FOUND]');
      const left = filesBelow(place.root).filter(({ content }) => content.includes(SECRET));
      expect([command, left.map(({ path }) => path)]).toEqual([command, []]);
    }
    expect(place.calls()).toBe(before);
  });
});

test('the refusal of a password says how to give it', async () => {
  const place = await openWorkplace();
  const { stderr } = await place.run(['import', `postgres://ann:${SECRET}@127.0.0.1/app`]);
  expect(stderr).toMatch(/--secret password=env:.*\[BAD_SOURCE\]$/m);
});

test('an address without a password is refused by its scheme, with what to do', async () => {
  const place = await openWorkplace();
  for (const command of ['import', 'sync', 'inspect', 'check']) {
    const { code, stderr } = await place.run([command, `ftp://bucket/members.csv?signature=${SECRET}`]);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('[BAD_ADDRESS]')]);
    expect(stderr).not.toMatch(/s3cret/);
  }
});

test('an id that looks like an address is not repeated', async () => {
  const place = await openSandboxPlace();
  place.file('members.csv', members([['g', 'ann']]));
  await place.run(['import', 'members.csv', '--dry-run']);
  for (const command of ['status', 'report', 'resume', 'retry', 'cancel', 'undo', 'watch']) {
    const { code, stdout, stderr } = await place.run([command, `postgres://ann:${SECRET}@127.0.0.1/app`]);
    expect([command, code]).toEqual([command, EXIT.usage]);
    expect(stdout + stderr).not.toContain(SECRET);
  }
});
