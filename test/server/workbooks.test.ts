import { afterAll, beforeAll, expect, test } from 'vitest';
import { archive, textRows, xlsx } from '../imports/read/make-workbook.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const people = (uid: string) =>
  textRows([
    ['uid', 'guid'],
    [uid, 'g'],
  ]);
const WORKBOOK = xlsx({
  sheets: [
    { name: 'One', rows: people('ann') },
    { name: 'Two', rows: people('bob') },
  ],
});
const post = (body: Buffer, type = 'application/octet-stream'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
});

test('a workbook is previewed and imported, with the sheet as an option', async () => {
  const { preview } = await server.look(WORKBOOK, 'sheet=Two');
  expect(preview).toMatchObject({ kind: 'xlsx', format: 'csv', rows: [{ line: 2, uid: 'bob' }], notes: [] });
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  const { id } = await server.json<{ id: string }>('/v1/imports?dryRun=true', post(WORKBOOK, type));
  const view = await server.settled(id);
  expect(view).toMatchObject({ rows: { read: 1 }, notes: [{ code: 'SHEET_CHOSEN' }] });
});

test('a first sheet that only has a title is passed over, and the note says so', async () => {
  const cover = { name: 'Cover', rows: textRows([['Choir'], ['All its members.']]) };
  const book = xlsx({ sheets: [cover, { name: 'Everyone', rows: people('ann') }] });
  const text = expect.stringContaining('"Everyone", ');
  expect(await server.look(book)).toMatchObject({
    preview: { rows: [{ uid: 'ann' }], notes: [{ text }] },
    facts: { notes: [text], refusal: null },
  });
});

test('a sheet that is not there is the fault of the option', async () => {
  const { problem } = await server.look(WORKBOOK, 'sheet=Three');
  expect(problem).toMatchObject({ code: 'BAD_OPTION', field: 'sheet' });
  expect(problem?.detail).toContain('"One", "Two"');
});

test('of an archive, the files that are named are previewed', async () => {
  const zip = archive({ 'a.csv': 'uid,guid\nann,g\n', 'b.csv': 'uid,guid\nbob,g\n' });
  const { preview: both } = await server.look(zip, '', 'application/zip');
  expect(both?.rows.map(({ uid, original }) => [uid, original['_file']])).toEqual([
    ['ann', 'a.csv'],
    ['bob', 'b.csv'],
  ]);
  const { preview: one } = await server.look(zip, 'files=b*');
  expect(one?.rows.map(({ uid }) => uid)).toEqual(['bob']);
});

test('what a workbook is says which sheets it has, also where the one to read cannot be read', async () => {
  const sheets = [
    { name: 'One', isVisible: true },
    { name: 'Two', isVisible: true },
  ];
  expect((await server.look(WORKBOOK)).facts).toMatchObject({ sheets });
  expect((await server.look(WORKBOOK, 'sheet=Three')).facts).toMatchObject({ sheets });
  expect((await server.look('uid,guid\nann,g\n')).facts).toMatchObject({ sheets: [] });
});

test('a file is called by its name', async () => {
  const { problem } = await server.look('uid,guid\n', 'name=team.csv');
  expect(problem?.detail).toContain('"team.csv"');
});

test('a workbook larger than a preview takes is refused, a text that is as long as well', async () => {
  const large = Buffer.concat([WORKBOOK, Buffer.alloc(5_000_000)]);
  expect(await server.problem('/v1/look', post(large))).toMatchObject({ code: 'TOO_LARGE' });
  expect(await server.problem('/v1/look', post(Buffer.alloc(2_000_000, 'a')))).toMatchObject({ code: 'TOO_LARGE' });
});
