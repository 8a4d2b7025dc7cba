import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isError, type RollcallError } from '../../src/errors/rollcall-error.ts';
import { sourceAt } from '../../src/sources/schemes.ts';
import type { SourceRequest, SourceSettings } from '../../src/sources/source.ts';
import { type Kept, type SpoolProgress, spool } from '../../src/sources/spool.ts';
import { tempDir } from '../temp-dir.ts';
import { BUCKET, KEYS, type S3Server, startS3 } from './s3-server.ts';

const CSV = Buffer.from(`uid,guid\n${Array.from({ length: 5_000 }, (_, at) => `user-${at},g1\n`).join('')}`);

let server: S3Server;
beforeEach(async () => {
  server = await startS3();
  onTestFinished(() => server.close());
  put('members/2026-01.csv', 'uid,guid\nold,g1\n', '2026-01-31');
  put('members/2026-02.csv', CSV, '2026-02-28');
  put('members/notes.txt', 'nothing', '2026-03-01');
});

function put(key: string, bytes: string | Buffer, day: string): void {
  server.objects.set(key, { bytes: Buffer.from(bytes), modifiedAt: new Date(day) });
}

interface Given {
  readonly settings?: SourceSettings;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly kept?: Kept;
  readonly path?: string;
}

function source(address: string, { settings = {}, secrets = KEYS }: Given = {}) {
  const request: SourceRequest = {
    address,
    settings: { endpoint: server.endpoint, ...settings },
    environment: () => undefined,
    secret: (name) => (secrets as Record<string, string>)[name],
    ca: undefined,
  };
  return sourceAt(request);
}

async function kept(address: string, given: Given = {}) {
  const path = given.path ?? join(tempDir(), 'kept');
  const signal = new AbortController().signal;
  const spooled = await spool(await source(address, given), { path, maxBytes: 1e9, signal, kept: given.kept ?? null });
  return { ...spooled, bytes: readFileSync(path) };
}

async function refusal(attempt: Promise<unknown>): Promise<RollcallError> {
  const error = await attempt.then(
    () => new Error('it was not refused'),
    (cause: unknown) => cause,
  );
  if (!isError(error, 'BAD_SOURCE')) throw error;
  expect(`${error.message} ${error.stack} ${String(error.remedy)}`).not.toContain(KEYS.secretAccessKey);
  return error;
}

describe.each(['s3', 'gs'])('%s://', (scheme) => {
  test('an object is read whole, and again only when it has changed', async () => {
    const address = `${scheme}://${BUCKET}/members/2026-02.csv`;
    const first = await kept(address);
    expect(first.bytes.equals(CSV)).toBe(true);
    expect(first).toMatchObject({ name: address, version: expect.stringMatching(/^"[0-9a-f]{32}"$/) });

    server.asked.length = 0;
    const again = await kept(address, { path: first.path, kept: first });
    expect([again.hash, again.version, server.asked]).toEqual([first.hash, first.version, ['GET members/2026-02.csv']]);

    put('members/2026-02.csv', 'uid,guid\nnew,g1\n', '2026-03-01');
    const changed = await kept(address, { path: first.path, kept: first });
    expect(changed.bytes.toString()).toBe('uid,guid\nnew,g1\n');
  });

  test('of a pattern the newest object that fits is read, from all pages of the list', async () => {
    server.pageSize = 1;
    const { name, bytes } = await kept(`${scheme}://${BUCKET}/members/2026-*.csv`);
    expect([name, bytes.equals(CSV)]).toEqual([`${scheme}://${BUCKET}/members/2026-02.csv`, true]);
    expect(server.asked).toEqual([...Array(2).fill('LIST members/2026-'), 'GET members/2026-02.csv']);
    expect((await refusal(kept(`${scheme}://${BUCKET}/members/2027-*.csv`))).message).toContain('file fits');
  });
});

test('a name with characters that an address would encode is read', async () => {
  put('out/Q1 (final)+ü.csv.gz', gzipSync(CSV), '2026-01-01');
  expect((await kept(`s3://${BUCKET}/out/Q1 (final)+ü.csv.gz`)).bytes.equals(gzipSync(CSV))).toBe(true);
});

test('what is in a folder can be listed', async () => {
  put('members/old/2025.csv', 'x', '2025-01-01');
  expect(await (await source(`s3://${BUCKET}/members/2026-01.csv`)).list?.(new AbortController().signal)).toEqual([
    { name: 'old', kind: 'folder', modifiedAt: 0 },
    { name: '2026-01.csv', kind: 'file', modifiedAt: Date.parse('2026-01-31') },
    { name: '2026-02.csv', kind: 'file', modifiedAt: Date.parse('2026-02-28') },
    { name: 'notes.txt', kind: 'file', modifiedAt: Date.parse('2026-03-01') },
  ]);
});

describe('credentials are looked for as the AWS command line does:', () => {
  const inFile = (name: string, text: string) => {
    const path = join(tempDir(), name);
    writeFileSync(path, text);
    return path;
  };
  const keys = `aws_access_key_id = ${KEYS.accessKeyId}\naws_secret_access_key = ${KEYS.secretAccessKey}\n`;
  beforeEach(() => {
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_CONFIG_FILE', inFile('config', ''));
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', inFile('credentials', ''));
    onTestFinished(() => void vi.unstubAllEnvs());
  });
  const read = async () => (await kept(`s3://${BUCKET}/members/2026-02.csv`, { secrets: {} })).bytes.equals(CSV);

  test('in the environment', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', KEYS.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', KEYS.secretAccessKey);
    expect(await read()).toBe(true);
  });

  test('in a profile', async () => {
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', inFile('credentials', `[default]\n[hr]\n${keys}`));
    vi.stubEnv('AWS_PROFILE', 'hr');
    expect(await read()).toBe(true);
  });

  test('and where there are none, that is said', async () => {
    expect((await refusal(read())).remedy).toContain('credentials');
  });
});

test('a bucket of another region is read there', async () => {
  server.region = 'eu-central-1';
  const { bytes } = await kept(`s3://${BUCKET}/members/2026-02.csv`, { settings: { region: 'us-west-2' } });
  expect(bytes.equals(CSV)).toBe(true);
});

describe('an object whose reading breaks off', () => {
  test('is read on where it broke off', async () => {
    server.breakAfter = 20_000;
    const { bytes } = await kept(`s3://${BUCKET}/members/2026-02.csv`);
    expect(bytes.equals(CSV)).toBe(true);
    expect(server.asked).toEqual(Array(2).fill('GET members/2026-02.csv'));
  });

  test('and was replaced meanwhile is refused, and nothing is kept', async () => {
    server.breakAfter = 20_000;
    server.onBreak = () => put('members/2026-02.csv', CSV.subarray(0, 30_000), '2026-03-02');
    const path = join(tempDir(), 'kept');
    const error = await refusal(kept(`s3://${BUCKET}/members/2026-02.csv`, { path }));
    expect(error.remedy).toContain('replaced while');
    expect(existsSync(path)).toBe(false);
  });

  test('and is gone is refused', async () => {
    server.breakAfter = 20_000;
    server.onBreak = () => server.objects.clear();
    expect((await refusal(kept(`s3://${BUCKET}/members/2026-02.csv`))).message).toContain('NoSuchKey');
  });
});

describe('refused with what to do:', () => {
  test.each([
    ['NoSuchBucket', 's3://other/members.csv', {}, 'name of the bucket'],
    ['NoSuchKey', `s3://${BUCKET}/none.csv`, {}, 'check the key'],
    ['SignatureDoesNotMatch', `s3://${BUCKET}/m.csv`, { secrets: { ...KEYS, secretAccessKey: 'other' } }, 'access key'],
    ['InvalidAccessKeyId', `s3://${BUCKET}/m.csv`, { secrets: { ...KEYS, accessKeyId: 'OTHER' } }, 'access key'],
  ])('%s', async (code, address, given: Given, remedy) => {
    const error = await refusal(kept(address, given));
    expect(error.message).toContain(`${code}`);
    expect(error.remedy).toContain(remedy);
  });

  test.each([
    ['AccessDenied', 403, 's3:GetObject'],
    ['ExpiredToken', 400, 'log in again'],
    ['RequestTimeTooSkewed', 403, 'clock'],
    ['AuthorizationHeaderMalformed', 400, 'AWS_REGION'],
    ['PermanentRedirect', 301, 'AWS_REGION'],
    ['InvalidObjectState', 403, 'from the archive'],
  ])('%s', async (code, status, remedy) => {
    server.refuse = { code, status };
    expect((await refusal(kept(`s3://${BUCKET}/members/2026-02.csv`))).remedy).toContain(remedy);
  });

  test('a server that is not there', async () => {
    const settings = { endpoint: 'http://127.0.0.1:1' };
    expect((await refusal(kept(`s3://${BUCKET}/m.csv`, { settings }))).message).toContain('ECONNREFUSED');
  });

  test('an endpoint that could be read on the way, an address without a key, and gs:// without a key', async () => {
    const settings = { endpoint: 'http://minio.example' };
    expect((await refusal(kept(`s3://${BUCKET}/m.csv`, { settings }))).message).toContain('are https');
    expect((await refusal(kept(`s3://${BUCKET}/`))).message).toContain('no object');
    expect((await refusal(kept(`gs://${BUCKET}/m.csv`, { secrets: {} }))).message).toContain('HMAC key');
  });
});

test('an object that comes a byte at a time is given up when it takes too long', async () => {
  server.drips = true;
  const path = join(tempDir(), 'kept');
  const [signal, late] = [new AbortController().signal, new AbortController()];
  const onProgress = ({ bytes }: SpoolProgress) => bytes > 3 && late.abort();
  const opened = await source(`s3://${BUCKET}/members/2026-02.csv`);
  const error = await refusal(spool(opened, { path, maxBytes: 1e9, signal, late: late.signal, onProgress }));
  expect([error.message, existsSync(path)]).toEqual([expect.stringContaining('within 60 minutes'), false]);
});

test('reading stops when it is aborted', async () => {
  const stop = new AbortController();
  const opened = await (await source(`s3://${BUCKET}/members/2026-02.csv`)).open(stop.signal);
  stop.abort(new Error('stopped'));
  const reading = async () => {
    for await (const piece of opened.content?.pieces ?? []) expect(piece).toBeUndefined();
  };
  await expect(reading()).rejects.toThrow();
  await opened.close();
});
