import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { listen } from '../chat/chat-server.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { members, openWorkplace } from './workplace.ts';

/** A file at an address, sent to a server: it is fetched on the machine of the command, which has its secrets. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const SECRET = 's3cret-of-the-export';

test('import and sync send a server what is at an address, and neither query nor header is known there', async () => {
  const asked: IncomingMessage[] = [];
  const files = createServer((request: IncomingMessage, reply: ServerResponse) => {
    asked.push(request);
    reply.end(members([['team', 'ann']]));
  });
  const url = `http://${await listen(files)}/members.csv?signature=${SECRET}`;
  const place = await openWorkplace({ env: { ROLLCALL_SERVER: server.url, EXPORT_TOKEN: SECRET } });
  for (const command of [
    ['import', url],
    ['sync', url],
  ]) {
    const { code, stdout, stderr } = await place.run([...command, '--header', 'Authorization=env:EXPORT_TOKEN']);
    expect([command[0], code, code === EXIT.ok ? '' : stderr]).toEqual([command[0], EXIT.ok, '']);
    expect(stdout + stderr).not.toContain(SECRET);
  }
  expect(asked.map(({ headers }) => headers.authorization)).toEqual([SECRET, SECRET]);
  const listed = await place.run(['list', '--json']);
  expect(listed.stdout).toContain('members.csv');
  expect(listed.stdout).not.toContain(SECRET);
});

test('what is not there is refused before the server is asked', async () => {
  const files = createServer((_: IncomingMessage, reply: ServerResponse) => void reply.writeHead(404).end());
  const place = await openWorkplace({ env: { ROLLCALL_SERVER: server.url } });
  const { code, stderr } = await place.run(['import', `http://${await listen(files)}/members.csv`]);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('answered 404')]);
});
