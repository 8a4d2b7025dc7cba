import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { openWorkplace } from './cli/workplace.ts';
import { eventually } from './eventually.ts';
import { freePort } from './servers/program.ts';
import { startRedis } from './servers/redis.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Service {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const compose: { services: Record<string, Service> } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), {
  merge: true,
});

/** Starts services of the file as processes, with what containers have of their own replaced: names, ports, volumes. */
async function startServices() {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const place = await openWorkplace();
  const [sandboxPort, servePort] = [String(await freePort()), String(await freePort())];
  const here: readonly (readonly [string | RegExp, string])[] = [
    ['redis://redis:6379', redis.url],
    ['sandbox:8443', `localhost:${sandboxPort}`],
    [/^8443$/, sandboxPort],
    [/^7700$/, servePort],
    [/^9090$/, '0'],
    [/^0\.0\.0\.0$/, '127.0.0.1'],
    ['/run/sandbox/', `${place.root}/`],
    [/^\/data$/, place.dataDir],
  ];
  const replaced = (text: string) => here.reduce((done, [from, to]) => done.replace(from, to), text);
  const start = (name: string) => {
    const { command = [], environment = {} } = compose.services[name] ?? {};
    const named = (word: string, at: number) =>
      word === 'sandbox' && command[at - 1] === '--host' ? 'localhost' : word;
    const args = command.map((word, at) => replaced(named(word, at)));
    const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, replaced(value)]));
    return place.start(args, { env, cwd: ROOT, stays: true });
  };
  await start('sandbox').says('The sandbox listens on');
  const workers = ['worker-us', 'worker-eu', 'worker-in'].map(start);
  await Promise.all(workers.map((worker) => worker.says('Sending for')));
  return { place, start, workers, origin: `http://127.0.0.1:${servePort}` };
}

test('its commands, run as processes: workers and an import, then a service that takes imports, syncs and reports', async () => {
  const { place, start, workers, origin } = await startServices();
  const single = await start('coordinator').ended;
  expect([single.code, single.stdout]).toEqual([1, expect.stringMatching(/completed/i)]);

  const serve = start('serve');
  await serve.says('Listening on ');
  const token = await place.run(['token', 'create', '--role', 'operator']);
  const authorization = `Bearer ${token.stdout.trim()}`;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${origin}${path}`, { ...init, headers: { ...init.headers, authorization } });

  const body = 'uid,guid,region\nann,g,us\nbob,g,eu\n';
  const created = await ask('/v1/imports?name=m.csv', {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body,
  });
  expect(created.status).toBe(202);
  const location = created.headers.get('location') ?? '';
  await eventually(async () => (await ask(location)).json()).toMatchObject({ state: 'completed' });
  const report = await (await ask(`${location}/report?format=csv`)).text();
  expect(report.match(/,added,/g)).toHaveLength(2);

  const file = join(place.root, place.file('nightly.csv', 'uid,guid,region\nann,g,us\ncarl,g,us\n'));
  const nightly = ['schedule', 'add', 'nightly', '--cron', '30 2 * * *', '--file', file, '--apply'];
  const added = await place.run(nightly);
  expect([added.code, added.stderr]).toEqual([0, expect.stringContaining('Schedule nightly is added')]);
  expect((await place.run(['schedule', 'run', 'nightly'])).code).toBe(0);
  await eventually(async () => (await ask('/v1/schedules/nightly')).json()).toMatchObject({
    lastRun: { state: 'ran', reason: 'applied: every change has its outcome' },
  });
  for (const { child, ended } of [serve, ...workers]) {
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  }
});
