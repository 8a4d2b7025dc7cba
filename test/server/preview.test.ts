import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Preview } from '../../src/api/look.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const FILE = (body: string | Buffer) => ({ method: 'POST', headers: { 'content-type': 'text/csv' }, body });
const preview = async (body: string | Buffer, query = '') => (await server.look(body, query)).preview as Preview;
const refused = async (body: string | Buffer, query = '') => (await server.look(body, query, 'text/csv')).problem;

test('the first rows are shown as they would be read, with what is wrong with each', async () => {
  expect(await preview('Group;Member;Note\ng1;anna;x\ng1;not an id;y\n')).toEqual({
    format: 'csv',
    kind: 'csv',
    notes: [],
    encoding: 'utf-8',
    delimiter: ';',
    columns: ['Group', 'Member', 'Note'],
    recognised: { guid: 'Group', uid: 'Member' },
    missing: [],
    truncated: false,
    rows: [
      {
        line: 2,
        region: 'us',
        guid: 'g1',
        uid: 'anna',
        scope: 'participant',
        original: { Group: 'g1', Member: 'anna', Note: 'x' },
        problems: [],
      },
      expect.objectContaining({
        line: 3,
        problems: [expect.objectContaining({ column: 'Member', value: 'not an id', code: 'BAD_CHARACTER' })],
      }),
    ],
  });
});

test('columns that are not recognised are named as missing, until they are mapped', async () => {
  const file = 'Badge,Team\nanna,g1\n';
  const before = await preview(file);
  expect(before).toMatchObject({ recognised: {}, missing: ['uid', 'guid'], columns: ['Badge', 'Team'] });
  expect(before.rows).toHaveLength(1);
  expect(await preview(file, 'map=uid=Badge&guid=team')).toMatchObject({ recognised: { uid: 'Badge' }, missing: [] });
});

test('where two columns stand for one field, a person has to choose', async () => {
  const file = 'uid,user,guid\na,b,g\n';
  expect(await preview(file)).toMatchObject({ missing: ['uid'], recognised: { guid: 'guid' } });
  const chosen = await preview(file, 'map=uid=user');
  expect(chosen).toMatchObject({ missing: [], recognised: { uid: 'user' } });
  expect(chosen.rows).toMatchObject([{ uid: 'b' }]);
});

test.each([
  ['JSON', '[{"guid":"g","uid":"a","more":{"x":1}},{"guid":"g","ui', 'json', 1],
  ['NDJSON', '{"guid":"g","uid":"a","more":{"x":1}}\n{"guid":"g","ui', 'ndjson', 1],
])('the beginning of a longer %s file shows its whole rows', async (_, text, format, rows) => {
  const shown = await preview(text);
  expect(shown).toMatchObject({ format, delimiter: null, truncated: true });
  expect(shown.rows).toHaveLength(rows);
  expect(shown.rows[0]?.original).toEqual({ guid: 'g', uid: 'a', more: { x: 1 } });
});

test('the beginning of a longer CSV file shows no row that is cut', async () => {
  const wide = 'x'.repeat(10_000);
  const rows = Array.from({ length: 8 }, (_, at) => `g,u${at},${wide}`);
  const shown = await preview(`guid,uid,note\n${rows.join('\n')}`.slice(0, 70_020));
  expect(shown.rows.map(({ uid }) => uid)).toEqual(['u0', 'u1', 'u2', 'u3', 'u4', 'u5']);
  expect(shown.rows.flatMap(({ problems }) => problems)).toEqual([]);
});

test('twenty rows are shown, and that there are more', async () => {
  const shown = await preview(`guid,uid\n${Array.from({ length: 30 }, (_, at) => `g,u${at}`).join('\n')}`);
  expect([shown.rows.length, shown.truncated]).toEqual([20, true]);
});

test('a gzipped file, or the beginning of one, is shown unpacked', async () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => `g${(at * 7919) % 1000},u${at}`);
  const packed = gzipSync(`guid,uid\n${lines.join('\n')}\n`);
  expect((await preview(packed.subarray(0, packed.length - 100))).rows).toHaveLength(20);
});

test.each([
  ['encoding=klingon', 'encoding'],
  ['delimiter=%22', 'delimiter'],
  ['region=mars', 'region'],
  ['sise=1', 'sise'],
])('the option %s is refused', async (query, field) => {
  const problem = await server.problem(`/v1/look?${query}`, FILE('guid,uid\n'));
  expect(problem).toMatchObject({ code: 'BAD_OPTION', status: 400, field });
});

test.each([
  ['blanks', '  \n '],
  ['a workbook', Buffer.from('PK\x03\x04\x00\x00\x00')],
  ['a header alone', 'guid,uid\n'],
])('%s is refused with what to do', async (_, body) => {
  const problem = await refused(body);
  expect(problem).toMatchObject({ code: 'BAD_BODY', status: 400 });
  expect(problem?.remedy).not.toContain('--');
});

test('an empty body and more than the beginning of a file are refused', async () => {
  expect(await server.problem('/v1/look', FILE(''))).toMatchObject({ code: 'BAD_BODY', status: 400 });
  const problem = await server.problem('/v1/look', FILE(Buffer.alloc(1024 * 1024 + 1, 'x')));
  expect(problem).toMatchObject({ code: 'TOO_LARGE', status: 413 });
});

test('one look says what a file is, how it would be read, and why not', async () => {
  const look = (body: string, query = '') => server.look(body, `name=messy.csv&${query}`, 'text/csv');
  const messy = 'E-mail,Team,Role\nAnna@x.it,g1; g2,OWNER\nben@x.it,g1,member\n';
  const read = await look(messy);
  expect(read).toMatchObject({
    facts: { name: 'messy.csv', steps: expect.arrayContaining([expect.objectContaining({ needs: 'identities' })]) },
    preview: { columns: ['E-mail', 'Team', 'Role'], missing: ['uid', 'guid'] },
    problem: null,
  });
  expect(read.preview).toEqual(await preview(messy));
  const refused = await look('not json', 'format=json');
  expect(refused).toMatchObject({ facts: { refusal: {} }, preview: null, problem: { status: 400 } });
  expect(await look(messy, 'recipe=nobodys')).toMatchObject({
    facts: {},
    preview: null,
    problem: { code: 'UNKNOWN_RECIPE' },
  });
  const unknown = await server.problem('/v1/look', {
    method: 'POST',
    body: messy,
    headers: { 'content-type': 'image/png' },
  });
  expect(unknown.code).toBe('MEDIA_TYPE');
});
