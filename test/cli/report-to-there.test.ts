import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BUCKET, KEYS, startS3 } from '../sources/s3-server.ts';
import { members, openSandboxPlace, type SandboxPlace, until } from './workplace.ts';

/** Reports of imports that a server runs: it may be asked to write them in some places only. */

let place: SandboxPlace;
let allowed: string;
beforeEach(async () => {
  place = await openSandboxPlace();
  place.file('members.csv', members([['g', 'ann']]));
  allowed = join(place.root, 'reports');
  mkdirSync(join(allowed, 'nightly'), { recursive: true });
});

async function serving(...flags: string[]) {
  const server = place.begin(['serve', '--port', '0', ...flags]);
  await server.says('Listening on ');
  const [, url = ''] = /Listening on (\S+)/.exec(server.stderr()) ?? [];
  const stop = async () => {
    server.interrupt();
    await server.ended;
  };
  return { url, stop };
}

const imports = () => readdirSync(join(place.dataDir, 'imports'));

describe('over the API', () => {
  test('reports are written in the places of ROLLCALL_REPORT_TARGETS, and nowhere else', async () => {
    symlinkSync(place.root, join(allowed, 'out'));
    place.env['ROLLCALL_REPORT_TARGETS'] = `${allowed},s3://backups/rollcall/`;
    const { url, stop } = await serving();
    const refused = [
      ...[place.root, join(allowed, '..'), join(allowed, 'out'), join(allowed, 'not-there'), 'reports'],
      ...[
        's3://backups/other',
        's3://other/rollcall',
        's3://backups/rollcall/../other',
        'https://example.com/x',
        'hr:/x',
      ],
      'sftp://ann:hunter2@example.com/x',
    ];
    for (const target of refused) {
      for (const [path, query] of [
        ['imports', ''],
        ['syncs', '&mode=mirror'],
      ]) {
        const asked = `${url}/v1/${path}?reportTo=${encodeURIComponent(target)}${query}`;
        const headers = { 'content-type': 'text/csv' };
        const answer = await fetch(asked, { method: 'POST', headers, body: 'guid,uid\ng,ann\n' });
        const { code, field } = (await answer.json()) as { code: string; field: string };
        expect([target, answer.status, code, field]).toEqual([target, 400, 'BAD_OPTION', 'reportTo']);
      }
      const schedule = { name: 'nightly', cron: '0 2 * * *', tz: 'UTC', file: '/x.csv', reportTo: target };
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}/v1/schedules`, { method: 'POST', headers, body: JSON.stringify(schedule) });
      expect([target, answer.ok]).toEqual([target, false]);
    }
    expect(existsSync(join(place.dataDir, 'imports')) ? imports() : []).toEqual([]);

    const to = join(allowed, 'nightly');
    const { code } = await place.run(['import', 'members.csv', '--server', url, '--report-to', to]);
    expect(code).toBe(0);
    const [id = ''] = imports();
    const viewed = async () =>
      (await (await fetch(`${url}/v1/imports/${id}`)).json()) as { delivery?: { arrivedAt: string } };
    await until(async () => typeof (await viewed()).delivery?.arrivedAt === 'string');
    expect(readdirSync(join(to, id)).toSorted()).toEqual(['report.csv', 'summary.json']);
    expect((await place.run(['status', id, '--server', url])).stderr).toContain('The reports were delivered to');
    await stop();
  });

  test('none are where it is not set', async () => {
    const { url, stop } = await serving();
    const { code, stderr } = await place.run(['import', 'members.csv', '--server', url, '--report-to', allowed]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('ROLLCALL_REPORT_TARGETS')]);
    await stop();
  });
});

test('resume of an import whose reports wait at a server says that they are tried again', async () => {
  place.env['ROLLCALL_REPORT_TARGETS'] = allowed;
  const { url, stop } = await serving();
  const sent = ['import', 'members.csv', '--server', url, '--report-to', allowed, '--dry-run'];
  expect((await place.run(sent)).code).toBe(0);
  const [id = ''] = imports();
  rmSync(allowed, { recursive: true });
  await place.run(['resume', id]);
  await until(async () => (await place.run(['status', id])).stderr.includes('there is no folder'));
  for (const where of [[], ['--server', url]]) {
    const { code, stderr } = await place.run(['resume', id, ...where]);
    expect([code, stderr]).toEqual([6, expect.stringContaining('tries again by itself')]);
  }
  await stop();
});

test('a schedule says where the reports of its runs go', async () => {
  place.file('exports/members.csv', members([['g', 'ann']]));
  const add = ['schedule', 'add', 'nightly', '--cron', '0 2 * * *', '--file', 'exports/members.csv', '--apply'];
  expect((await place.run([...add, '--report-to', 'reports/nightly'])).code).toBe(0);
  expect((await place.run(['schedule', 'run', 'nightly'])).code).toBe(0);
  const to = join(allowed, 'nightly');
  const [id = ''] = readdirSync(to);
  expect(readdirSync(join(to, id)).toSorted()).toEqual(['report.csv', 'summary.json']);
  expect((await place.run(['schedule', 'edit', 'nightly', '--report-to', 'reports'])).code).toBe(0);
  place.file('exports/members.csv', members([['g', 'bob']]));
  expect((await place.run(['schedule', 'run', 'nightly'])).code).toBe(0);
  expect(readdirSync(allowed)).toHaveLength(2);
  expect((await place.run(['schedule', 'edit', 'nightly', '--no-report-to'])).code).toBe(0);
  place.file('exports/members.csv', members([['g', 'cid']]));
  expect((await place.run(['schedule', 'run', 'nightly'])).code).toBe(0);
  expect(readdirSync(allowed)).toHaveLength(2);
});

test('who is notified of imports hears once that reports wait, and then that they have arrived', async () => {
  const notes: { type: string; data: { state: string; reason: string } }[] = [];
  const receiver = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    notes.push(JSON.parse(text));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void receiver.close());
  place.env['ROLLCALL_NOTIFY_SECRET'] = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const notify = ['--notify', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`, '--notify-private'];
  await (await serving(...notify)).stop();

  const bucket = await startS3();
  onTestFinished(() => bucket.close());
  place.env['AWS_ACCESS_KEY_ID'] = KEYS.accessKeyId;
  place.env['AWS_SECRET_ACCESS_KEY'] = 'wrong';
  const to = ['--report-to', `s3://${BUCKET}/r`, '--endpoint', bucket.endpoint];
  const running = place.begin(['import', 'members.csv', ...to]);
  await running.says('check the access key and its secret');
  running.interrupt();
  expect((await running.ended).code).toBe(0);
  expect(bucket.objects.size).toBe(0);

  place.env['AWS_SECRET_ACCESS_KEY'] = KEYS.secretAccessKey;
  const { stop } = await serving(...notify);
  await until(() => notes.length === 3);
  await stop();
  // They may arrive in another order.
  expect(notes.map(({ type, data }) => [type, data.state]).toSorted()).toEqual([
    ['import.completed', 'completed'],
    ['import.reports_arrived', 'completed'],
    ['import.reports_wait', 'completed'],
  ]);
  expect(notes.find(({ type }) => type === 'import.reports_wait')?.data.reason).toContain('check the access key');
  const [id = ''] = imports();
  const sent = bucket.objects.get(`r/${id}/report.csv`)?.bytes.toString();
  expect(sent).toBe(readFileSync(join(place.dataDir, 'imports', id, 'report.csv'), 'utf8'));
});
