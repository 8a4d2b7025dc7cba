import { existsSync } from 'node:fs';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { main } from '../../src/cli/main.ts';
import { type Ended, members, openSandboxPlace, openWorkplace } from './workplace.ts';

const KEY = 'f00dfacef00dfacef00dfacef00dfacef00dface';

describe('what is typed wrongly is refused with what is allowed', () => {
  test.each([
    [['imprt', 'm.csv'], "unknown command 'imprt' (Did you mean import?)"],
    [['import', 'm.csv', '--dryrun'], "unknown option '--dryrun' (Did you mean --dry-run?)"],
    [['import'], "missing required argument 'file'"],
    [['import', 'm.csv', 'n.csv'], 'too many arguments'],
    [['import', 'm.csv', '--scope', 'owner'], 'Allowed choices are admin, moderator, participant, ban.'],
    [['import', 'm.csv', '--region', 'mars'], 'Allowed choices are us, eu, in.'],
    [['import', 'm.csv', '--format', 'pdf'], 'Allowed choices are auto, csv, json, ndjson, xlsx, ods, yaml, ldif.'],
    [
      ['import', 'm.csv', '--map', 'uuid=Badge'],
      'Expected field=column, for example uid=Member ID, or field= for none; fields are region, guid, uid',
    ],
    [['import', 'm.csv', '--delimiter', ';;'], 'Expected one character, or the word tab.'],
    [['import', 'm.csv', '--max-errors', '5 rows'], 'Expected a number of rows, such as 100, or a share of them'],
    [['import', 'm.csv', '--calls-per-minute', '0'], 'Expected a whole number from 1 to 10000000.'],
    [['import', 'm.csv', '--concurrency', '-1'], 'Expected a whole number from 1 to 1000.'],
    [
      ['import', 'm.csv', '--detach', '--sandbox'],
      "'--detach' cannot be used with option '--sandbox'; leave one of them out",
    ],
    [['import', 'm.csv', '--sandbox-faults', 'broken=1'], 'unknown kind "broken", known are reset-before'],
    [['import', import.meta.filename, '--sandbox-seed', 'nowhere.json'], 'the seed file nowhere.json cannot be read'],
    [['import', 'm.csv', '--max-calls', '5'], '--max-calls needs --check [FLAG_NEEDS]'],
    [['schedule', 'edit', 'nightly'], 'there is nothing to change; give a setting, such as --cron or --file'],
    [['import', '-', '--sandbox', '--recipe', 'nope'], '[UNKNOWN_RECIPE]'],
    [['import', '-', '--sandbox', '--header', 'Accept=env:ACCEPT'], '[FLAG_FOR_ADDRESS]'],
    [['watch', '--timeout', 'soon'], 'Expected a time of at most 23 days, such as 30s, 5m or 1h'],
    // A timer that is to wait longer than it can ends at once.
    [['watch', '--timeout', '25d'], 'Expected a time of at most 23 days'],
    [['watch', '--timeout', '0'], 'Expected a time of at most 23 days'],
    [['expiring', '--within', '3x'], "option '--within <time>' argument '3x' is invalid"],
    [['expire', '--allow-unban'], "unknown option '--allow-unban'"],
    [['import', 'm.csv', '--tag', 'choir', '--tag', 'a!!'], '“a!!” cannot be a tag: allowed are 1 to 40 letters'],
    [['tag', 'some-id', 'choir', 'a!!'], '“a!!” cannot be a tag: allowed are 1 to 40 letters'],
    [['list', '--limit', '0'], 'Expected a whole number from 1 to 1000.'],
    [['report', '--status', 'added,gone'], '"gone" is not one of them; allowed are added, banned, already_member'],
    [['report', '--format', 'pdf'], 'Allowed choices are csv, ndjson, json, xlsx, html.'],
    [['sandbox', '--ca-file', '/nowhere/ca.pem'], 'cannot be written to /nowhere/ca.pem'],
    [['sandbox', '--seed', '/nowhere/seed.json'], 'the seed file /nowhere/seed.json cannot be read'],
    [['import', 'm.csv', '--guid', 'a', '--guid', 'b'], `option '--guid <guid>' was given "a" and "b"; give it once`],
    [['import', 'm.csv', '--where', 'a=1', '--columns', 'uid', '--columns=guid'], 'was given "uid" and "guid"'],
    [['report', '--status', 'added', '--status', 'failed'], 'was given "added" and "failed"'],
    [
      ['schedule', 'remove', 'a', '--data-dir', 'd', '--data-dir', 'e'],
      'was given "d" and "e"; give it once. A script can set ROLLCALL_DATA_DIR instead, which the flag overrides',
    ],
    [['import', 'm.csv', '--queue', 'redis://:s3cret@a', '--queue', 'redis://b'], 'was given two values; give it once'],
    [[], 'Usage: rollcall'],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await typed(args);
    expect([code, stdout]).toEqual([EXIT.usage, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

test.each([
  ['--tag', 'a b!'],
  ['--from', 'soon'],
  ['--state', 'foo'],
])('a filter of the list that cannot be used is named as its flag, with its value: %s', async (flag, value) => {
  // Also where there is no import yet.
  const place = await openWorkplace();
  const { code, stderr } = await place.run(['list', flag, value, '--json']);
  expect(code).toBe(EXIT.usage);
  expect(JSON.parse(stderr)).toMatchObject({
    code: 'BAD_OPTION',
    field: flag.slice(2),
    detail: expect.stringContaining(`${flag} is "${value}": allowed`),
  });
});

/** In a process of its own: Node's own way to make folders would never return. */
test('a data directory that cannot be made is refused', async () => {
  const place = await openWorkplace();
  const file = place.file('m.csv', members([['g', 'ann']]));
  const { code, stdout, stderr } = await place.start(['import', file, '--sandbox', '--data-dir', '/proc/rollcall/data'])
    .ended;
  expect([code, stdout]).toEqual([EXIT.usage, '']);
  expect(stderr).toContain('[DATA_DIR_UNUSABLE]');
});

test('commands to copy repeat the data directory that was given as a flag', async () => {
  const place = await openWorkplace();
  const where = ['--data-dir', 'of the team'];
  const { stderr } = await place.run(['import', place.file('m.csv', members([['g', 'ann']])), '--dry-run', ...where]);
  const [, resume = ''] = /^ {2}rollcall (resume \S+) --data-dir 'of the team'$/m.exec(stderr) ?? [];
  const { code, stdout } = await place.run(['status', ...resume.split(' ').slice(1), ...where]);
  expect([code, stdout]).toEqual([EXIT.ok, expect.stringContaining('only row')]);
});

describe('a command about an import', () => {
  test.each(['status', 'watch', 'pause', 'resume', 'cancel', 'retry', 'report'])(
    '%s needs one that exists',
    async (verb) => {
      const place = await openWorkplace();
      const { code, stdout, stderr } = await typed([verb, '--data-dir', place.dataDir]);
      expect([code, stdout]).toEqual([EXIT.usage, '']);
      expect(stderr).toContain('[NO_IMPORTS]');
    },
  );

  test('says which ids there are when it is given another', async () => {
    const place = await openWorkplace();
    await place.run(['import', place.file('m.csv', members([['g', 'ann']])), '--dry-run']);
    const { code, stderr } = await place.run(['status', '20260101-000000-abc']);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('[UNKNOWN_IMPORT]');
  });
});

/** Errors in the settings are reported before the file is read. */
describe('settings that cannot work stop an import before it begins', () => {
  const GOOD = { ROLLCALL_HOST: 'localhost:8443', ROLLCALL_APP_ID: 'app', ROLLCALL_API_KEY: KEY };
  test.each([
    [{}, 'ROLLCALL_HOST is not set'],
    [{ ROLLCALL_HOST: 'localhost:8443' }, 'no app is set; set ROLLCALL_APP_ID'],
    [{ ...GOOD, ROLLCALL_API_KEY: '' }, 'region us has no API key; set ROLLCALL_US_API_KEY'],
    [{ ...GOOD, ROLLCALL_API_KEY: `${KEY} ${KEY}` }, 'the API key of region us: '],
    [{ ...GOOD, ROLLCALL_APP_ID: 'my_app' }, 'the app id of region us: app id "my_app" is not usable'],
    [
      { ...GOOD, ROLLCALL_HOST: 'http://chat.example' },
      'ROLLCALL_HOST: host "http://chat.example" is not usable: plain http',
    ],
    [{ ...GOOD, ROLLCALL_CA_FILE: '/nowhere/ca.pem' }, 'ROLLCALL_CA_FILE names /nowhere/ca.pem, which cannot be read'],
    [{ ...GOOD, ROLLCALL_CA_FILE: 'm.csv' }, 'm.csv): the additional certificate authority cannot be read'],
    [{ ...GOOD, ROLLCALL_REGION: 'mars' }, 'ROLLCALL_REGION is "mars"; allowed are us, eu, in'],
  ])('%o', async (env: Record<string, string>, message) => {
    const place = await openWorkplace({ env });
    const { code, stdout, stderr } = await place.run(['import', place.file('m.csv', members([['g', 'ann']]))]);
    expect([code, stdout]).toEqual([EXIT.usage, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(KEY);
    expect(existsSync(place.dataDir)).toBe(false);
  });
});

describe('doctor', () => {
  test('finds nothing wrong where an import works, and says what it has looked at', async () => {
    const place = await openSandboxPlace();
    const { code, stdout } = await place.run(['doctor']);
    expect(code).toBe(EXIT.ok);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(0, 22).trim()),
    ).toEqual(
      [
        ...['data directory', 'queue', 'settings'],
        ...['us', 'eu', 'in'].flatMap((region) => [`region ${region}`, `lists of ${region}`]),
        'management',
      ].map((check) => `ok     ${check}`),
    );
    const { ok, findings } = JSON.parse((await place.run(['doctor', '--json'])).stdout);
    expect([ok, findings.length]).toEqual([true, 10]);
    // Users and groups, twice: there is no group whose members could be listed.
    expect(place.sandbox.calls.us.byStatus).toEqual({ 200: 4 });
  });

  test('says what to set where nothing is set', async () => {
    const place = await openWorkplace();
    const { code, stdout } = await place.run(['doctor']);
    expect(code).toBe(EXIT.usage);
    expect(stdout).toMatch(/ROLLCALL_HOST/);
  });

  test('tells a service that cannot be reached from a key that is refused', async () => {
    const place = await openSandboxPlace();
    const host = place.sandbox.host;
    await place.sandbox.close();
    const { code, stdout } = await place.run(['doctor']);
    expect(code).toBe(EXIT.usage);
    expect(stdout).toMatch(/^WRONG .*CONNECT_FAILED: /m);
    expect(stdout).toContain(`(${host}; `);
  });
});

test('demo imports a sample whose bad rows are expected: it ends with 0', async () => {
  const place = await openWorkplace();
  const { code, stdout } = await place.run(['demo']);
  expect([code, stdout]).toEqual([EXIT.ok, expect.stringContaining('accounted')]);
});

/** The command line in this process: what is wrong with the words alone needs no process of its own. */
async function typed(args: readonly string[]): Promise<Ended> {
  const [out, err] = [kept(), kept()];
  const code = await main(args, { out: out.stream, err: err.stream, live: false, color: false, width: 80 });
  return { code, stdout: out.text(), stderr: err.text() };
}

function kept() {
  let heard = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      heard += chunk;
      done();
    },
  });
  return { stream, text: () => heard };
}
