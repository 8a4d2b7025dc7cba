import { beforeEach, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { Region } from '../../src/membership/membership.ts';
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

/** Stops Postgres, waits until these processes have said so once more, and starts it when something else has happened. */
async function restart(noticing: readonly Running[], meanwhile: () => Promise<unknown>): Promise<void> {
  const times = (one: Running) => one.stdout().split(AWAY).length;
  const before = noticing.map(times);
  await server.kill();
  for (const [at, one] of noticing.entries()) await eventually(() => times(one)).toBeGreaterThan(before[at] ?? 0);
  await meanwhile();
  await server.start();
}

test('workers and a coordinator outlive two restarts of Postgres in the middle of an import, and every row is added', async () => {
  const fleet = await openFleet(server, { latencyMs: 100 });
  const slowly = ['--concurrency', '2'];
  const workers = [await fleet.worker(['us'], slowly), await fleet.worker(['us', 'in'], slowly)];
  const rows = [...calls(200, 'us'), ...calls(200, 'eu'), ...calls(200, 'in')];
  const run = fleet.import(rows);
  for (const done of [30, 200]) {
    await eventually(() => fleet.calls()).toBeGreaterThan(done);
    // Also one that begins while Postgres is away.
    await restart([...workers], async () => workers.push(await fleet.worker(['eu'], slowly)));
  }
  const { code, stdout } = await run.ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining('every row is accounted for')]);
  const states = fleet.rows().map(({ status }) => status);
  expect(states.filter((status) => status === 'added' || status === 'already_member')).toHaveLength(rows.length);
  for (const { child } of workers) expect(child.exitCode).toBeNull();
});

test('serve outlives two restarts of Postgres in the middle of an import, and takes others meanwhile', async () => {
  const place = await openSandboxPlace({ users: 'any', groups: 'any', latencyMs: 100 });
  place.env['ROLLCALL_QUEUE'] = server.url;
  place.start(['worker', '--region', 'us,eu,in', '--concurrency', '2'], { stays: true });
  const serving = place.start(['serve', '--port', '0', '--calls-per-minute', '100000'], { stays: true });
  await serving.says('Listening on http://');
  const url = /Listening on (http:\S+)/.exec(serving.stderr())?.[1];
  const found = async () => {
    const { imports } = (await (await fetch(`${url}/v1/imports`)).json()) as { imports: ImportView[] };
    return imports.map(({ state, rows: { added, already_member } }) => [state, added + already_member]);
  };
  /** Resolves when the import has begun. */
  const upload = async (count: number, region: Region) => {
    const lines = calls(count, region).map(({ guid, uid }) => `${region},${guid},${uid}`);
    const body = `region,guid,uid\n${lines.join('\n')}\n`;
    await fetch(`${url}/v1/imports?banCheck=false`, { method: 'POST', headers: { 'content-type': 'text/csv' }, body });
    await eventually(async () => (await found())[0]?.[0]).toBe('running');
  };
  await upload(400, 'us');
  await eventually(() => place.calls()).toBeGreaterThan(30);
  await restart([], () => upload(20, 'eu'));
  await eventually(() => place.calls()).toBeGreaterThan(150);
  await restart([], () => upload(20, 'in'));
  await eventually(found).toEqual([20, 20, 400].map((rows) => ['completed', rows]));
  serving.child.kill('SIGTERM');
  expect((await serving.ended).code).toBe(0);
});
