import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { profileNames, readConfig } from '../src/platform/config.ts';
import { tempDir } from './temp-dir.ts';

const KEY = 'f00dfacef00dfacef00dfacef00dfacef00dface';
const FILE = {
  concurrency: 3,
  region: 'eu',
  appId: 'base',
  apiKey: KEY,
  profiles: {
    staging: { host: 'staging.example', appId: 'app-s', apiKey: KEY, concurrency: 1 },
    production: { host: 'cometchat.io', apps: { us: { appId: 'app-p', apiKey: KEY } }, dataDir: 'live' },
    quick: { concurrency: 9 },
  },
};

function withFile(content: object = FILE): string {
  const folder = tempDir();
  writeFileSync(join(folder, 'rollcall.config.json'), JSON.stringify(content));
  return folder;
}

test('a profile is chosen by its flag, then by the variable, then by the file; without one, its settings do not count', () => {
  const folder = withFile({ ...FILE, profile: 'quick' });
  const env = { ROLLCALL_PROFILE: 'production' };
  expect(readConfig({ profile: 'staging' }, env, folder)).toMatchObject({ profile: 'staging', profileFlag: 'staging' });
  expect(readConfig({}, env, folder)).toMatchObject({ profile: 'production', profileFlag: undefined });
  expect(readConfig({}, {}, folder)).toMatchObject({ profile: 'quick', concurrency: 9 });
  expect(readConfig({}, {}, withFile())).toMatchObject({ profile: undefined, host: undefined, concurrency: 3 });
  expect(profileNames({}, folder)).toEqual(['staging', 'production', 'quick']);
});

test('a profile counts before the rest of the file and after the environment, and mixes no apps', () => {
  const folder = withFile();
  const production = readConfig({ profile: 'production' }, { ROLLCALL_CONCURRENCY: '7' }, folder);
  expect(production).toMatchObject({ host: 'cometchat.io', concurrency: 7, dataDir: join(folder, 'live') });
  expect(production.apps).toEqual({ us: { appId: 'app-p', apiKey: KEY } });
  expect(readConfig({ profile: 'staging' }, {}, folder)).toMatchObject({
    concurrency: 1,
    apps: { eu: { appId: 'app-s', apiKey: KEY } },
  });
  // One that names no app has those of the file.
  expect(readConfig({ profile: 'quick' }, {}, folder).apps).toEqual({ eu: { appId: 'base', apiKey: KEY } });
});

test('a variable that names another host or app than the profile is refused, and one that agrees is not', () => {
  const folder = withFile();
  const reading = (profile: string, env: Record<string, string>) => () => readConfig({ profile }, env, folder);
  expect(reading('staging', { ROLLCALL_HOST: 'cometchat.io' })).toThrow(
    `host in ${join(folder, 'rollcall.config.json')} is staging.example in profile staging, and ROLLCALL_HOST is cometchat.io`,
  );
  expect(reading('staging', { ROLLCALL_APP_ID: 'other' })).toThrow(
    'is app-s in profile staging, and ROLLCALL_APP_ID is other',
  );
  expect(reading('production', { ROLLCALL_US_APP_ID: 'other' })).toThrow('apps.us.appId in ');
  expect(reading('staging', { ROLLCALL_HOST: 'staging.example', ROLLCALL_APP_ID: 'app-s' })).not.toThrow();
  expect(reading('quick', { ROLLCALL_APP_ID: 'other' })).not.toThrow();
});

test('a profile that is not there is refused with those that are; its settings are checked as those of the file', () => {
  expect(() => readConfig({ profile: 'prod' }, {}, withFile())).toThrow(
    /there is no profile "prod"; .*rollcall\.config\.json has staging, production, quick/,
  );
  expect(() => readConfig({ profile: 'toString' }, {}, withFile())).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  );
  expect(() => readConfig({}, { ROLLCALL_PROFILE: 'staging' }, tempDir())).toThrow('has no `profiles`');
  expect(() => readConfig({}, {}, withFile({ profiles: { a: { hots: 'x' } } }))).toThrow('profiles.a');
  expect(() => readConfig({}, {}, withFile({ profiles: { a: { profile: 'b' } } }))).toThrow('profiles.a');
  const withKey = () => readConfig({}, {}, withFile({ profiles: { a: { apiKey: 987_654_321 } } }));
  expect(withKey).toThrow('profiles.a.apiKey');
  expect(withKey).not.toThrow('987654321');
});
