import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { BUCKET, KEYS, type S3Server, startS3 } from '../sources/s3-server.ts';
import { members, openSandboxPlace, type Workplace } from './workplace.ts';

/** Exports that are written to addresses. */

let server: S3Server;
let place: Workplace;
beforeEach(async () => {
  server = await startS3();
  onTestFinished(() => server.close());
  place = await openSandboxPlace();
  place.file('members.csv', members([['g', 'ann']]));
  expect((await place.run(['import', 'members.csv', '--region', 'us'])).code).toBe(0);
  place.env['AWS_ACCESS_KEY_ID'] = KEYS.accessKeyId;
  place.env['AWS_SECRET_ACCESS_KEY'] = KEYS.secretAccessKey;
});

const TO = `s3://${BUCKET}/exports/members.csv`;
const exported = () => ['export', '--output', TO, '--endpoint', server.endpoint];

test('an export is written into a bucket, its groups beside it, and replaces nothing unless it may', async () => {
  const { code, stdout, stderr } = await place.run(exported());
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain(`members  ${TO}`);
  expect([...server.objects.keys()]).toEqual(['exports/members.csv', 'exports/members-groups.csv']);
  expect(server.objects.get('exports/members.csv')?.bytes.toString()).toContain('ann');

  const again = await place.run(exported());
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('[OUTPUT_EXISTS]')]);
  expect((await place.run([...exported(), '--overwrite'])).code).toBe(0);
});

test('an export that cannot be written is kept, and written when it is continued', async () => {
  server.refuse = { code: 'AccessDenied', status: 403 };
  const { code, stderr } = await place.run(exported());
  expect([code, stderr]).toEqual([2, expect.stringContaining('s3:PutObject')]);
  const [, id = '', rest = ''] = /^ {2}rollcall export --resume (export-\S+) (.*)$/m.exec(stderr) ?? [];
  expect(rest).toBe(`--output ${TO} --endpoint ${server.endpoint}`);
  expect(server.objects.size).toBe(0);
  server.refuse = undefined;
  expect((await place.run(['export', '--resume', id, ...rest.split(' ')])).code).toBe(0);
  expect([server.objects.size, readdirSync(join(place.dataDir, 'exports'))]).toEqual([2, []]);
});

test.each([
  ['https://example.com/members.csv', 'cannot be written; name a file, or an address with s3://, gs:// or sftp://'],
  ['sftp://ann:hunter2@example.com/members.csv', 'take no password'],
])('--output %s is refused before anything is asked', async (output, says) => {
  const { code, stderr } = await place.run(['export', '--output', output]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  expect(stderr).not.toContain('hunter2');
  expect(existsSync(join(place.dataDir, 'exports'))).toBe(false);
});

test('flags of addresses are refused where the output is a file', async () => {
  const { code, stderr } = await place.run(['export', '--output', 'out.csv', '--endpoint', server.endpoint]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('[FLAG_FOR_ADDRESS]')]);
});
