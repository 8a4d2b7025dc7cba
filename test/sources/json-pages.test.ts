import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { linkedPage } from '../../src/sources/json-pages.ts';
import { obtain } from '../../src/sources/obtain.ts';
import { listen, rejection } from '../chat/chat-server.ts';
import { tempDir } from '../temp-dir.ts';

/** Lists that come in several answers. */

type Pages = Readonly<Record<string, (reply: ServerResponse) => unknown>>;

const json =
  (body: unknown, link?: string): Pages[string] =>
  (reply) =>
    reply
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8', ...(link !== undefined && { link }) })
      .end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));

interface Fetched {
  readonly text: string;
  readonly asked: readonly string[];
  readonly version: string | null | undefined;
}

async function fetched(pages: Pages, nextPage?: string, maxSource = 10_000): Promise<Fetched> {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    const { url = '', headers } = request;
    asked.push(`${url}${headers.authorization === undefined ? '' : ` with ${headers.authorization}`}`);
    const page = pages[url];
    if (page === undefined) reply.writeHead(404).end();
    else page(reply);
  });
  const folder = tempDir();
  const found = obtain(
    {
      ...{ source: `http://${await listen(server as never)}/members`, maxSource, copy: null },
      given: { headers: { Authorization: 'TOKEN' }, ...(nextPage !== undefined && { nextPage }) },
      context: { named: {}, ca: undefined, environment: () => 'secret' },
    },
    { folder, signal: new AbortController().signal },
  );
  const { path, copy } = await found.catch((error: unknown) => {
    expect(readdirSync(folder)).toEqual([]);
    throw error;
  });
  return {
    text: readFileSync(path, 'utf8'),
    asked: asked.map((one) => one.replace(' with secret', '')),
    version: copy?.version,
  };
}

const rowsOf = ({ text }: Fetched) => JSON.parse(text).map(({ uid }: { uid: string }) => uid);
const row = (uid: string) => ({ guid: 'g', uid });

describe('a header Link', () => {
  test('is followed to the end, and the elements are as they were written', async () => {
    const link = '</first>; rel="first", </members?page=2>; title="a, b"; rel="last next"';
    const found = await fetched({
      '/members': json('[{"uid":"a","id":9007199254740993,\n "id":1}]', link),
      '/members?page=2': json({ data: [row('b'), row('c')], total: 3 }, '<?page=3>; rel=next'),
      '/members?page=3': json([], '</members?page=4>; rel="next"'),
      '/members?page=4': json({ data: [row('ü')] }, '</members>; rel="prev"'),
    });
    expect(rowsOf(found)).toEqual(['a', 'b', 'c', 'ü']);
    expect(found.text).toContain('{"uid":"a","id":9007199254740993,\n "id":1}');
    expect(found.asked).toEqual(['/members', '/members?page=2', '/members?page=3', '/members?page=4']);
    // The version of one page would tell nothing about the others.
    expect(found.version).toBe(null);
  });

  test.each([
    ['leads back', { '/members': json([row('a')], '</members>; rel="next"') }, 'page 1 of .* was read already'],
    ['leads elsewhere', { '/members': json([row('a')], '<https://other.example/>; rel="next"') }, 'other.example'],
    [
      'comes with CSV',
      { '/members': (reply: ServerResponse) => reply.writeHead(200, { link: '<?p=2>; rel="next"' }).end('guid,uid\n') },
      'page 1 of .* only pages of JSON are joined',
    ],
    [
      'leads to another kind of content',
      {
        '/members': json([row('a')], '</p2>; rel="next"'),
        '/p2': (reply: ServerResponse) => reply.writeHead(200, { 'content-type': 'text/csv' }).end('guid,uid\ng,b\n'),
      },
      'page 2 of .* has "text/csv", and only pages of JSON are joined',
    ],
    ['leads to nothing', { '/members': json([row('a')], '</p2>; rel="next"') }, 'answered 404'],
    [
      'leads to a page that is cut',
      { '/members': json([row('a')], '</p2>; rel="next"'), '/p2': json('[{"uid":"b"},{"ui') },
      'page 2 of .* cannot be read',
    ],
    [
      'is of Latin-1',
      { '/members': json(Buffer.from('[{"uid":"\xfc"}]', 'latin1'), '</p2>; rel="next"') },
      'not UTF-8',
    ],
    [
      'leads to more than is allowed',
      { '/members': json([row('a')], '</p2>; rel="next"'), '/p2': json([row('b'.repeat(10_000))]) },
      'is larger than 10,000 bytes',
    ],
  ] as const)('that %s gives nothing', async (_, pages, says) => {
    expect(String(await rejection(fetched(pages)))).toMatch(new RegExp(says));
  });

  test.each([
    ['<a>; rel=next', 'a'],
    ['<a>; rel="prev", <b,c;d>; foo; rel="next"', 'b,c;d'],
    ['<a>; REL = "Next"', 'a'],
    ['<a>; title="rel=next"', undefined],
    ['<a>; rel="nextpage"', undefined],
    ['', undefined],
    ['rel=next', undefined],
  ])('%j names %s', (link, address) => {
    expect(linkedPage(link)).toBe(address);
  });
});

describe('a field', () => {
  test.each([
    ['of the envelope', 'next', 'next'],
    ['further inside', 'meta.pages.next', 'meta.pages.next'],
    ['with dots in its name', '@odata.nextLink', '@odata.nextLink'],
  ])('%s has the address of the next page', async (_, nextPage, field) => {
    const envelope = (value: unknown) =>
      field.startsWith('@')
        ? { [field]: value }
        : field.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    const page = (uid: string, next: unknown) => json({ ...(envelope(next) as object), data: [row(uid)] });
    const found = await fetched({ '/members': page('a', '/members?c=2'), '/members?c=2': page('b', null) }, nextPage);
    expect(rowsOf(found)).toEqual(['a', 'b']);
  });

  test.each(['cursor=next', ' cursor=meta.next '])('has a cursor for a parameter: %s', async (nextPage) => {
    const page = (next: unknown) => ({ next, meta: { next }, data: [row(String(next))] });
    const found = await fetched(
      {
        '/members': json(page('b/2')),
        '/members?cursor=b%2F2': json(page(9)),
        '/members?cursor=9': json({ data: [] }),
      },
      nextPage,
    );
    expect(rowsOf(found)).toEqual(['b/2', '9']);
  });

  test('that the first page lacks is refused, unless it may lack it', async () => {
    const pages = { '/members': json({ data: [row('a')], nxt: '/2' }) };
    expect(await rejection(fetched(pages, 'next'))).toMatchObject({
      message: expect.stringMatching(/page 1 of .* has no field "next": it has "data", "nxt"/),
      remedyWords: expect.arrayContaining([{ option: 'nextPage', value: 'next?' }]),
    });
    expect(String(await rejection(fetched({ '/members': json([row('a')]) }, 'next')))).toContain('it is a list');
    expect(rowsOf(await fetched(pages, 'next?'))).toEqual(['a']);
  });

  test.each([
    ['a cursor where an address is asked for', 'abc', 'next', 'has no address in "next"'],
    ['an object', { a: 1 }, 'next', 'has no text in "next"'],
    ['the cursor that it had', 'abc', 'c=next', 'page 2 of .* was read already'],
  ])('with %s is refused', async (_, next, nextPage, says) => {
    const page = json({ data: [row('a')], next });
    expect(String(await rejection(fetched({ '/members': page, '/members?c=abc': page }, nextPage)))).toMatch(
      new RegExp(says),
    );
  });
});

describe('without --next-page, an answer that names a next page', () => {
  const FULL = { data: [row('a')] };
  test.each([
    ['an address', { ...FULL, next: 'https://hr.example.com/members?page=2' }, 'next', '--next-page next'],
    ['a path', { ...FULL, links: { prev: null, next: '/members?page=2' } }, 'links.next', '--next-page links.next'],
    ['HAL', { ...FULL, _links: { next: { href: '/p2' } } }, '_links.next.href', '_links.next.href'],
    ['OData', { value: [row('a')], '@odata.nextLink': 'https://x.example/p2' }, '@odata.nextLink', '@odata.nextLink'],
    ['a cursor', { ...FULL, next_cursor: 'dXNlcjpV' }, 'next_cursor', 'PARAMETER=next_cursor'],
    ['a number', { ...FULL, meta: { next_page: 2 } }, 'meta.next_page', 'PARAMETER=meta.next_page'],
    ['further inside', { ...FULL, meta: { pagination: { links: { next: '/p2' } } } }, 'meta.pagination.links.next', ''],
    ['a flag', { has_more: true, ...FULL }, 'has_more', '--next-page FIELD'],
    ['the best of several', { has_more: true, next_cursor: 'x', ...FULL, next: '/p2' }, 'next', '--next-page next'],
    ['behind many rows', { data: Array.from({ length: 20_000 }, () => row(']},{"')), next: '/2' }, 'next', ''],
  ])('by %s is refused with the field to name', async (_, body, field, remedy) => {
    const error = await rejection(fetched({ '/members': json(body) }, undefined, 10_000_000));
    expect(error).toMatchObject({ code: 'MORE_PAGES', facts: { field } });
    expect(String(error)).toContain(remedy);
    expect(String(error)).toContain('--next-page none');
    expect((await fetched({ '/members': json(body) }, 'none', 10_000_000)).text).toBe(JSON.stringify(body));
  });

  test.each([
    ['rows with such columns', [{ uid: 'a', next: '/p2', has_more: true }]],
    ['rows of an object with such columns', { data: [{ uid: 'a', next: '/p2', links: { next: '/p2' } }] }],
    ['lines, each a row', `${JSON.stringify({ uid: 'a', tags: [], next: '/p2' })}\n{"uid":"b"}\n`],
    ['one row', { uid: 'a', guid: 'g', next: '/p2' }],
    ['the last page', { ...FULL, next: null, links: { next: null }, next_cursor: '', has_more: false }],
    ['a last page that says so', { ...FULL, meta: { has_more: false, next_cursor: 'x' } }],
    ['groups by name', { next: ['anna'], hasnext: [], page: ['bob'] }],
    ['a word', { ...FULL, next: 'tuesday', page: { next: 'x' } }],
  ])('%s is read as it is', async (_, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    expect((await fetched({ '/members': json(text) })).text).toBe(text);
  });
});
