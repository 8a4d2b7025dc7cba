import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/platform/config.ts';
import { tempDir } from './temp-dir.ts';

const KEY = 'f00dfacef00dfacef00dfacef00dfacef00dface';
const OTHER_KEY = 'beadbeadbeadbeadbeadbeadbeadbeadbeadbead';

describe('the host of the service', () => {
  test.each([
    ['api-us.cometchat.io', 'cometchat.io'],
    ['api-eu.cometchat.io', 'cometchat.io'],
    ['call-in.cometchat.io', 'cometchat.io'],
    ['2701abc.api-us.cometchat.io', 'cometchat.io'],
    ['https://2701abc.api-us.cometchat.io/v3', 'cometchat.io'],
    ['https://2701abc.api-us.cometchat.io/v3/groups?page=1', 'cometchat.io'],
    ['https://cometchat.io', 'cometchat.io'],
    ['cometchat.io/', 'cometchat.io'],
    ['cometchat.io.', 'cometchat.io'],
    ['apimgmt.cometchat.io', 'cometchat.io'],
    ['https://app.api-us.localhost:8443/v3', 'localhost:8443'],
    ['API-US.Chat.Example', 'Chat.Example'],
  ])('is found in %s, with a message', (given, host) => {
    const config = readConfig({}, { ROLLCALL_HOST: given }, tempDir());
    expect(config.host).toBe(host);
    expect(config.hostCorrection).toContain(`ROLLCALL_HOST is ${JSON.stringify(given)}, of which "${host}" is used`);
  });

  test.each([
    'cometchat.io',
    'localhost:8443',
    'api-gateway.example',
    'http://chat.example',
    'https://me:secret@chat.example',
  ])('%s stays as it is, without one', (given) => {
    expect(readConfig({}, { ROLLCALL_HOST: given }, tempDir())).toMatchObject({
      host: given,
      hostCorrection: undefined,
    });
  });
});

describe('a key', () => {
  const apps = (env: Record<string, string>, folder = tempDir()) => readConfig({}, env, folder).apps;

  test('may be in a file that a setting names', () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'keys'));
    writeFileSync(join(folder, 'keys', 'us'), `${KEY}\n`);
    writeFileSync(join(folder, 'keys', 'eu'), OTHER_KEY);
    writeFileSync(
      join(folder, 'rollcall.config.json'),
      JSON.stringify({ apps: { eu: { appId: 'b', apiKeyFile: 'keys/eu' } } }),
    );
    expect(apps({ ROLLCALL_US_APP_ID: 'a', ROLLCALL_US_API_KEY_FILE: 'keys/us' }, folder)).toEqual({
      us: { appId: 'a', apiKey: KEY },
      eu: { appId: 'b', apiKey: OTHER_KEY },
    });
    expect(
      apps({ ROLLCALL_APP_ID: 'a', ROLLCALL_API_KEY_FILE: 'keys/us', ROLLCALL_REGION: 'in' }, folder),
    ).toMatchObject({
      in: { appId: 'a', apiKey: KEY },
    });
  });

  test('is set once, in a file that can be read and is not empty', () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'empty'), ' \n');
    const app = { ROLLCALL_US_APP_ID: 'a' };
    expect(() => apps({ ...app, ROLLCALL_US_API_KEY: KEY, ROLLCALL_US_API_KEY_FILE: 'empty' }, folder)).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }),
    );
    const keyIn = (file: string) => apps({ ...app, ROLLCALL_US_API_KEY_FILE: file }, folder).us;
    expect(() => keyIn('empty')?.apiKey).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
    expect(() => keyIn('gone')?.apiKey).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
    // Who needs no key may not be allowed to read it.
    expect(keyIn('gone')?.appId).toBe('a');
    expect(() => apps({ ROLLCALL_API_KEY_FILE: 'empty' }, folder)).toThrow();
  });

  test('of an environment file comes before that of the environment, as do its other settings', () => {
    const folder = tempDir();
    writeFileSync(
      join(folder, 'service.env'),
      `# rotated on Monday\nROLLCALL_US_API_KEY="${OTHER_KEY}"\nPATH=/nowhere\nROLLCALL_CONCURRENCY=3\n`,
    );
    const env = { ROLLCALL_ENV_FILE: 'service.env', ROLLCALL_US_APP_ID: 'a', ROLLCALL_US_API_KEY: KEY };
    expect(readConfig({}, env, folder)).toMatchObject({
      apps: { us: { appId: 'a', apiKey: OTHER_KEY } },
      concurrency: 3,
    });
  });
});

describe('a proxy', () => {
  const proxy = (env: Record<string, string>) => readConfig({}, env, tempDir()).proxy;

  test('is the one of HTTPS_PROXY, but for the hosts of NO_PROXY', () => {
    expect(proxy({})).toBeUndefined();
    expect(proxy({ HTTPS_PROXY: ' ' })).toBeUndefined();
    expect(proxy({ HTTPS_PROXY: 'http://p:1' })).toEqual({ url: 'http://p:1', except: '' });
    expect(proxy({ HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:2', NO_PROXY: '.internal' })).toEqual({
      url: 'http://q:2',
      except: '.internal',
    });
  });
});
