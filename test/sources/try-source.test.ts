import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { trySources } from '../../src/sources/try-source.ts';
import { BUCKET, KEYS, type S3Server, startS3 } from './s3-server.ts';

/** The result of trying a named source: its contents, and the rights of the credentials. */

let server: S3Server;
beforeEach(async () => {
  server = await startS3();
  onTestFinished(() => server.close());
  put('out/old.csv', '2026-01-01');
  put('out/new.csv', '2026-02-01');
  put('root.csv', '2026-01-01');
});

function put(key: string, day: string): void {
  server.objects.set(key, { bytes: Buffer.from('uid,guid\nann,g1\n'), modifiedAt: new Date(day) });
}

async function tried(url: string) {
  const secrets = { accessKeyId: 'env:ID', secretAccessKey: 'env:SECRET' };
  const environment = (name: string) => ({ ID: KEYS.accessKeyId, SECRET: KEYS.secretAccessKey })[name];
  const named = { hr: { url, endpoint: server.endpoint, secrets } };
  const [found] = await trySources(['hr'], { named, environment, ca: undefined }, new AbortController().signal);
  return found;
}

test.each([
  [`s3://${BUCKET}`, '1 file in its folder; the newest, root.csv, can be read'],
  [`s3://${BUCKET}/`, '1 file in its folder; the newest, root.csv, can be read'],
  [`s3://${BUCKET}/out`, '2 files in its folder; the newest, new.csv, can be read'],
  [`s3://${BUCKET}/out/`, '2 files in its folder; the newest, new.csv, can be read'],
  [`s3://${BUCKET}/out/new.csv`, 'its file has 16 bytes'],
])('%s: %s', async (url, detail) => {
  expect(await tried(url)).toMatchObject({ ok: true, detail });
});

test('an empty bucket is well', async () => {
  server.objects.clear();
  expect(await tried(`s3://${BUCKET}`)).toMatchObject({ ok: true, detail: '0 files in its folder' });
});

test('credentials that may read and not list are well for one object, and it is said', async () => {
  server.forbidden = 'LIST';
  const { ok, detail } = (await tried(`s3://${BUCKET}/out/new.csv`)) ?? {};
  expect([ok, detail]).toEqual([true, expect.stringMatching(/ 16 bytes.*AccessDenied/)]);
});

test.each([
  ['LIST', `s3://${BUCKET}`, 'AccessDenied'],
  ['GET', `s3://${BUCKET}`, '/root.csv" cannot be read: the server says AccessDenied'],
  [undefined, 's3://other', 'NoSuchBucket'],
  [undefined, `s3://${BUCKET}/none.csv`, 'NoSuchKey'],
] as const)('what is refused is said as the service says it (%s): %s', async (forbidden, url, says) => {
  server.forbidden = forbidden;
  const { ok, detail, remedy } = (await tried(url)) ?? {};
  expect([ok, detail, remedy]).toEqual([false, expect.stringContaining(says), expect.stringContaining('check')]);
});
