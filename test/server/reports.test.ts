import { request as httpRequest, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const ROWS = 2_000;

let server: TestServer;
/** One that is over, with every second row failed. */
let over: ImportView;
/** One that was only read. */
let staged: ImportView;
beforeAll(async () => {
  server = await startTestServer({ sandbox: { users: ROWS / 2 } });
  const lines = Array.from(
    { length: ROWS },
    (_, at) => `g${at % 5},${at % 2 === 0 ? 'user-' : 'nobody-'}${1 + Math.floor(at / 2)}`,
  );
  const file = `guid,uid\n${lines.join('\n')}\n`;
  over = await server.run(file, `name=${encodeURIComponent('Päckchen "1".csv.gz')}`);
  staged = await server.run(file, 'dryRun=true&name=staged.csv');
});
afterAll(() => server.close());

const plain = { headers: { 'accept-encoding': 'identity' } };
const report = (view: ImportView, query: string, init: RequestInit = plain) =>
  server.fetch(`/v1/imports/${view.id}/report?${query}`, init);

/** Lines of a text that ends with a line end. */
const lineCount = (text: string) => text.split('\n').length - 1;

describe.each([
  ['an import that is over', () => over],
  ['an import that is not over', () => staged],
])('%s', (_, view) => {
  test.each([
    ['format=csv', 'text/csv; charset=utf-8', ROWS + 1],
    ['', 'text/csv; charset=utf-8', ROWS + 1],
    ['format=ndjson', 'application/x-ndjson; charset=utf-8', ROWS],
  ])('can be had as %j', async (query, type, lines) => {
    const response = await report(view(), query);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(lineCount(await response.text())).toBe(lines);
  });

  test('can be had as JSON, with the summary', async () => {
    const { summary, rows } = (await (await report(view(), 'format=json')).json()) as {
      summary: object;
      rows: object[];
    };
    expect(summary).toMatchObject({ id: view().id, rows: { read: ROWS } });
    expect(rows).toHaveLength(ROWS);
  });

  test('can be had as a workbook, for a spreadsheet', async () => {
    const response = await report(view(), 'format=xlsx');
    expect(response.headers.get('content-type')).toContain('spreadsheetml.sheet');
    const sheet = strFromU8(
      unzipSync(new Uint8Array(await response.arrayBuffer()))['xl/worksheets/sheet1.xml'] ?? new Uint8Array(),
    );
    expect(sheet.match(/<row>/g)).toHaveLength(ROWS + 1);
  });

  test('can be had as a page that is shown and may run nothing', async () => {
    const response = await report(view(), 'format=html');
    expect(response.headers.get('content-disposition')).toBe('inline');
    expect(response.headers.get('content-security-policy')).toBe("sandbox; frame-ancestors 'none'");
    expect(await response.text()).toContain('Content-Security-Policy');
  });

  test('is gzipped for those who take that', async () => {
    const options = { headers: { 'accept-encoding': 'gzip' } };
    const response = await new Promise<IncomingMessage>((resolve) =>
      httpRequest(`${server.url}/v1/imports/${view().id}/report`, options, resolve).end(),
    );
    expect(response.headers['content-encoding']).toBe('gzip');
    const text = gunzipSync(Buffer.concat(await response.toArray())).toString();
    expect(text).toBe(await (await report(view(), 'format=csv')).text());
  });
});

test('rows can be chosen by outcome', async () => {
  expect(lineCount(await (await report(over, 'status=failed')).text())).toBe(ROWS / 2 + 1);
  expect(lineCount(await (await report(over, 'status=invalid')).text())).toBe(1);
});

test('every address that an import names can be followed', async () => {
  const { created: _, ...written } = over.reports;
  for (const path of Object.values(written)) {
    expect((await server.fetch(path ?? 'none')).status).toBe(200);
  }
});

test('what an import created is a file of its own, which keeps the names of import and file', async () => {
  const created = await server.run('guid,uid\ng1,user-1\ng1,fresh\n', 'createUsers=true&userNameFrom=uid&name=m.csv');
  expect(created.reports.created).toBe(`/v1/imports/${created.id}/created`);
  const response = await server.fetch(created.reports.created ?? '');
  expect(response.headers.get('content-disposition')).toContain(`filename="m-${created.id}-created.csv"`);
  expect((await response.text()).split('\n').slice(1)).toEqual([
    expect.stringMatching(/^user,us,fresh,created,,,20/),
    '',
  ]);
  expect(staged.reports.created).toBeNull();
  expect(await (await server.fetch(`/v1/imports/${staged.id}/created`)).text()).toBe(
    'kind,region,id,outcome,code,message,at\n',
  );
});

test('the retry file imports as it is', async () => {
  const response = await report(over, 'retryable=true');
  expect(response.headers.get('content-disposition')).toContain(`-${over.id}-retry.csv"`);
  const text = await response.text();
  expect(text.split('\n').slice(0, 2)).toEqual(['guid,uid', 'g1,nobody-1']);
  expect(await server.run(text, 'dryRun=true')).toMatchObject({
    state: 'staged',
    rows: { read: ROWS / 2, invalid: 0 },
  });
});

test('the download has the name of the file and the import, in letters that every system takes', async () => {
  const header = (await report(over, '')).headers.get('content-disposition');
  const name = `P_ckchen _1_-${over.id}-report.csv`;
  const encoded = `P%C3%A4ckchen%20%221%22-${over.id}-report.csv`;
  expect(header).toBe(`attachment; filename="${name}"; filename*=UTF-8''${encoded}`);
});

describe('a download that broke off', () => {
  test('goes on where it was', async () => {
    const whole = await (await report(over, '')).text();
    const first = await report(over, '', { headers: { range: 'bytes=0-999' } });
    const etag = first.headers.get('etag') ?? '';
    expect([first.status, first.headers.get('content-range')]).toEqual([206, `bytes 0-999/${whole.length}`]);
    const rest = await report(over, '', { headers: { range: 'bytes=1000-', 'if-range': etag } });
    expect(rest.status).toBe(206);
    expect((await first.text()) + (await rest.text())).toBe(whole);
  });

  test('goes on in the bytes of the file, also where gzip is taken', async () => {
    const options = { headers: { range: 'bytes=0-4999', 'accept-encoding': 'gzip' } };
    const response = await new Promise<IncomingMessage>((resolve) =>
      httpRequest(`${server.url}/v1/imports/${over.id}/report`, options, resolve).end(),
    );
    expect([response.statusCode, response.headers['content-encoding']]).toEqual([206, undefined]);
    const whole = await (await report(over, '')).text();
    expect(Buffer.concat(await response.toArray()).toString()).toBe(whole.slice(0, 5_000));
  });

  test('begins again when the file is another one', async () => {
    const response = await report(over, '', { headers: { range: 'bytes=10-', 'if-range': 'W/"other"' } });
    expect(response.status).toBe(200);
    expect(lineCount(await response.text())).toBe(ROWS + 1);
  });

  test('cannot go on behind the end', async () => {
    const problem = await server.problem(`/v1/imports/${over.id}/report`, { headers: { range: 'bytes=99999999-' } });
    expect(problem).toMatchObject({ code: 'RANGE', status: 416 });
    expect(problem.headers.get('content-range')).toMatch(/^bytes \*\/\d+$/);
    // A browser would save the problem under the name of the report.
    expect(problem.headers.get('content-disposition')).toBeNull();
  });

  test('gets the whole where the report is made anew each time', async () => {
    const response = await report(staged, '', { headers: { range: 'bytes=10-' } });
    expect([response.status, response.headers.get('accept-ranges')]).toEqual([200, 'none']);
    expect(lineCount(await response.text())).toBe(ROWS + 1);
  });
});

test.each([
  ['format=pdf', 'format'],
  ['status=done', 'status'],
  ['retryable=true&format=csv', 'format'],
  ['format=html&status=failed', 'status'],
  ['format=html&text=ann', 'text'],
  ['line=9-3', 'line'],
])('%s is refused', async (query, field) => {
  expect(await server.problem(`/v1/imports/${over.id}/report?${query}`)).toMatchObject({ code: 'BAD_OPTION', field });
});

test('a client that goes away in the middle does the others no harm', async () => {
  const controller = new AbortController();
  const response = await report(staged, 'format=json', { signal: controller.signal });
  await response.body?.getReader().read();
  controller.abort();
  expect(lineCount(await (await report(staged, 'format=ndjson')).text())).toBe(ROWS);
});
