import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { manyMembers, openWorkplace, type Workplace } from './workplace.ts';

/** A Node whose files may have so many KiB: to its processes, a full disk. No rights are needed to lift the limit. */
function limitedNode(place: Workplace, kib: number): string {
  place.file('limited-node', `#!/bin/bash\nulimit -S -f ${kib}\nexec ${JSON.stringify(process.execPath)} "$@"\n`);
  const path = join(place.root, 'limited-node');
  chmodSync(path, 0o755);
  return path;
}

test('a server survives a full disk: the import is blocked, and continues by itself when there is room', async () => {
  const place = await openWorkplace();
  const args = ['serve', '--sandbox', '--port', '0'];
  const server = place.start(args, { node: limitedNode(place, 400), stays: true });
  await server.says('Listening on http://');
  const address = /Listening on (\S+)/.exec(server.stderr())?.[1];
  const send = (body: string, name: string) =>
    fetch(`${address}/v1/imports?name=${name}&banCheck=false`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body,
    });
  const { id } = (await (await send(manyMembers(8_000), 'm.csv')).json()) as { id: string };
  const view = async () => (await (await fetch(`${address}/v1/imports/${id}`)).json()) as Record<string, unknown>;
  await eventually(view).toMatchObject({ state: 'blocked', code: 'DISK_FULL' });

  const full = await send(manyMembers(40_000), 'larger.csv');
  expect([full.status, await full.json()]).toMatchObject([507, { code: 'DISK_FULL' }]);

  execFileSync('prlimit', ['--pid', String(server.child.pid), '--fsize=unlimited']);
  await eventually(view).toMatchObject({ state: 'completed', rows: { added: 8_000 } });
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});
