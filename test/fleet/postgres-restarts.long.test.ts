import { beforeEach, expect, test } from 'vitest';
import { openSandboxPlace, type Running } from '../cli/workplace.ts';
import type { TestServer } from '../servers/server.ts';
import { calls, eventually, openFleet } from './fleet.ts';
import { POSTGRES } from './places.ts';

let server: TestServer;
beforeEach(async () => {
  server = await POSTGRES.start();
  return () => server.stop();
});

const AWAY = 'connect ECONNREFUSED';

/** Stops Postgres, waits until these processes have said so once more, and starts it; without any, at once. */
async function restart(noticing: readonly Running[]): Promise<void> {
  const times = (one: Running) => one.stdout().split(AWAY).length;
  const before = noticing.map(times);
  await server.kill();
  for (const [at, one] of noticing.entries()) await eventually(() => times(one)).toBeGreaterThan(before[at] ?? 0);
  await server.start();
}

test('workers and a coordinator outlive two restarts of Postgres in the middle of an import, and every row is added', async () => {
  const fleet = await openFleet(server, { latencyMs: 100 });
  const slowly = ['--concurrency', '2'];
  const workers = [await fleet.worker(['us', 'eu'], slowly), await fleet.worker(['us', 'in'], slowly)];
  const rows = [...calls(200, 'us'), ...calls(200, 'eu'), ...calls(200, 'in')];
  const run = fleet.import(rows);
  for (const done of [30, 200]) {
    await eventually(() => fleet.calls()).toBeGreaterThan(done);
    await restart(workers);
  }
  const { code, stdout } = await run.ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining('every row is accounted for')]);
  const states = fleet.rows().map(({ status }) => status);
  expect(states.filter((status) => status === 'added' || status === 'already_member')).toHaveLength(rows.length);
  for (const { child } of workers) expect(child.exitCode).toBeNull();
});

test('serve outlives two restarts of Postgres in the middle of an import', async () => {
  const place = await openSandboxPlace({ users: 'any', groups: 'any', latencyMs: 100 });
  place.env['ROLLCALL_QUEUE'] = server.url;
  place.start(['worker', '--region', 'us', '--concurrency', '2'], { stays: true });
  const serving = place.start(['serve', '--port', '0', '--calls-per-minute', '100000'], { stays: true });
  await serving.says('Listening on http://');
  const url = /Listening on (http:\S+)/.exec(serving.stderr())?.[1];
  const body = `region,guid,uid\n${calls(400)
    .map(({ region, guid, uid }) => `${region},${guid},${uid}`)
    .join('\n')}\n`;
  const headers = { 'content-type': 'text/csv' };
  const answer = await fetch(`${url}/v1/imports?banCheck=false`, { method: 'POST', headers, body });
  const { id } = (await answer.json()) as { id: string };
  for (const done of [30, 150]) {
    await eventually(() => place.calls()).toBeGreaterThan(done);
    await restart([]);
  }
  const found = async () => (await fetch(`${url}/v1/imports/${id}`)).json();
  await eventually(found).toMatchObject({ state: 'completed' });
  expect(await found()).toMatchObject({ rows: { read: 400, unprocessed: 0, failed: 0, unconfirmed: 0 } });
  serving.child.kill('SIGTERM');
  expect((await serving.ended).code).toBe(0);
});
