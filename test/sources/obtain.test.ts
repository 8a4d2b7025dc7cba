import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { hashOf } from '../../src/platform/files.ts';
import { headerFrom, headersWithValues, requestOf, type SourceContext } from '../../src/sources/named.ts';
import { type Obtained, sourceReader, wholeSource } from '../../src/sources/obtain.ts';
import { sourceAt } from '../../src/sources/schemes.ts';
import { spool } from '../../src/sources/spool.ts';
import { block, listen, rejection } from '../chat/chat-server.ts';
import { createAuthority } from '../chat/tls-authority.ts';
import { tempDir } from '../temp-dir.ts';

const MEMBERS = 'guid,uid\ng1,ann\n';
const authority = await createAuthority();
const identity = await authority.issue(['localhost', 'other.localhost']);

type Answer = (reply: ServerResponse, request: IncomingMessage) => void;

/** A real HTTPS server for one test. */
async function serve(answer: Answer): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer(identity, (request, reply) => {
    requests.push(request);
    answer(reply, request);
  });
  return { url: `https://${await listen(server)}/members.csv`, requests };
}

interface FetchOptions {
  readonly headers?: Record<string, string>;
  readonly maxBytes?: number;
  readonly copy?: Obtained['copy'];
  readonly folder?: string;
  readonly signal?: AbortSignal;
}

const fetchFrom = (source: string, options: FetchOptions = {}) => {
  const { headers = {}, maxBytes = 10_000, copy = null, folder, signal } = options;
  const environment = (variable: string) => headers[variable];
  return sourceReader({ sources: [], named: {}, ca: authority.ca, environment })(
    {
      source,
      maxBytes,
      copy,
      given: { headers: Object.fromEntries(Object.keys(headers).map((header) => [header, header])) },
      restricted: false,
    },
    { folder: folder ?? join(tempDir(), 'kept'), signal: signal ?? new AbortController().signal },
  );
};

const messageOf = async (promise: Promise<unknown>) => String(await rejection(promise));

describe('a path', () => {
  test('is read where it is', async () => {
    const path = join(tempDir(), 'members [1].csv');
    writeFileSync(path, MEMBERS);
    expect(await fetchFrom(path)).toEqual({ path, name: path, hash: await hashOf(path) });
  });

  test('without a file is refused', async () => {
    const path = join(tempDir(), 'members.csv');
    expect(await messageOf(fetchFrom(path))).toMatch(/".*members\.csv"/);
  });

  test('to more than --max-source is refused', async () => {
    const path = join(tempDir(), 'members.csv');
    writeFileSync(path, MEMBERS);
    expect(await messageOf(fetchFrom(path, { maxBytes: 5 }))).toContain('--max-source');
  });
});

describe('a pattern', () => {
  test('gives the file that was changed last, in whatever order they are found', async () => {
    const folder = tempDir();
    await mkdir(join(folder, 'c.csv'));
    for (const [name, at] of [
      ['a.csv', 30],
      ['b.csv', 20],
      ['d.txt', 40],
      ['e.csv', 10],
    ] as const) {
      writeFileSync(join(folder, name), name);
      utimesSync(join(folder, name), at, at);
    }
    expect((await fetchFrom(join(folder, '*.csv'))).path).toBe(join(folder, 'a.csv'));
    rmSync(join(folder, 'a.csv'));
    expect((await fetchFrom(join(folder, '*.csv'))).path).toBe(join(folder, 'b.csv'));
  });

  test('may name folders, and takes no longer for having many stars', async () => {
    const folder = tempDir();
    await mkdir(join(folder, 'hr', '2026'), { recursive: true });
    const path = join(folder, 'hr', '2026', 'members-export-2026-11-23-full-backup.csv');
    writeFileSync(path, MEMBERS);
    expect((await fetchFrom(join(folder, '*', '20[0-9][0-9]', 'members-*.csv'))).path).toBe(path);
    expect((await fetchFrom(join(folder, '**', '*.csv'))).path).toBe(path);
    expect((await fetchFrom(join(folder, '{it,hr}', '2026', '*.csv'))).path).toBe(path);
    const endless = join(folder, 'hr', '2026', `${'*?'.repeat(60)}z`);
    expect(await messageOf(fetchFrom(endless))).toContain('file fits');
  });

  test('that fits no file is refused', async () => {
    expect(await messageOf(fetchFrom(join(tempDir(), '*.csv')))).toContain('*.csv"');
  });
});

describe('what a user names means the same from everywhere:', () => {
  test('a path and a pattern become whole, an address stays', async () => {
    const folder = tempDir();
    expect(await wholeSource('exports-*.csv', folder)).toBe(join(folder, 'exports-*.csv'));
    expect(await wholeSource('members.csv', folder)).toBe(join(folder, 'members.csv'));
    expect(await wholeSource('https://exports.example/m.csv?a=b#c', folder)).toBe('https://exports.example/m.csv?a=b');
    expect(await wholeSource('http://127.0.0.1:8080/m.csv', folder)).toBe('http://127.0.0.1:8080/m.csv');
  });

  test.each([
    ['.', 'is a directory'],
    ['no/such/folder/members.csv', 'there is no directory'],
    ['', 'the path is empty'],
    ['http://exports.example/m.csv', 'allowed are https, and plain http on this machine'],
    ['http://localhost.example/m.csv', 'allowed are https'],
    ['ftp://localhost/m.csv', 'supported is a path or an address with https://'],
    ['https://', 'is not a valid address'],
    ['gopher://bucket/m.csv', 'gopher:// addresses are not supported here'],
    ['az://container/m.csv', 'https address with a SAS token'],
    ['jdbc:postgresql://host/db', 'jdbc:postgresql:// addresses are not supported'],
  ])('%j is refused', async (file, says) => {
    expect(await messageOf(wholeSource(file, tempDir()))).toContain(says);
  });

  test.each([
    'postgres://ann:s3cret@db.example/app',
    'postgres://ann:s3cret/more@db.example/app',
    'https://ann:s3cret/more@files.example/m.csv',
    'https://s3cret:@files.example/m.csv',
  ])('%j is refused, and the password not repeated', async (file) => {
    expect(await messageOf(wholeSource(file, tempDir()))).not.toContain('s3cret');
  });

  test('an address with a password is refused, and the password not repeated', async () => {
    const said = await messageOf(wholeSource('https://ann:s3cret@exports.example/m.csv', tempDir()));
    expect(said).toContain('--header');
    expect(said).not.toContain('s3cret');
  });
});

describe('an address', () => {
  test('gives a copy on disk; its query is not shown', async () => {
    const { url } = await serve((reply) => reply.end(MEMBERS));
    const { path, name, hash } = await fetchFrom(`${url}?signature=s3cret`);
    expect(readFileSync(path, 'utf8')).toBe(MEMBERS);
    expect(hash).toBe(await hashOf(path));
    expect(name).toBe(url);
  });

  test('is asked again only for what has changed', async () => {
    const { url, requests } = await serve((reply, { headers }) => {
      if (headers['if-none-match'] === '"1"' && headers['if-modified-since'] === 'Sat, 01 Nov 2025 00:00:00 GMT') {
        reply.writeHead(304).end();
      } else reply.writeHead(200, { etag: '"1"', 'last-modified': 'Sat, 01 Nov 2025 00:00:00 GMT' }).end(MEMBERS);
    });
    const folder = tempDir();
    const first = await fetchFrom(url, { folder });
    const second = await fetchFrom(url, { folder, copy: first.copy });
    expect(second).toEqual(first);
    expect(requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"']);
    // A copy that is not what it was is fetched anew.
    writeFileSync(first.path, 'something else');
    expect(await fetchFrom(url, { folder, copy: first.copy })).toEqual(first);
    expect(requests[2]?.headers['if-none-match']).toBeUndefined();
  });

  test.each([
    ['announced', { 'content-length': '20000' }],
    ['found out on the way', {}],
  ])('with more than --max-source is refused, %s, and the copy stays as it was', async (_, headers) => {
    let body = MEMBERS;
    const { url } = await serve((reply) => reply.writeHead(200, body === MEMBERS ? {} : headers).end(body));
    const folder = tempDir();
    const { path } = await fetchFrom(url, { folder });
    body = 'x'.repeat(20_000);
    expect(await messageOf(fetchFrom(url, { folder }))).toContain('10,000 bytes');
    expect(readFileSync(path, 'utf8')).toBe(MEMBERS);
    expect(await readdir(folder)).toEqual(['source']);
  });

  /** A file that is cut after so many bytes, the first times that it is asked for. */
  const breaking =
    (times: number, etag: string, later = MEMBERS): Answer =>
    (reply, { headers }) => {
      times -= 1;
      const text = times < 0 ? later : MEMBERS;
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
      const isSame = headers['if-range'] === etag && text === MEMBERS;
      const range = isSame ? { 'content-range': `bytes ${from}-${text.length - 1}/${text.length}` } : {};
      const part = text.slice(isSame ? from : 0);
      reply.writeHead(isSame ? 206 : 200, { 'content-length': part.length, etag, ...range });
      if (times < 0) reply.end(part);
      else reply.write(part.slice(0, 2), () => reply.destroy());
    };

  test('that breaks off goes on where it was', async () => {
    const { url, requests } = await serve(breaking(1, '"1"'));
    expect(readFileSync((await fetchFrom(url)).path, 'utf8')).toBe(MEMBERS);
    // Bytes that had come and were not read yet are asked for again.
    expect(requests.map(({ headers: { range, 'if-range': ifRange } }) => [range, ifRange])).toEqual([
      [undefined, undefined],
      [expect.stringMatching(/^bytes=\d-$/), '"1"'],
    ]);
  });

  test('that breaks off goes on although its server answers 503 for a while', async () => {
    const { url, requests } = await serve((reply, request) => {
      if (requests.length === 2) reply.writeHead(503).end();
      else whole(reply, request);
    });
    const whole = breaking(1, '"1"');
    expect(readFileSync((await fetchFrom(url)).path, 'utf8')).toBe(MEMBERS);
    expect(requests).toHaveLength(3);
  });

  test.each([
    ['and is another one then', breaking(1, '"1"', 'guid,uid\ng1,bob\n'), 2, 'its server does not go on there'],
    ['and whose tag may be of something similar', breaking(1, 'W/"1"'), 1, 'cannot be read'],
  ])('that breaks off %s gives nothing', async (_, answer, asked, says) => {
    const { url, requests } = await serve(answer);
    const folder = tempDir();
    expect(await messageOf(fetchFrom(url, { folder }))).toContain(says);
    expect([requests.length, await readdir(folder)]).toEqual([asked, []]);
  });

  test.each([
    ['tag', MEMBERS.length, { etag: '"2"' }],
    ['time', MEMBERS.length, { 'last-modified': 'Sun, 02 Nov 2025 00:00:00 GMT' }],
    ['length', MEMBERS.length + 1, {}],
  ])(
    'that breaks off gives nothing where the rest has another %s, whatever was asked for',
    async (_, length, changed) => {
      const version = { etag: '"1"', 'last-modified': 'Sat, 01 Nov 2025 00:00:00 GMT' };
      const { url } = await serve((reply, { headers }) => {
        const from = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
        if (from === undefined) {
          reply.writeHead(200, { 'content-length': MEMBERS.length, ...version });
          reply.write(MEMBERS.slice(0, 2), () => reply.destroy());
        } else {
          const range = { 'content-range': `bytes ${from}-${MEMBERS.length - 1}/${length}` };
          reply.writeHead(206, { ...version, ...range, ...changed }).end(MEMBERS.slice(Number(from)));
        }
      });
      const folder = tempDir();
      expect(await messageOf(fetchFrom(url, { folder }))).toContain('its server does not go on there');
      expect(await readdir(folder)).toEqual([]);
    },
  );

  test('that breaks off half-way gives nothing', async () => {
    const { url } = await serve((reply) => {
      reply.writeHead(200, { 'content-length': '1000' });
      reply.write(MEMBERS, () => reply.destroy());
    });
    const folder = tempDir();
    expect(await messageOf(fetchFrom(url, { folder }))).toContain('be read');
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ['</p0>; rel="first", </p2>; title="a, b"; rel="last next"', true],
    ['<p2>; rel=next', true],
    ['</p1>; rel="prev"', false],
    ['<a>; title="rel=next"', false],
    ['<a>; rel="nextpage"', false],
  ])('with a header Link %j is one page of several: %j', async (link, isPage) => {
    const { url } = await serve((reply) => reply.writeHead(200, { link }).end(MEMBERS));
    const fetched = fetchFrom(url);
    if (isPage) expect(await messageOf(fetched)).toContain('one page');
    else expect(readFileSync((await fetched).path, 'utf8')).toBe(MEMBERS);
  });

  test.each([401, 404, 206, 304, 500])('that answers %i fails', async (status) => {
    const { url } = await serve((reply) => reply.writeHead(status).end());
    expect(await messageOf(fetchFrom(url))).toContain(`${status}`);
  });

  test('is fetched by a process that is busy while a connection is made', async () => {
    const { url } = await serve((reply) => reply.end(MEMBERS));
    // The look-up of the host begins the connection.
    const mayConnect = () => process.nextTick(() => block(2 * getDefaultAutoSelectFamilyAttemptTimeout()));
    const context = { named: {}, ca: authority.ca, environment: () => undefined };
    const source = await sourceAt({ ...requestOf(url, {}, context), mayConnect });
    const { signal } = new AbortController();
    expect(await spool(source, { path: join(tempDir(), 'copy'), maxBytes: 10_000, signal })).toMatchObject({
      name: url,
    });
  });

  test('with a certificate of an unknown authority fails', async () => {
    const strange = await (await createAuthority()).issue(['localhost']);
    const host = await listen(createServer(strange, (_, reply) => reply.end(MEMBERS)));
    expect(await rejection(fetchFrom(`https://${host}/`))).toMatchObject({
      message: expect.stringContaining('be read'),
      remedy: expect.stringContaining('ROLLCALL_CA_FILE'),
    });
  });

  test('that no server answers fails', async () => {
    expect(await messageOf(fetchFrom('https://localhost:1/m.csv'))).toContain('ECONNREFUSED');
  });

  test('is given up with the process', async () => {
    const stop = new AbortController();
    const { url } = await serve(() => stop.abort(new Error('this process stops')));
    expect(await messageOf(fetchFrom(url, { signal: stop.signal }))).toBe('Error: this process stops');
  });
});

test.each(['https', 'sftp'])(
  'of what may be reached, the address of a host is checked before anything is sent: %s',
  async (scheme) => {
    const { url, requests } = await serve((reply) => reply.end(MEMBERS));
    const source = url.replace(/^https/, scheme);
    const environment = (name: string) => (name === 'SSH_AUTH_SOCK' ? '/none' : undefined);
    const reached = (named: SourceContext['named'], text: string) =>
      // A place at the same host is allowed, under a name that does not say where it is.
      sourceReader({
        sources: ['hr:', source.replace('localhost', 'elsewhere.example')],
        named,
        ca: authority.ca,
        environment,
      })(
        { source: text, given: {}, maxBytes: 10_000, copy: null, restricted: true },
        { folder: tempDir(), signal: new AbortController().signal },
      );
    expect(await rejection(reached({}, source))).toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
    const mayConnect = (host: string, address: string) => {
      throw new RollcallError('SOURCE_NOT_ALLOWED', { what: `${host} is at ${address}`, remedy: 'do not' });
    };
    const { signal } = new AbortController();
    const connected = async () =>
      spool(await sourceAt({ ...requestOf(source, {}, { named: {}, ca: authority.ca, environment }), mayConnect }), {
        path: join(tempDir(), 'copy'),
        maxBytes: 10_000,
        signal,
      });
    expect(await rejection(connected())).toMatchObject({ what: 'localhost is at 127.0.0.1' });
    expect(requests).toHaveLength(0);
    // The settings say where this one is.
    if (scheme === 'https')
      await expect(reached({ hr: { url: source } }, 'hr:')).resolves.toMatchObject({ name: source });
  },
);

describe('redirects', () => {
  const leadingTo =
    (where: string): Answer =>
    (reply) =>
      reply.writeHead(302, { location: where }).end();

  test('lead to https, and the headers stay with the origin that they are for', async () => {
    const target = await serve((reply) => reply.end(MEMBERS));
    const { url, requests } = await serve((reply, { url: path = '' }) =>
      leadingTo(path === '/members.csv' ? '/again' : target.url)(reply, {} as IncomingMessage),
    );
    const { path } = await fetchFrom(url, { headers: { Authorization: 's3cret' } });
    expect(readFileSync(path, 'utf8')).toBe(MEMBERS);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['s3cret', 's3cret']);
    expect(target.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test('to plain http are refused, on this machine too', async () => {
    const plain = await listen(createPlainServer((_, reply) => reply.end(MEMBERS)) as never);
    const { url } = await serve(leadingTo(`http://${plain}/?signature=s3cret`));
    const said = await messageOf(fetchFrom(url));
    expect(said).toContain('https only');
    expect(said).not.toContain('s3cret');
  });

  test('end after a few', async () => {
    const { url, requests } = await serve((reply) => leadingTo('/members.csv')(reply, {} as IncomingMessage));
    expect(await messageOf(fetchFrom(url))).toContain('after 5 redirects');
    expect(requests).toHaveLength(6);
  });
});

describe('a header', () => {
  test('has its value from the environment at the moment of asking', () => {
    const headers = Object.fromEntries([headerFrom('Authorization=env:NIGHTLY_TOKEN'), headerFrom('X-Key = env:K')]);
    expect(headers).toEqual({ Authorization: 'NIGHTLY_TOKEN', 'X-Key': 'K' });
    const environment: Record<string, string> = { NIGHTLY_TOKEN: 'Bearer a', K: 'b\n' };
    expect(headersWithValues(headers, (name) => environment[name])).toEqual({
      Authorization: 'Bearer a',
      'X-Key': 'b',
    });
    environment['K'] = ' ';
    expect(() => headersWithValues(headers, (name) => environment[name])).toThrow('X-Key');
  });

  test.each([
    'Authorization=Bearer s3cret',
    's3cret',
    'Bad Name=s3cret',
    '=env:s3cret',
    'Host=env:H',
    'If-Match=env:H',
  ])('%j is refused, and a value that may be a secret is not repeated', (text) => {
    expect(() => headerFrom(text)).toThrow(expect.objectContaining({ code: 'BAD_SOURCE' }));
    expect(() => headerFrom(text)).not.toThrow('s3cret');
  });

  test('with a value that cannot be sent is refused without the value', () => {
    const broken = () => headersWithValues({ A: 'V' }, () => 's3cret\r\nInjected: 1');
    expect(broken).toThrow('variable V');
    expect(broken).not.toThrow('s3cret');
  });
});
