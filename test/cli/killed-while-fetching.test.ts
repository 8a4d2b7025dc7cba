import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { listen } from '../chat/chat-server.ts';
import { members, openSandboxPlace, until } from './workplace.ts';

/** A process that is killed while it fetches its file, at a known point: half of the file has come. */

test.each([
  ['imports', ['import']],
  ['syncs', ['sync', '--apply']],
])('leaves nothing in %s after the next start', async (folder, command) => {
  const server = createServer((_, reply) => {
    reply.writeHead(200, { 'content-length': '1000' });
    reply.write('guid,uid\nteam,ann\n');
  });
  const address = `http://${await listen(server as never)}/members.csv`;
  const place = await openSandboxPlace();
  place.file('m.csv', members([['team', 'bob']]));
  expect((await place.run(['import', 'm.csv'])).code).toBe(EXIT.ok);
  const all = join(place.dataDir, folder);
  const below = () => (existsSync(all) ? readdirSync(all, { recursive: true, encoding: 'utf8' }) : []);
  const run = place.start([...command, address]);
  await until(() => below().some((name) => name.endsWith('input.part')));
  run.child.kill('SIGKILL');
  await run.ended;
  const [left = ''] = below().filter((name) => name.endsWith('input.part'));
  expect(below()).toContain(dirname(left));

  expect((await place.run([...command, 'm.csv'])).code).toBe(EXIT.ok);
  expect(below()).not.toContain(dirname(left));
});
