import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startSshd } from '../servers/sshd.ts';
import { wayTo } from '../servers/way-to-sshd.ts';
import { BUCKET, KEYS, type S3Server, startS3 } from '../sources/s3-server.ts';
import { members, openSandboxPlace, type SandboxPlace, until } from './workplace.ts';

/** Reports that are written elsewhere when an import is over. */

let place: SandboxPlace;
beforeEach(async () => {
  place = await openSandboxPlace();
  place.file(
    'members.csv',
    members([
      ['g', 'ann'],
      ['g', ''],
    ]),
  );
});

const FILES = ['failed.csv', 'report.csv', 'summary.json'];

async function bucket(): Promise<S3Server> {
  const server = await startS3();
  onTestFinished(() => server.close());
  place.env['AWS_ACCESS_KEY_ID'] = KEYS.accessKeyId;
  place.env['AWS_SECRET_ACCESS_KEY'] = KEYS.secretAccessKey;
  return server;
}

const TO = `s3://${BUCKET}/rollcall`;
const importTo = (server: S3Server, file = 'members.csv') => [
  ...['import', file, '--report-to', TO, '--endpoint', server.endpoint],
];
/** The import that is there, beside those that are known; ids of one second are in no order. */
function onlyImport(...known: string[]): string {
  const [id = '', ...others] = readdirSync(join(place.dataDir, 'imports')).filter((one) => !known.includes(one));
  expect(others).toEqual([]);
  return id;
}

const written = (id: string, name: string) => readFileSync(join(place.dataDir, 'imports', id, name));

/** The files of an import that are in the bucket, by name; each is the one that is here. */
function delivered(server: S3Server, id: string): string[] {
  const prefix = `rollcall/${id}/`;
  return [...server.objects].flatMap(([key, { bytes }]) => {
    if (!key.startsWith(prefix)) return [];
    const name = key.slice(prefix.length);
    expect([name, bytes.equals(written(id, name))]).toEqual([name, true]);
    return name;
  });
}

test('the reports of an import are written into a folder, and its result and status say so', async () => {
  mkdirSync(join(place.root, 'reports'));
  const { code, stderr } = await place.run(['import', 'members.csv', '--report-to', 'reports']);
  const id = onlyImport();
  const to = join(place.root, 'reports', id);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`The reports were delivered to ${to}/`)]);
  expect(readdirSync(to).toSorted()).toEqual(FILES);
  for (const name of FILES) expect(readFileSync(join(to, name)).equals(written(id, name))).toBe(true);
  expect((await place.run(['status', id])).stderr).toContain(`The reports were delivered to ${to}/`);
  const { delivery } = JSON.parse((await place.run(['status', id, '--json'])).stdout);
  expect(delivery).toEqual({ to: `${to}/`, since: expect.any(String), arrivedAt: expect.any(String), error: null });
});

test.each([
  ['reports', 'there is no folder'],
  ['members.csv', 'is not a folder'],
  ['https://example.com/reports', 'https:// addresses cannot be written'],
  ['sftp://ann:hunter2@example.com/reports', 'take no password'],
  ['hr:/reports', 'there is no folder'],
])('--report-to %s is refused before anything is read', async (target, says) => {
  for (const command of ['import', 'sync']) {
    const { code, stderr } = await place.run([command, 'members.csv', '--report-to', target]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(stderr).not.toContain('hunter2');
  }
  expect(place.calls()).toBe(0);
});

test('a bucket gets them after an import, its retry and a sync', async () => {
  place = await openSandboxPlace({ groups: 'any', seed: { users: [{ uid: 'ann', name: 'Ann' }] } });
  const server = await bucket();
  place.file(
    'members.csv',
    members([
      ['g', 'ann'],
      ['g', 'nobody'],
    ]),
  );
  const all = ['report.csv', 'failed.csv', 'retry.csv', 'summary.json'];
  expect((await place.run(importTo(server))).code).toBe(1);
  const id = onlyImport();
  expect(delivered(server, id)).toEqual(all);
  expect((await place.run(['retry', id])).code).toBe(1);
  const retried = onlyImport(id);
  expect(delivered(server, retried)).toEqual(all);
  const sync = ['sync', 'good.csv', '--report-to', TO, '--endpoint', server.endpoint, '--apply'];
  place.file('good.csv', members([['h', 'ann']]));
  const { code, stderr } = await place.run(sync);
  expect([code, stderr]).toEqual([0, expect.stringContaining('The reports were delivered to s3://')]);
  expect(delivered(server, onlyImport(id, retried))).toEqual(['report.csv', 'summary.json']);
});

test('a bucket that refuses changes nothing of the outcome; resume delivers when it is put right', async () => {
  const server = await bucket();
  server.refuse = { code: 'AccessDenied', status: 403 };
  const running = place.begin(importTo(server));
  await running.says('delivering the reports to s3://');
  await running.says('s3:PutObject');
  running.interrupt();
  const { code, stderr } = await running.ended;
  expect([code, stderr]).toEqual([1, expect.stringMatching(/The reports wait to be delivered to .*s3:PutObject/s)]);
  const id = onlyImport();
  expect(stderr).toContain(`rollcall resume ${id}`);
  expect((await place.run(['status', id])).stderr).toContain('The reports wait to be delivered');
  expect(delivered(server, id)).toEqual([]);

  server.refuse = undefined;
  const resumed = await place.run(['resume', id]);
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('The reports were delivered to s3://')]);
  expect(delivered(server, id)).toEqual(['report.csv', 'failed.csv', 'summary.json']);
  const again = await place.run(['resume', id]);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('there is nothing to resume')]);
});

test('a connection that breaks in the middle is tried again', async () => {
  const server = await bucket();
  place.file('many.csv', members(Array.from({ length: 3_000 }, (_, at) => ['g', `user-${at}`])));
  server.breakWrites = 50_000;
  let broken = 0;
  server.onBreak = () => {
    broken += 1;
    // The client of the bucket tries three times by itself.
    if (broken === 4) server.breakWrites = undefined;
  };
  const { code } = await place.run(importTo(server, 'many.csv'));
  expect([code, broken]).toEqual([0, 4]);
  expect(delivered(server, onlyImport())).toEqual(['report.csv', 'summary.json']);
});

test('a process that is killed while it delivers leaves nothing in part, and a server delivers after the next start', async () => {
  const server = await bucket();
  place.file('many.csv', members(Array.from({ length: 3_000 }, (_, at) => ['g', `user-${at}`])));
  server.breakWrites = 50_000;
  const running = place.start(importTo(server, 'many.csv'));
  server.onBreak = () => running.child.kill('SIGKILL');
  await running.ended;
  const id = onlyImport();
  expect([delivered(server, id), existsSync(join(place.dataDir, 'imports', id, 'report.csv'))]).toEqual([[], true]);
  server.breakWrites = undefined;
  const serving = place.begin(['serve', '--port', '0']);
  await until(async () => (await place.run(['status', id])).stderr.includes('The reports were delivered'));
  serving.interrupt();
  await serving.ended;
  expect(delivered(server, id)).toEqual(['report.csv', 'summary.json']);
});

test('a process that is killed while it delivers over SFTP leaves no report in part, and a server delivers after the next start', async () => {
  const sshd = await startSshd();
  onTestFinished(() => sshd.stop());
  const folder = join(sshd.dir, 'files');
  chmodSync(folder, 0o777);
  place.file('many.csv', members(Array.from({ length: 3_000 }, (_, at) => ['g', `user-${at}`])));
  let kill = () => {};
  const way = await wayTo(sshd, () => kill(), 50_000);
  const settings = (hr: object) =>
    place.file(
      'rollcall.config.json',
      JSON.stringify({ sources: { hr: { keyFile: sshd.keyFile, ...hr } }, reportTo: 'hr:' }),
    );
  settings({ url: way.addressOf(sshd.url), ...way.trusted });
  const running = place.start(['import', 'many.csv']);
  kill = () => void running.child.kill('SIGKILL');
  await running.ended;
  const id = onlyImport();
  expect(readdirSync(join(folder, id))).toEqual(['report.csv.part']);

  settings({ url: sshd.url, knownHosts: sshd.knownHosts });
  const serving = place.begin(['serve', '--port', '0']);
  await until(async () => (await place.run(['status', id])).stderr.includes('The reports were delivered'));
  serving.interrupt();
  await serving.ended;
  expect(readdirSync(join(folder, id)).toSorted()).toEqual(['report.csv', 'summary.json']);
  for (const name of ['report.csv', 'summary.json']) {
    expect([name, readFileSync(join(folder, id, name)).equals(written(id, name))]).toEqual([name, true]);
  }
});

test('an SFTP server in the settings gets the reports of every import, and of no import into a sandbox', async () => {
  const sshd = await startSshd();
  onTestFinished(() => sshd.stop());
  const folder = join(sshd.dir, 'files');
  chmodSync(folder, 0o777);
  const hr = { url: sshd.url, keyFile: sshd.keyFile, knownHosts: sshd.knownHosts };
  place.file('rollcall.config.json', JSON.stringify({ sources: { hr }, reportTo: 'hr:' }));
  expect((await place.run(['import', 'members.csv'])).code).toBe(1);
  const id = onlyImport();
  expect(readdirSync(join(folder, id)).toSorted()).toEqual(FILES);
  expect((await place.run(['import', 'members.csv', '--sandbox'])).stderr).not.toContain('The reports');
  expect(readdirSync(folder)).toEqual([id]);
});
