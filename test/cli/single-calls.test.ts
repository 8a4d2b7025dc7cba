import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { openSandboxPlace, openWorkplace } from './workplace.ts';

const open = () => openSandboxPlace({ users: 3, groups: 1 });

describe('rollcall apps', () => {
  test('lists the apps of the account, for people and for programs', async () => {
    const { run } = await open();
    expect(await run(['apps'])).toMatchObject({ code: EXIT.ok, stdout: expect.stringMatching(/^sandbox-eu +eu +/m) });
    const { stdout } = await run(['apps', '--json']);
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(JSON.parse(stdout)).toContainEqual({ id: 'sandbox-us', name: 'sandbox-us', region: 'us', createdAt: time });
  });

  test('says which setting is missing, and never shows a wrong secret', async () => {
    const { run, sandbox } = await open();
    const none = { ROLLCALL_MANAGEMENT_KEY: '', ROLLCALL_MANAGEMENT_SECRET: '' };
    const unset = await run(['apps'], { env: none });
    expect([unset.code, unset.stderr]).toEqual([EXIT.usage, expect.stringContaining('ROLLCALL_MANAGEMENT_KEY')]);
    const half = await run(['apps'], { env: { ROLLCALL_MANAGEMENT_SECRET: '' } });
    expect(half.stderr).toContain('ROLLCALL_MANAGEMENT_SECRET');
    const wrong = await run(['apps'], { env: { ROLLCALL_MANAGEMENT_SECRET: 'a-wrong-secret' } });
    expect([wrong.code, wrong.stderr]).toEqual([EXIT.stopped, expect.stringContaining('AUTH_ERR_NO_ACCESS')]);
    for (const text of ['a-wrong-secret', sandbox.management.key])
      expect(wrong.stdout + wrong.stderr).not.toContain(text);
  });

  test('takes the secret from a file, and works with a sandbox of its own', async () => {
    const { run, file, sandbox } = await open();
    const name = file('secret', `${sandbox.management.secret}\n`);
    const env = { ROLLCALL_MANAGEMENT_SECRET: '', ROLLCALL_MANAGEMENT_SECRET_FILE: name };
    expect((await run(['apps'], { env })).code).toBe(EXIT.ok);
    const alone = await openWorkplace();
    expect((await alone.run(['apps', '--sandbox'])).stdout).toContain('sandbox-in');
  });
});

test('doctor compares the apps of the settings with those of the account', async () => {
  const { run } = await open();
  expect((await run(['doctor'])).stdout).toMatch(/^ok {5}management .*3 apps/m);
  const wrong = await run(['doctor'], { env: { ROLLCALL_MANAGEMENT_KEY: 'wrong' } });
  expect([wrong.code, wrong.stdout]).toEqual([EXIT.usage, expect.stringMatching(/^WRONG {2}management .*AUTH_ERR/m)]);
});

describe('rollcall users', () => {
  test('list shows every user of the app, the deactivated too', async () => {
    const { run, sandbox } = await open();
    sandbox.setActive('eu', 'user-2', false);
    const { code, stdout } = await run(['users', 'list', '--region', 'eu']);
    expect([code, stdout.split('\n')]).toEqual([
      EXIT.ok,
      [expect.stringMatching(/^user-1\t/), expect.stringMatching(/^user-2\t.*deactivated$/), expect.any(String), ''],
    ]);
    const users = JSON.parse((await run(['users', 'list', '--region', 'eu', '--json'])).stdout);
    expect(users).toHaveLength(3);
    expect(users[1]).toMatchObject({ uid: 'user-2', role: 'default', deactivatedAt: expect.any(String) });
  });

  test('token prints a token that is tied to a platform and a device, and nothing else on standard output', async () => {
    const { run } = await open();
    const { code, stdout, stderr } = await run([
      'users',
      'token',
      'User-1',
      '--platform',
      'web',
      '--device',
      'kiosk/1',
    ]);
    expect([code, stdout]).toEqual([EXIT.ok, expect.stringMatching(/^user-1_[0-9a-f]+\n$/)]);
    expect(stderr).not.toContain(stdout.trim());
    const json = await run(['users', 'token', 'user-1', '--platform', 'web', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({
      uid: 'user-1',
      platform: 'web',
      device: null,
      authToken: expect.stringMatching(/^user-1_/),
    });
  });

  test('token for a user who does not exist is refused in the words of the service', async () => {
    const { run } = await open();
    const { code, stdout, stderr } = await run(['users', 'token', 'nobody']);
    expect([code, stdout, stderr]).toEqual([EXIT.usage, '', expect.stringContaining('ERR_UID_NOT_FOUND')]);
  });
});

describe('rollcall message', () => {
  test('sends a text to a user or a group, from a user', async () => {
    const { run, calls } = await open();
    const toUser = await run(['message', 'Hello', '--to-user', 'user-2', '--on-behalf-of', 'user-1', '--json']);
    expect([toUser.code, JSON.parse(toUser.stdout)]).toEqual([
      EXIT.ok,
      { id: expect.any(String), region: 'us', receiverType: 'user', receiver: 'user-2', onBehalfOf: 'user-1' },
    ]);
    const stranger = await run(['message', 'Hello', '--to-group', 'group-1', '--on-behalf-of', 'user-1']);
    expect([stranger.code, stranger.stderr]).toEqual([EXIT.usage, expect.stringContaining('ERR_GROUP_NOT_JOINED')]);
    expect(calls()).toBe(2);
  });

  test('is refused without a text, without a receiver and with two, before anything is sent', async () => {
    const { run, calls } = await open();
    const from = ['--on-behalf-of', 'user-1'];
    for (const args of [[' ', '--to-user', 'user-2'], ['Hello'], ['Hello', '--to-user', 'u', '--to-group', 'g']])
      expect((await run(['message', ...args, ...from])).code).toBe(EXIT.usage);
    expect(calls()).toBe(0);
  });

  test('says that it may have been sent where no answer came', async () => {
    const { run } = await openSandboxPlace({ users: 3, faults: 'reset-after=1' });
    const { code, stderr } = await run(['message', 'Hello', '--to-user', 'user-2', '--on-behalf-of', 'user-1']);
    expect([code, stderr]).toEqual([EXIT.fatal, expect.stringContaining('before you')]);
  });
});
