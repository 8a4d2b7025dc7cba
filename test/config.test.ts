import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/platform/config.ts';
import { tempDir } from './temp-dir.ts';

const KEY = 'f00dfacef00dfacef00dfacef00dfacef00dface';

function withFile(content: unknown): string {
  const folder = tempDir();
  writeFileSync(join(folder, 'rollcall.config.json'), typeof content === 'string' ? content : JSON.stringify(content));
  return folder;
}

describe('settings', () => {
  test('have defaults', () => {
    const folder = tempDir();
    const { dir, ...config } = readConfig({}, {}, folder);
    expect(dir.root).toBe(config.dataDir);
    expect(config).toEqual({
      dataDir: join(folder, '.rollcall'),
      host: undefined,
      apps: {},
      defaultRegion: 'us',
      caFile: undefined,
      callsPerMinute: 8_000,
      importsPerMinute: 48,
      budgetShare: 80,
      concurrency: 300,
      perGroup: 20,
      askBeforeRepeat: 'auto',
      bannedList: 'auto',
      sources: [],
      namedSources: {},
      logLevel: 'info',
    });
  });

  test('come from flags first, then from the environment, then from the file', () => {
    const folder = withFile({ dataDir: 'file', callsPerMinute: 1, concurrency: 1, host: 'file.example' });
    const env = { ROLLCALL_DATA_DIR: 'environment', ROLLCALL_CALLS_PER_MINUTE: '2' };
    const { dataDir, callsPerMinute, concurrency, host } = readConfig({ dataDir: 'flag' }, env, folder);
    expect([dataDir, callsPerMinute, concurrency, host]).toEqual([join(folder, 'flag'), 2, 1, 'file.example']);
  });

  test('calls that only read have a rate of their own where one is set', () => {
    const { callsPerMinute, listsPerMinute } = readConfig({}, { ROLLCALL_LISTS_PER_MINUTE: '16000' }, tempDir());
    expect([callsPerMinute, listsPerMinute]).toEqual([8_000, 16_000]);
    expect(readConfig({}, {}, withFile({ listsPerMinute: 7 })).listsPerMinute).toBe(7);
  });

  test('the queue is embedded, unless a flag, the environment or the file names one', () => {
    const folder = withFile({ queue: 'redis://file' });
    const env = { ROLLCALL_QUEUE: 'redis://environment' };
    const queues = [
      readConfig({}, {}, tempDir()),
      readConfig({}, {}, folder),
      readConfig({}, env, folder),
      readConfig({ queue: 'redis://flag' }, env, folder),
    ];
    expect(queues.map(({ queue }) => queue)).toEqual([
      undefined,
      'redis://file',
      'redis://environment',
      'redis://flag',
    ]);
  });

  test('imports that are over are kept as long as a flag, the environment or the file says', () => {
    const folder = withFile({ keep: '2w' });
    const kept = [
      readConfig({}, {}, tempDir()),
      readConfig({}, {}, folder),
      readConfig({}, { ROLLCALL_KEEP: '90d' }, folder),
      readConfig({ keep: 12 * 3_600_000 }, { ROLLCALL_KEEP: '90d' }, folder),
    ];
    const hours = [undefined, 14 * 24, 90 * 24, 12];
    expect(kept.map(({ keep }) => keep)).toEqual(hours.map((h) => (h === undefined ? h : h * 3_600_000)));
  });

  test.each(['90', '0d', 'd', '1.5d', '90 days', '-1d'])('%j is not a time to keep imports', (value) => {
    expect(() => readConfig({}, { ROLLCALL_KEEP: value }, tempDir())).toThrow(
      `ROLLCALL_KEEP is ${JSON.stringify(value)}; allowed is a number of hours, days or weeks, such as 12h, 90d or 2w`,
    );
  });

  test('cannot be changed', () => {
    const config = readConfig({}, {}, tempDir());
    expect(() => Object.assign(config, { host: 'other' })).toThrow(TypeError);
  });

  test('that are set to nothing count as not set', () => {
    const folder = withFile({ host: 'file.example' });
    expect(readConfig({}, { ROLLCALL_HOST: ' ', ROLLCALL_CONCURRENCY: '' }, folder).host).toBe('file.example');
  });

  test('name an app for each region, or one app and its region', () => {
    const env = { ROLLCALL_APP_ID: 'one', ROLLCALL_API_KEY: KEY, ROLLCALL_REGION: 'EU', ROLLCALL_IN_APP_ID: 'two' };
    const { apps, defaultRegion } = readConfig({}, env, tempDir());
    expect(apps).toEqual({ eu: { appId: 'one', apiKey: KEY }, in: { appId: 'two', apiKey: undefined } });
    expect(defaultRegion).toBe('eu');
  });

  test('with an app in one region only make it the region of rows that name none', () => {
    expect(readConfig({}, { ROLLCALL_IN_APP_ID: 'a' }, tempDir()).defaultRegion).toBe('in');
    const two = { ROLLCALL_IN_APP_ID: 'a', ROLLCALL_EU_APP_ID: 'b' };
    expect(readConfig({}, two, tempDir()).defaultRegion).toBe('us');
  });
});

describe('a setting that is wrong stops with its name, its value and what is allowed', () => {
  test.each([
    [{ ROLLCALL_REGION: 'mars' }, 'ROLLCALL_REGION is "mars"; allowed are us, eu, in'],
    [
      { ROLLCALL_CALLS_PER_MINUTE: '0' },
      'ROLLCALL_CALLS_PER_MINUTE is "0"; allowed is a whole number from 1 to 10000000',
    ],
    [{ ROLLCALL_CALLS_PER_MINUTE: '1e3' }, 'ROLLCALL_CALLS_PER_MINUTE is "1e3"; allowed is a whole number'],
    [{ ROLLCALL_CONCURRENCY: 'many' }, 'ROLLCALL_CONCURRENCY is "many"; allowed is a whole number from 1 to 1000'],
    [{ ROLLCALL_CONCURRENCY: '1001' }, 'ROLLCALL_CONCURRENCY is "1001"; allowed is a whole number from 1 to 1000'],
    [{ ROLLCALL_LOG_LEVEL: 'loud' }, 'ROLLCALL_LOG_LEVEL is "loud"; allowed are error, warn, info, debug'],
    [{ ROLLCALL_CONFIG: '/nowhere/c.json' }, 'ROLLCALL_CONFIG names /nowhere/c.json, which cannot be read: ENOENT'],
    [{ ROLLCALL_EU_API_KEY: KEY }, 'ROLLCALL_EU_API_KEY is set and ROLLCALL_EU_APP_ID is not: set both'],
    [{ ROLLCALL_API_KEY: KEY }, 'ROLLCALL_API_KEY is set and ROLLCALL_APP_ID is not: set both'],
    [
      { ROLLCALL_APP_ID: 'one', ROLLCALL_REGION: 'eu', ROLLCALL_EU_APP_ID: 'two' },
      'region eu has two apps: ROLLCALL_APP_ID says one, and ROLLCALL_EU_APP_ID says two: keep one',
    ],
  ])('%o', (env, message) => {
    const said = messageOf(() => readConfig({}, env, tempDir()));
    expect(said).toContain(message);
    expect(said).not.toContain(KEY);
  });

  test.each([
    [`{"apiKey":"${KEY}",`, 'is not JSON; fix or remove it'],
    [[], 'top level: '],
    [{ apiKeys: KEY }, 'Unrecognized key: "apiKeys"'],
    [{ host: 5 }, 'host is 5: '],
    [{ callsPerMinute: '100' }, 'callsPerMinute is "100": '],
    [{ concurrency: 'x' }, 'expected number, received string; allowed is a whole number from 1 to 1000'],
    [{ callsPerMinute: 1.5 }, 'callsPerMinute in '],
    [{ region: 'mars' }, 'region in '],
    [{ apps: { eu: { appId: 'a', apiKey: [KEY] } } }, 'apps.eu.apiKey: '],
    [{ apps: { mars: { appId: 'a' } } }, 'mars'],
    [{ apiKey: KEY }, 'apiKey in '],
  ])('rollcall.config.json with %j', (content, message) => {
    const folder = withFile(content);
    const said = messageOf(() => readConfig({}, {}, folder));
    expect(said).toContain(join(folder, 'rollcall.config.json'));
    expect(said).toContain(message);
    expect(said).not.toContain(KEY);
  });

  test('a file that Windows begins with a byte order mark is read', () => {
    const folder = withFile('\uFEFF{ "concurrency": 7 }');
    writeFileSync(join(folder, 'env'), '\uFEFFROLLCALL_CALLS_PER_MINUTE=60\nROLLCALL_US_APP_ID=a\n');
    expect(readConfig({}, { ROLLCALL_ENV_FILE: 'env' }, folder)).toMatchObject({
      concurrency: 7,
      callsPerMinute: 60,
      apps: { us: { appId: 'a' } },
    });
  });

  test('a rollcall.config.json that is there and cannot be read is not passed over', () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'rollcall.config.json'));
    expect(() => readConfig({}, {}, folder)).toThrow('which cannot be read: EISDIR');
  });
});

function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  return 'nothing was thrown';
}
