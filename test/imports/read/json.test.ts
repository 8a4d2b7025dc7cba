import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { drained, OPTIONS, read, refusal, short } from './reading.ts';

const ROWS = '[{"guid":"g1","uid":"u1","role":"admin"}, {"guid":"g1","uid":"u2","region":"eu"}]';
const OWN =
  '{"guid":"g1","region":"eu","admins":["u1"],"moderators":[],"participants":["u2","u3"],"usersToBan":["u4"]}';

const rowsOf = async (text: string) => (await read(text)).rows;

describe('JSON', () => {
  test.each([
    ['an array of rows', ROWS],
    ['an object with one array of rows', `{"total": 2, "page": {"n": [1]}, "data": ${ROWS}, "tags": ["x"]}`],
  ])('%s is read, numbered from 1', async (_, text) => {
    const { intake, rows } = await read(text, {}, [3]);
    expect(intake.format).toBe('json');
    expect(rows.map((row) => [row.line, short(row)])).toEqual([
      [1, 'us/g1/u1/admin/'],
      [2, 'eu/g1/u2/participant/'],
    ]);
    expect(rows[0]?.original).toBe('{"guid":"g1","uid":"u1","role":"admin"}');
    expect(intake.columns()).toEqual(['guid', 'uid', 'role', 'region']);
    expect(intake.recognised()).toEqual({ guid: 'guid', uid: 'uid', scope: 'role', region: 'region' });
  });

  test.each([
    [{ next: 'https://hr.example.com/members?page=2' }, 'next'],
    [{ links: { prev: null, next: '/members?page=2' } }, 'links.next'],
    [{ _links: { next: { href: '/p2' } } }, '_links.next'],
    [{ '@odata.nextLink': 'https://hr.example.com/p2' }, '@odata.nextLink'],
    [{ next_cursor: 'dXNlcjpV' }, 'next_cursor'],
    [{ meta: { next_page: 2 } }, 'meta.next_page'],
    [{ meta: { pagination: { links: { next: '/p2' } } } }, 'meta.pagination.links.next'],
    [{ has_more: true }, 'has_more'],
    [{ has_more: false, previous: '/members?page=1' }, 'previous'],
    [{ totalResults: 500, itemsPerPage: 2 }, 'totalResults'],
    [{ isLast: false, startAt: 0 }, 'isLast'],
    [{ isLast: true, startAt: 498, total: 500 }, 'total'],
    [{ page: { number: 0, total_elements: 3 } }, 'page.total_elements'],
    [{ page: 20, pages: 20 }, 'pages'],
    [{ meta: { lastPage: 4 } }, 'meta.lastPage'],
    [{ metadata: { continue: 'abc' } }, 'metadata.continue'],
  ])('a document that says by %j that it is a page does not pass for the whole list', async (more, field) => {
    const rows = JSON.parse(ROWS);
    for (const text of [
      { data: rows, ...more },
      { ...more, data: rows },
    ].map((page) => JSON.stringify(page))) {
      expect(await refusal(read(text, {}, [9]))).toMatchObject({ code: 'MORE_PAGES', facts: { field } });
    }
    expect(await rowsOf(JSON.stringify(rows.map((row: object) => ({ ...row, ...more }))))).toHaveLength(2);
  });

  test('a page is one also where the shape itself opens its list', async () => {
    const page = { guid: 'g', total: 3, members: [{ id: 'a' }, { id: 'b' }] };
    const map = { uid: 'members.id' };
    expect(await refusal(read(JSON.stringify(page), { map }))).toMatchObject({ code: 'MORE_PAGES' });
    expect((await read(JSON.stringify({ ...page, total: 2 }), { map })).rows).toHaveLength(2);
  });

  test('JSON and NDJSON do not send a file to each other', async () => {
    const lines = '{"uid":"a",\n"guid":"g"}\n{"uid":"b",\n"guid":"g"}\n';
    const advice = async (text: string, format: 'json' | 'ndjson') => (await refusal(read(text, { format }))).message;
    expect(await advice(lines, 'json')).toContain('jq -c');
    expect(await advice(lines, 'ndjson')).toContain('--format');
    expect(await advice('{"uid":"a"}\n{"uid":"b"}\n', 'json')).toContain('--format ndjson');
    expect(await advice('[{"uid":"a"},]', 'json')).not.toContain('--format');
  });

  test.each([
    { next: null, links: { next: null }, next_cursor: '', has_more: false },
    { meta: { has_more: false, next_cursor: 'x' } },
    { next: 'tuesday', page: { next: 'x' } },
    { total: 2, count: 9, page: 1, pages: 1, last: true, links: { last: '/p1', prev: null } },
    { total: 'many', totalPrice: 900 },
  ])('the last page %j is read', async (more) => {
    expect(await rowsOf(JSON.stringify({ data: JSON.parse(ROWS), ...more }))).toHaveLength(2);
  });

  test.each([
    ['one group', OWN],
    ['an array of groups', `[${OWN}]`],
    ['an object with an array of groups', `{"data":[${OWN}]}`],
  ])("the service's own shape is read as %s, a row for each membership", async (_, text) => {
    const { rows } = await read(text);
    expect(rows.map((row) => [row.line, short(row)])).toEqual([
      [1, 'eu/g1/u1/admin/'],
      [2, 'eu/g1/u2/participant/'],
      [3, 'eu/g1/u3/participant/'],
      [4, 'eu/g1/u4/ban/'],
    ]);
    expect(rows[3]?.original).toBe('{"region":"eu","guid":"g1","uid":"u4","scope":"ban"}');
  });

  test('the original of a membership can be imported again', async () => {
    const { rows } = await read(OWN);
    const again = await read(`[${rows.map((row) => row.original).join(',')}]`);
    expect(again.rows.map(short)).toEqual(rows.map(short));
  });

  test('a group of 100,000 participants comes in chunks', async () => {
    const uids = Array.from({ length: 100_000 }, (_, index) => `u${index}`);
    const stream = Readable.from([Buffer.from(JSON.stringify({ guid: 'g1', participants: uids }))]);
    const intake = await openIntake({ stream, name: 'x' }, OPTIONS);
    let count = 0;
    for await (const chunk of intake.chunks()) {
      expect(chunk.length).toBeLessThanOrEqual(500);
      count += chunk.length;
    }
    expect(count).toBe(uids.length);
  });

  test('ids may be whole numbers', async () => {
    const { rows } = await read('[{"guid":7,"uid":9007199254740991}]');
    expect(rows.map(short)).toEqual(['us/7/9007199254740991/participant/']);
  });

  test.each(['1.5', '9007199254740993', 'true', '{"id":1}', '-1e400'])(
    'a UID of %s is a problem that shows it as it is written',
    async (uid) => {
      const { rows } = await read(`[{"guid":"g1","uid":${uid}}]`);
      expect(rows[0]?.problems).toMatchObject([{ column: 'uid', value: uid, code: 'NOT_TEXT' }]);
      expect(rows[0]?.problems[0]?.reason).toContain(JSON.stringify(uid));
      expect(rows[0]?.original).toBe(`{"guid":"g1","uid":${uid}}`);
    },
  );

  test.each([
    ['of groups', '{"uid":"u1","guid":["g1","g2"]}', ['us/g1/u1/participant/', 'us/g2/u1/participant/']],
    ['of users', '{"uid":["u1",7],"guid":"g1","scope":"admin"}', ['us/g1/u1/admin/', 'us/g1/7/admin/']],
    ['of one value', '{"uid":["u1"],"guid":"g1"}', ['us/g1/u1/participant/']],
  ])('a list %s is opened by itself', async (_, element, memberships) => {
    for (const text of [`[${element}]`, `{"data":[${element}]}`, `${element}\n${element}`]) {
      const { intake, rows } = await read(text);
      expect(rows.filter(({ line }) => line === 1).map(short)).toEqual(memberships);
      expect(rows[0]?.original).toBe(element);
      expect(rows.slice(1, memberships.length).map(({ original }) => original)).not.toContainEqual(
        expect.stringMatching(/./),
      );
      expect(intake.shaped()).toBe(true);
      expect(intake.rowsRead()).toBe(rows.at(-1)?.line);
    }
  });

  test('lists are opened in a mapped column too; each user is combined with each group, and the report says which it is', async () => {
    const text = '[{"id":"u0","groups":"g0"},{"id":["u1","u2"],"groups":["g1","g2"]}]';
    const { intake, rows } = await read(text, { map: { uid: 'id', guid: 'groups' } });
    expect(rows.map((row) => [row.line, short(row), row.shaped?.value])).toEqual([
      [1, 'us/g0/u0/participant/', undefined],
      [2, 'us/g1/u1/participant/', 'groups=g1, id=u1'],
      [2, 'us/g1/u2/participant/', 'groups=g1, id=u2'],
      [2, 'us/g2/u1/participant/', 'groups=g2, id=u1'],
      [2, 'us/g2/u2/participant/', 'groups=g2, id=u2'],
    ]);
    expect(intake.rowsRead()).toBe(2);
  });

  test('of a list with nothing and an empty text in it, the report says which of them a row is', async () => {
    const { rows } = await read('[{"guid":"g1","uid":["u1",null,"",7]}]');
    expect(rows.map((row) => [short(row), row.shaped?.value])).toEqual([
      ['us/g1/u1/participant/', 'uid=u1'],
      ['uid: EMPTY', 'uid=null'],
      ['uid: EMPTY', 'uid='],
      ['us/g1/7/participant/', 'uid=7'],
    ]);
  });

  test('without a list no row gives several memberships', async () => {
    const { intake } = await read('[{"guid":"g1","uid":"u1","tags":["a","b"]}]');
    expect(intake.shaped()).toBe(false);
  });

  test('an empty list gives no membership, and the row says so', async () => {
    const { rows } = await read('[{"guid":[],"uid":"u1"}]');
    expect(rows).toMatchObject([{ shaped: { skipped: true }, problems: [{ column: 'guid', code: 'NO_MEMBERSHIP' }] }]);
  });

  test.each([
    ['a list inside of a list', '{"uid":"u1","guid":["g1",["g2"]]}', 'a list inside of a list'],
    ['an object', '{"uid":"u1","guid":["g1",{"id":"g2"}]}', 'name the value in it that is meant, such as guid.id'],
    ['a fraction', '{"uid":"u1","guid":["g1",2.0]}', 'the guid "2.0" is neither a text nor a whole number'],
  ])('of a list, only %s in it is wrong', async (_, element, reason) => {
    const { rows } = await read(`[${element}]`);
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/', 'guid: NOT_TEXT']);
    expect(rows[1]?.problems[0]?.reason).toContain(reason);
  });

  test('a list of scopes is wrong: only users and groups may be lists', async () => {
    const { rows } = await read('[{"uid":"u1","guid":["g1","g2"],"scope":["admin","participant"]}]');
    expect(rows.map(short)).toEqual(['scope: NOT_TEXT', 'scope: NOT_TEXT']);
    expect(rows[0]?.problems[0]?.reason).toContain('only users and groups may be lists');
  });

  test('lists that give more memberships than is allowed are a problem of the row', async () => {
    const many = JSON.stringify(Array.from({ length: 4 }, (_, at) => `x${at}`));
    const { rows } = await read(`[{"uid":${many},"guid":${many}}]`, { bounds: { memberships: 15 } });
    expect(rows.map(short)).toEqual(['guid: TOO_MANY_MEMBERSHIPS']);
  });

  test('a UID that is null or missing is a problem of its row', async () => {
    const { rows } = await read('[{"guid":"g1","uid":"u1"},{"guid":"g1","uid":null},{"guid":"g1"}]');
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/', 'uid: EMPTY', 'uid: EMPTY']);
  });

  test('keys that every object inherits are not columns', async () => {
    const { rows } = await read('[{"guid":"g1","toString":"u1"},{"guid":"g1"}]', { map: { uid: 'toString' } });
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/', 'toString: EMPTY']);
  });

  test('numbers of other columns keep every digit', async () => {
    const text = '[{"guid":"g1","uid":"u1","crm":12345678901234567890,"score":1.50}]';
    const { rows } = await read(text);
    expect(`[${rows[0]?.original}]`).toBe(text);
  });

  test('a UID column that no element has is refused with the keys that are there', async () => {
    const error = await refusal(read('[{"guid":"g1","name":"Ada"}]'));
    expect(error).toMatchObject({ code: 'MISSING_COLUMN' });
    expect(error.message).toContain('"guid", "name"');
  });

  test('a UID column that the first 1,000 elements do not have is not searched any longer', async () => {
    function* elements(): Generator<Buffer> {
      yield Buffer.from('[{"guid":"g1"}');
      for (;;) yield Buffer.from(',{"guid":"g1"}');
    }
    const intake = await openIntake({ stream: Readable.from(elements()), name: 'x' }, OPTIONS);
    expect(await refusal(drained(intake))).toMatchObject({ code: 'MISSING_COLUMN' });
  });

  test('a column that is mapped and that no element has is refused', async () => {
    const error = await refusal(read(ROWS, { map: { onBehalfOf: 'boss' } }));
    expect(error).toMatchObject({ code: 'UNKNOWN_COLUMN' });
  });

  test('two keys for one field are refused', async () => {
    expect(await refusal(read('[{"guid":"g1","uid":"u1","user":"Ada"}]'))).toMatchObject({ code: 'AMBIGUOUS_COLUMN' });
  });

  test.each(['[]', '{"data":[]}', '{"guid":"g1","admins":[]}'])('%s has no rows', async (text) => {
    expect(await refusal(read(text))).toMatchObject({ code: 'NO_ROWS' });
  });

  test.each([
    ['[{"guid":"g1","uid":"u1"},{"guid":"g1","ui', 'element 2'],
    ['[{"guid":"g1","uid":"u1"},', 'element 2'],
    ['[{"guid":"g1","uid":"u1"}', 'element 2'],
    ['{"guid":"g1","admins":["u1"', 'element 1'],
    ['[{"guid":"g1","uid":"u1"},{"guid":tru', 'element 2'],
    ['[', 'element 1'],
  ])('a document that is cut off is refused with its place: %s', async (text, place) => {
    const error = await refusal(read(text, { format: 'json' }));
    expect(error).toMatchObject({ code: 'JSON_BROKEN', facts: { place: expect.stringContaining(place) } });
  });

  test('a syntax error deep inside is refused with the very element and byte', async () => {
    const good = '{"guid":"gé","uid":"u1"},\n'.repeat(20_000);
    const error = await refusal(read(`[${good}{"guid":"g1" "uid":"u1"}]`));
    expect(error).toMatchObject({ code: 'JSON_BROKEN' });
    expect(error.facts.place).toBe(`element 20001, byte ${Buffer.byteLength(`[${good}{"guid":"g1" `)}`);
  });

  test.each(['[1]', '[{"guid":"g1","uid":"u1"}]'])(
    'a line break in the name of the list %s is refused',
    async (list) => {
      expect(await refusal(read(`{"members\nof":${list}}`, { format: 'json' }))).toMatchObject({
        code: 'JSON_BROKEN',
        facts: { place: expect.stringContaining('element 1, byte') },
      });
    },
  );

  test('text after the end of the document is refused', async () => {
    expect(await refusal(read(`${ROWS} x`))).toMatchObject({ code: 'JSON_BROKEN' });
  });

  test.each([
    ['a number', '5', 'the number 5'],
    ['a text', '"u1"', 'the text "u1"'],
    ['an array of texts', '["u1","u2"]', 'the text "u1"'],
    ['an array of arrays', '[["u1","g1"]]', 'an array'],
    ['rows and something else', '[{"guid":"g1","uid":"u1"}, null]', 'element 2: it is null'],
    ['an object without rows', '{"name":"x","tags":["a"]}', '"name", "tags"'],
    ['two arrays of rows', '{"a":[{"uid":"u1"}],"b":[{"uid":"u2"}]}', '"a" and "b"'],
    ['a group around rows', '{"guid":"g1","members":[{"uid":"u1","guid":"g2"}]}', '"guid" is beside "members"'],
    ['objects in a list of UIDs', '{"guid":"g1","admins":[{"uid":"u1"}]}', 'admins holds objects'],
    ['a list that is none', '[{"guid":"g1","admins":"u1"}]', 'admins is'],
  ])('%s is refused with what is there and what is needed', async (_, text, problem) => {
    const error = await refusal(read(text, { format: 'json' }));
    expect(error).toMatchObject({ code: 'JSON_SHAPE' });
    expect(error.message).toContain(problem);
    expect(error.remedy).toMatch(/\["/);
  });
});

describe('NDJSON', () => {
  const LINES = '{"guid":"g1","uid":"u1"}\r\n\n {"guid":"g1", "uid":"u2","scope":"BAN"}';

  test('a row stands on each line, blank lines are skipped', async () => {
    const { intake, rows } = await read(LINES, {}, [4]);
    expect(intake.format).toBe('ndjson');
    expect(rows.map((row) => [row.line, short(row)])).toEqual([
      [1, 'us/g1/u1/participant/'],
      [2, 'us/g1/u2/ban/'],
    ]);
    expect(rows[1]?.original).toBe('{"guid":"g1", "uid":"u2","scope":"BAN"}');
  });

  test('a single line is recognised', async () => {
    const { intake } = await read('{"guid":"g1","uid":"u1"}');
    expect(intake.format).toBe('ndjson');
  });

  test('groups with lists may stand on lines too', async () => {
    const { intake, rows } = await read(`${OWN}\n${OWN.replace('g1', 'g2')}\n`);
    expect(intake.format).toBe('ndjson');
    expect(rows).toHaveLength(8);
    expect(rows.at(-1)).toMatchObject({ line: 8, guid: 'g2', uid: 'u4' });
  });

  test.each([
    ['broken', '{"guid":"g1",', 'JSON_BROKEN'],
    ['no object', '["g1","u1"]', 'JSON_SHAPE'],
  ])('a line that is %s is refused with its number and its text', async (_, line, code) => {
    const error = await refusal(read(`{"guid":"g1","uid":"u1"}\n\n${line}\n`));
    expect(error).toMatchObject({ code, facts: { place: 'line 3' } });
    expect(error.message).toContain(JSON.stringify(line));
  });

  test('a line without end is refused before it fills the memory', async () => {
    function* bytes(): Generator<Buffer> {
      yield Buffer.from('{"guid":"g1","uid":"u1"}\n{"guid":"');
      for (;;) yield Buffer.alloc(64 * 1024, 'x');
    }
    const intake = await openIntake({ stream: Readable.from(bytes()), name: 'x' }, OPTIONS);
    expect(await refusal(drained(intake))).toMatchObject({ code: 'ROW_TOO_LONG', facts: { place: 'line 2' } });
    expect(intake.bytesRead()).toBeLessThan(18 * 1024 * 1024);
  });
});
