import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const upload = { method: 'POST', headers: { 'content-type': 'text/csv' } };
const WIDE = `uid,guid${',x'.repeat(1_500)}\nu,g${',1'.repeat(1_500)}\n`;

test('a preview ignores the column of a field that is mapped to nothing', async () => {
  const { preview } = await server.look('uid,guid,role\nu,g,teacher\n', 'map=scope=');
  expect(preview?.recognised).toEqual({ uid: 'uid', guid: 'guid' });
  expect(preview?.rows).toMatchObject([{ scope: 'participant', problems: [] }]);
});

test('an upload may raise a bound up to its most; a preview may not', async () => {
  expect((await server.fetch('/v1/imports?bound=columns=4000&dryRun=true', { ...upload, body: WIDE })).status).toBe(
    202,
  );
  expect(await server.problem('/v1/imports?bound=columns=99999', { ...upload, body: WIDE })).toMatchObject({
    code: 'BAD_OPTION',
    field: 'bound',
  });
  expect(await server.problem('/v1/look?bound=columns=4000', { ...upload, body: WIDE })).toMatchObject({
    code: 'BAD_OPTION',
  });
  const { problem } = await server.look(WIDE);
  expect(problem).toMatchObject({ code: 'BAD_BODY', detail: expect.stringContaining('1502 columns') });
});

test('a preview of what is nested without end is refused, and the server goes on', async () => {
  const deep = `{"guid":"g","uid":"u","x":${'['.repeat(6_000)}${']'.repeat(6_000)}}\n`;
  const { problem } = await server.look(deep, '', 'application/x-ndjson');
  expect(problem).toMatchObject({ code: 'BAD_BODY', detail: expect.stringContaining('100 levels') });
  expect((await server.fetch('/healthz')).status).toBe(200);
});
