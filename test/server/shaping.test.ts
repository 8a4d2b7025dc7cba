import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const PEOPLE = 'email,uid\nanna@x.it,anna\nben@x.it,ben\n';
const MEMBERS = 'who,guid,status\nAnna@x.it,g1;g2,on\nben@x.it,g1,off\nnew@x.it,g1,on\n';
const shape = (value: object) => `shape=${encodeURIComponent(JSON.stringify(value))}`;

function form(parts: readonly (readonly [name: string, content: string])[]): FormData {
  const data = new FormData();
  for (const [name, content] of parts) data.append(name, new File([content], `${name}.csv`, { type: 'text/csv' }));
  return data;
}

const post = (address: string, body: FormData | string) =>
  fetch(`${server.url}${address}`, {
    method: 'POST',
    body,
    ...(typeof body === 'string' && { headers: { 'content-type': 'text/csv' } }),
  });

async function finished(response: Response): Promise<ImportView> {
  expect(response.status).toBe(202);
  const { id } = (await response.json()) as ImportView;
  return server.settled(id);
}

test.each([
  [
    'in front of',
    [
      ['identities', PEOPLE],
      ['file', MEMBERS],
    ],
  ],
  [
    'behind',
    [
      ['file', MEMBERS],
      ['identities', PEOPLE],
    ],
  ],
] as const)('a shape, with the identity file as a part of the form %s the file', async (_, parts) => {
  const shaping = { identities: {}, split: { guid: ';' }, where: [{ column: 'status', is: ['on'] }] };
  const view = await finished(await post(`/v1/imports?map=uid%3Dwho&${shape(shaping)}`, form(parts)));
  expect(view).toMatchObject({ state: 'completed', inputRows: 3, rows: { read: 4, invalid: 1, skipped: 1 } });
  expect(view.rows.added + view.rows.already_member).toBe(2);
  const { rows } = await server.json<{ rows: { uid: string; value: string; line: number; original: object }[] }>(
    `/v1/imports/${view.id}/rows`,
  );
  expect(rows.slice(0, 2).map(({ uid, value, line, original }) => [uid, value, line, original])).toEqual([
    ['anna', 'guid=g1', 2, { who: 'Anna@x.it', guid: 'g1;g2', status: 'on' }],
    ['anna', 'guid=g2', 2, { who: 'Anna@x.it', guid: 'g1;g2', status: 'on' }],
  ]);
  expect(server.leftovers()).toEqual([]);
});

test('a group file as a part of the form beside an identity file: each row becomes memberships of all its groups', async () => {
  const table = 'code,guid,scope\ng1,g-one,admin\ng1,g-two,\n';
  const shaping = { identities: {}, groups: {}, split: { guid: ';' } };
  const parts = [['groups', table] as const, ['file', MEMBERS] as const, ['identities', PEOPLE] as const];
  const view = await finished(await post(`/v1/imports?map=uid%3Dwho&${shape(shaping)}`, form(parts)));
  const { rows } = await server.json<{ rows: { uid: string; guid: string; scope: string; code: string }[] }>(
    `/v1/imports/${view.id}/rows`,
  );
  expect(rows.slice(0, 5).map(({ uid, guid, scope, code }) => [uid, guid, scope, code])).toEqual([
    ['anna', 'g-one', 'admin', expect.anything()],
    ['anna', 'g-two', 'participant', expect.anything()],
    ['anna', '', 'participant', 'UNKNOWN_GROUP'],
    ['ben', 'g-one', 'admin', expect.anything()],
    ['ben', 'g-two', 'participant', expect.anything()],
  ]);
  expect(server.leftovers()).toEqual([]);
});

test('a part that is there twice is refused', async () => {
  const response = await post(
    `/v1/imports?${shape({ groups: {} })}`,
    form([
      ['groups', 'code,guid\na,b\n'],
      ['groups', 'code,guid\na,c\n'],
      ['file', MEMBERS],
    ]),
  );
  expect(response.status).toBe(400);
});

test('an identity file that is asked for and not sent: the import is rejected, with what to do', async () => {
  const view = await finished(await post(`/v1/imports?map=uid%3Dwho&${shape({ identities: {} })}`, MEMBERS));
  expect(view).toMatchObject({ state: 'rejected', code: 'BAD_IDENTITIES' });
});

test.each([
  ['shape=%7B', 'shape', /allowed is a JSON object/],
  [shape({ spilt: {} }), 'shape', /spilt/],
  [shape({ templates: { uid: '{a|b}' } }), 'shape', /"b" in "\{a\|b\}" is not a function/],
  ['first=0', 'first', /whole number from 1/],
  ['only=group%3Dx', 'only', /guid=… or uid=…/],
])('%s is refused before the file is kept', async (query, field, detail) => {
  const response = await post(`/v1/imports?${query}`, MEMBERS);
  expect(response.status).toBe(400);
  const problem = (await response.json()) as { code: string; field: string; detail: string };
  expect(problem).toMatchObject({ code: 'BAD_OPTION', field, detail: expect.stringMatching(detail) });
});

test('a preview shows what the first rows become', async () => {
  const { preview } = await server.look(MEMBERS, `map=uid%3Dwho&${shape({ split: { guid: ';' } })}`);
  expect(preview?.rows.map(({ guid }) => guid).slice(0, 2)).toEqual(['g1', 'g2']);
  expect(preview?.recognised).toMatchObject({ uid: 'who', guid: 'guid' });
});
