import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isError } from '../../src/errors/rollcall-error.ts';
import type { NamedSource } from '../../src/platform/named-sources.ts';
import { requestOf } from '../../src/sources/named.ts';
import { sourceAt } from '../../src/sources/schemes.ts';
import { badSource, type SourceSettings } from '../../src/sources/source.ts';
import { writerTo } from '../../src/sources/spool.ts';
import { type Sshd, startSshd } from '../servers/sshd.ts';
import { wayTo } from '../servers/way-to-sshd.ts';
import { tempDir } from '../temp-dir.ts';
import { BUCKET, KEYS, type S3Server, startS3 } from './s3-server.ts';

/** Larger than one part of an upload, and different in each of its bytes' places. */
const LARGE = Buffer.from(Array.from({ length: 1_200_000 }, (_, at) => `row ${at}, and\n`).join(''));
const SMALL = Buffer.from('uid,guid\nann,g1\n');

interface How extends SourceSettings {
  readonly named?: Readonly<Record<string, NamedSource>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly late?: AbortSignal;
}

async function write(text: string, bytes: Buffer, { named = {}, env = {}, signal, late, ...given }: How = {}) {
  const path = join(tempDir(), 'file');
  writeFileSync(path, bytes);
  const context = { named, environment: (variable: string) => env[variable], ca: undefined };
  const write = writerTo(await sourceAt(requestOf(text, given, context)));
  await write(path, signal ?? new AbortController().signal, late);
}

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => new Error('it was not refused'),
    (cause: unknown) => cause,
  );
  if (!isError(error, 'BAD_SOURCE')) throw error;
  const said = error.message;
  expect(`${said} ${error.stack}`).not.toContain(KEYS.secretAccessKey);
  return said;
}

describe.each(['s3', 'gs'])('%s://', (scheme) => {
  let server: S3Server;
  beforeEach(async () => {
    server = await startS3();
    onTestFinished(() => server.close());
  });
  const env = { KEY_ID: KEYS.accessKeyId, KEY: KEYS.secretAccessKey };
  const usual = () => ({
    endpoint: server.endpoint,
    secrets: { accessKeyId: 'env:KEY_ID', secretAccessKey: 'env:KEY' },
    env,
  });
  const place = `${scheme}://${BUCKET}/rollcall/`;

  test('a small file is put at once, a large one in parts', async () => {
    await write(`${place}an-import/summary.json`, SMALL, usual());
    await write(`${place}an-import/report.csv`, LARGE, usual());
    expect(server.objects.get('rollcall/an-import/summary.json')?.bytes.equals(SMALL)).toBe(true);
    expect(server.objects.get('rollcall/an-import/report.csv')?.bytes.equals(LARGE)).toBe(true);
    expect([server.objects.size, server.uploads.size]).toEqual([2, 0]);
    expect(server.asked).toContain('PUT rollcall/an-import/report.csv part 2');
  });

  test('what breaks off in the middle leaves no object and no parts', async () => {
    server.breakWrites = 1_000_000;
    await expect(refusal(write(`${place}report.csv`, LARGE.subarray(0, 7_000_000), usual()))).resolves.toContain(
      'be written',
    );
    expect(server.objects.size).toBe(0);
    const stop = new AbortController();
    server.onBreak = () => stop.abort(badSource('it is stopped'));
    await refusal(write(`${place}report.csv`, LARGE, { ...usual(), signal: stop.signal }));
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0]);
  });

  test.each([
    ['AccessDenied', 403, 's3:PutObject'],
    ['NoSuchBucket', 404, 'check the name of the bucket'],
    ['ExpiredToken', 400, 'log in again'],
  ])('%s says what to do', async (code, status, says) => {
    server.refuse = { code, status };
    expect(await refusal(write(`${place}report.csv`, SMALL, usual()))).toContain(says);
  });

  test('a wrong secret is told', async () => {
    const wrong = { ...usual(), env: { ...env, KEY: 'wrong' } };
    expect(await refusal(write(`${place}report.csv`, SMALL, wrong))).toContain('access key');
    expect(server.objects.size).toBe(0);
  });
});

describe('sftp://', () => {
  let sshd: Sshd;
  let folder: string;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd.stop());
  beforeEach(() => {
    folder = join(sshd.dir, 'files', `test-${expect.getState().currentTestName?.length}`);
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
  });
  const usual = () => ({ keyFile: sshd.keyFile, knownHosts: sshd.knownHosts });
  const at = () => sshd.url.replace(/\/[^/]*$/, folder.slice(folder.indexOf('/files')));

  test('a file comes whole, in a folder that is made, in place of an earlier one', async () => {
    await write(`${at()}/an-import/report.csv`, SMALL, usual());
    await write(`${at()}/an-import/report.csv`, LARGE, usual());
    expect(readFileSync(join(folder, 'an-import/report.csv')).equals(LARGE)).toBe(true);
    expect(readdirSync(join(folder, 'an-import'))).toEqual(['report.csv']);
  });

  test('a named source says how it is written', async () => {
    const named = { hr: { url: at(), ...usual() } };
    await write('hr:an-import/report.csv', SMALL, { named });
    expect(readFileSync(join(folder, 'an-import/report.csv')).equals(SMALL)).toBe(true);
  });

  test('the folder above is not made', async () => {
    expect(await refusal(write(`${at()}/not-there/an-import/report.csv`, SMALL, usual()))).toContain('make it');
    expect(existsSync(join(folder, 'not-there'))).toBe(false);
  });

  test('a folder that is closed is told', async () => {
    chmodSync(folder, 0o555);
    expect(await refusal(write(`${at()}/report.csv`, SMALL, usual()))).toMatch(/may not be written|cannot be written/);
  });

  test('what breaks off in the middle leaves an earlier file as it was', async () => {
    await write(`${at()}/report.csv`, SMALL, usual());
    const way = await wayTo(sshd, (end) => end());
    const said = await refusal(write(`${way.addressOf(at())}/report.csv`, LARGE, { ...usual(), ...way.trusted }));
    expect(said).toMatch(/broke off|cannot be reached/);
    expect(readFileSync(join(folder, 'report.csv')).equals(SMALL)).toBe(true);
  });

  test('a server that stands still is given up when it has taken too long', async () => {
    await write(`${at()}/report.csv`, SMALL, usual());
    const late = new AbortController();
    const way = await wayTo(sshd, () => late.abort());
    const how = { ...usual(), ...way.trusted, late: late.signal };
    expect(await refusal(write(`${way.addressOf(at())}/report.csv`, LARGE, how))).toContain('within 60 minutes');
    expect(readFileSync(join(folder, 'report.csv')).equals(SMALL)).toBe(true);
  });
});
