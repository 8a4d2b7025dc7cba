import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test('an import of a file that cannot be used says why and what to do, in the words of the API', async () => {
  const file = new Blob(['guid,uid\ng,J', new Uint8Array([0xfc]), 'rg\n']);
  const { id } = await server.json<ImportView>('/v1/imports?name=m.csv', {
    method: 'POST',
    body: file,
    headers: { 'content-type': 'text/csv' },
  });
  const view = (await server.settled(id)) as ImportView;
  expect(view).toMatchObject({ state: 'rejected', code: 'BAD_ENCODING' });
  expect(view.reason).toBe(
    'line 2, byte 12: the byte 0xFC is not valid UTF-8 here. Name the encoding of the file, for instance `encoding=windows-1252`, or save it as UTF-8',
  );
  const { transitions } = await server.json<{ transitions: { reason: string }[] }>(`/v1/imports/${id}/transitions`);
  expect(transitions.at(-1)?.reason).toBe('line 2, byte 12: the byte 0xFC is not valid UTF-8 here');
});

test('an option that cannot be used is refused in the words of the API', async () => {
  const init = { method: 'POST', body: 'guid,uid\ng,u\n', headers: { 'content-type': 'text/csv' } };
  expect(await server.problem('/v1/imports?encoding=klingon', init)).toMatchObject({
    code: 'BAD_OPTION',
    field: 'encoding',
    remedy: 'Name the encoding with which the file was written, or leave `encoding` out for UTF-8.',
  });
  expect(await server.problem(`/v1/imports?onBehalfOf=${encodeURIComponent('a\u0007')}`, init)).toMatchObject({
    code: 'BAD_OPTION',
    field: 'onBehalfOf',
    remedy: 'Correct `onBehalfOf`.',
  });
});
