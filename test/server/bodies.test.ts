import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from './test-server.ts';

/** Bodies that are no files: what is wrong with them is said in their own words, and the description of the API has it. */

type Described = Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;

let server: TestServer;
let paths: Described;
beforeAll(async () => {
  server = await startTestServer();
  ({ paths } = await server.json<{ paths: Described }>('/openapi.json'));
});
afterAll(() => server.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  server.problem(path, { method: 'POST', headers, body });

describe('a body that is no file', () => {
  test('is refused with the type that it has, and the one that it should have', async () => {
    for (const type of ['application/xml', 'application/x-www-form-urlencoded']) {
      const problem = await post('/v1/exports', '<groups/>', { 'content-type': type });
      expect(problem).toMatchObject({ code: 'MEDIA_TYPE', status: 415, remedy: 'Send application/json.' });
      expect(problem.detail).toBe(`Content-Type is "${type}".`);
    }
  });

  test('is refused when it is too large, with the size that is allowed and no word about files', async () => {
    const problem = await post('/v1/exports', JSON.stringify({ groups: ['g'.repeat(70_000)] }));
    expect(problem).toMatchObject({ code: 'TOO_LARGE', status: 413, remedy: 'Send less in one request.' });
    expect(problem.detail).toContain('65536 bytes');
  });

  test('is refused when it is not JSON, with no word about files', async () => {
    const problem = await post('/v1/exports', '{"groups": [');
    expect(problem).toMatchObject({ code: 'BAD_BODY', status: 400, detail: 'The body is not valid JSON.' });
    expect(problem.remedy).toContain('JSON');
  });

  test('may be empty where none is needed, whatever type it names', async () => {
    const { id } = await server.upload('guid,uid\ng,anna\n', 'dryRun=true');
    await server.settled(id);
    const resumed = await server.fetch(`/v1/imports/${id}/resume`, { method: 'POST', headers: JSON_TYPE });
    expect(resumed.status).toBe(200);
    expect((await server.settled(id)).rows.added).toBe(1);
  });

  test('is missed where one is needed', async () => {
    expect(await post('/v1/imports/actions', '')).toMatchObject({ code: 'BAD_OPTION', status: 400 });
  });
});

test('a file of a type that is not known is refused with the type that it has', async () => {
  const problem = await post('/v1/imports', 'guid,uid', { 'content-type': 'image/png' });
  expect(problem).toMatchObject({ code: 'MEDIA_TYPE', detail: 'Content-Type is "image/png".' });
  expect(problem.remedy).toContain('text/csv');
});

test('an option that an address does not have changes nothing, also where it has none at all', async () => {
  const { id } = await server.run('guid,uid\ng,ben\n');
  for (const [method, path] of [
    ['GET', `/v1/imports/${id}`],
    ['POST', `/v1/imports/${id}/pause`],
    ['DELETE', `/v1/imports/${id}`],
  ]) {
    const problem = await server.problem(`${path}?dryRun=true`, { ...(method !== undefined && { method }) });
    expect(problem, method).toMatchObject({ code: 'BAD_OPTION', field: 'dryRun' });
  }
  expect((await server.fetch(`/v1/imports/${id}`)).status).toBe(200);
});

test('the description of the API has every status that a wrong body or a server that stops is answered with', () => {
  for (const [path, methods] of Object.entries(paths).filter(([path]) => path.startsWith('/v1/'))) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const statuses = Object.keys(responses);
      if (path !== '/v1/session') expect(statuses, `${method} ${path}`).toContain('503');
      if (method !== 'get')
        expect(statuses, `${method} ${path}`).toEqual(expect.arrayContaining(['400', '413', '415']));
    }
  }
});
