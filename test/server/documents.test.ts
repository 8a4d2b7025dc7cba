import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import zlib, { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ERRORS, REFUSAL_CODES } from '../../src/errors/errors.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { newSchedule } from '../../src/features/schedule/operations.ts';
import { CREATION } from '../../src/options/create-options.ts';
import { readStatements } from '../../src/platform/sqlite.ts';
import { consoleBundle } from '../../src/server/console-files.ts';
import { problemDocument } from '../../src/server/problem.ts';
import { tempDir } from '../temp-dir.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const require = createRequire(import.meta.url);
const ROOT = new URL('../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

test('a problem document has the words of its code, unless there are better ones', () => {
  const plain = problemDocument(new RollcallError('BUSY', { what: 'ten uploads are under way' }));
  expect(plain).toEqual({
    type: '/docs/errors#BUSY',
    title: 'Too much at once',
    status: 503,
    code: 'BUSY',
    detail: 'Ten uploads are under way.',
    remedy: ERRORS.BUSY.advice,
    onPages: 'Try again in a moment.',
  });
  expect(problemDocument(new RollcallError('BUSY', { what: 'x', remedy: 'wait' })).remedy).toBe('Wait.');
});

test('every statement of the access file is used', () => {
  const names = [...readStatements(new URL('src/server/access/access.sql', ROOT)).keys()];
  const source = textOf('src/server/access/access-store.ts');
  expect(names.filter((name) => !new RegExp(`sql(<.+>)?\\('${name}'\\)`).test(source))).toEqual([]);
  expect(names.length).toBeGreaterThan(10);
});

describe('the description of the API', () => {
  let server: TestServer;
  let document: {
    openapi: string;
    paths: Record<
      string,
      Record<
        string,
        {
          operationId: string;
          summary?: string;
          responses: Record<string, object>;
          parameters?: { name: string; in: string }[];
        }
      >
    >;
    components: { schemas: Record<string, object> };
    webhooks: Record<string, { post: { requestBody: object } }>;
  };
  beforeAll(async () => {
    server = await startTestServer();
    document = await server.json('/openapi.json');
  });
  afterAll(() => server.close());
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );

  test('is OpenAPI 3.1, and says of every address what it does and how it refuses', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(operations().length).toBeGreaterThan(20);
    for (const { path, method, summary, responses } of operations()) {
      expect(summary, `${method} ${path}`).toMatch(/\S/);
      expect(
        Object.keys(responses).some((status) => /^2/.test(status)),
        `${method} ${path}`,
      ).toBe(true);
    }
    const refusing = operations().filter(({ path }) => path.startsWith('/v1/') && path !== '/v1/session');
    for (const { path, method, responses } of refusing) {
      expect(JSON.stringify(responses['401']), `${method} ${path}`).toContain('#/components/schemas/Problem');
    }
  });

  test('passes a linter of OpenAPI without a warning that redocly.yaml does not name', async () => {
    const path = join(tempDir(), 'openapi.json');
    writeFileSync(path, JSON.stringify(document));
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const linter = require.resolve('@redocly/cli/bin/cli.js');
    const args = [linter, 'lint', path, '--config', fileURLToPath(new URL('redocly.yaml', ROOT))];
    const { stderr } = await promisify(execFile)(process.execPath, args, { env });
    expect(stderr).toContain('is valid.');
  });

  test('names each operation once, for generated clients', () => {
    const names = operations().map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['getImports', 'getImport', 'createImport', 'deleteImport', 'pauseImport', 'actOnImports'],
        ...['getImportRow', 'getImportRows', 'getExportList', 'changeImportCorrectionsRows', 'look', 'logIn'],
      ]),
    );
  });

  test('has the notifications that docs/webhook.md lists', () => {
    const listed = [...textOf('docs/webhook.md').matchAll(/^\| `(\w+\.\w+)` \|/gm)].map(([, type]) => type);
    expect(Object.keys(document.webhooks)).toEqual(listed);
    expect(document.webhooks['sync.held']?.post.requestBody).toMatchObject({
      content: { 'application/json': { schema: { properties: { type: { const: 'sync.held' } } } } },
    });
  });

  test('is kept by answers: an address refuses other methods, and names those that it takes', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const allowed = Object.keys(methods).map((method) => method.toUpperCase());
      const other = ['PATCH', 'DELETE', 'PUT'].find((method) => !allowed.includes(method));
      const { code, status, headers } = await server.problem(path.replaceAll(/[{}]/g, ''), { method: other ?? '' });
      expect([path, code, status]).toEqual([path, 'METHOD_NOT_ALLOWED', 405]);
      const named = new Set(headers.get('allow')?.split(', '));
      expect(allowed.filter((method) => !named.has(method))).toEqual([]);
    }
  });

  test('names only schemas that it has', () => {
    const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(Object.keys(document.components.schemas)));
  });

  test('has the options of an upload', () => {
    const names = document.paths['/v1/imports']?.['post']?.parameters
      ?.filter((one) => one.in === 'query')
      .map(({ name }) => name);
    // One of each kind: how it is read, by what recipe, what it creates, how it is sent, what is done first.
    expect(names).toEqual(
      expect.arrayContaining([
        'name',
        'guid',
        'map',
        'sheet',
        'shape',
        'minRows',
        'recipe',
        ...Object.keys(CREATION),
        'maxErrors',
        'first',
        'dryRun',
      ]),
    );
  });

  test('a schedule takes what a sync may create under the same names', () => {
    expect(Object.keys(newSchedule.shape)).toEqual(expect.arrayContaining(Object.keys(CREATION)));
  });

  test('has pages for people that keep to the content policy; the codes need no script', async () => {
    for (const path of ['/docs', '/docs/errors']) {
      const page = await (await server.fetch(path)).text();
      expect(page).not.toMatch(/<script>|style=|<style|\son\w+=|(?:href|src)="(?!\/\w|\/"|#)/i);
    }
    const errors = await (await server.fetch('/docs/errors')).text();
    expect(errors).not.toContain('<script');
    for (const code of REFUSAL_CODES) expect(errors).toContain(`id="${code}"`);
  });

  test('links lead somewhere', async () => {
    for (const path of ['/docs', '/docs/errors']) {
      const page = await (await server.fetch(path)).text();
      for (const [, link = ''] of page.matchAll(/(?:href|src)="(\/[^"#]*)"/g)) {
        expect((await server.fetch(link)).status, link).toBe(200);
      }
      for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${anchor}"`);
    }
  });
});

test('answers say how long they may be kept, and one that the client has is not sent again', async () => {
  const server = await startTestServer();
  onTestFinished(() => server.close());
  // Not by fetch, which asks for everything again then.
  const get = (path: string, headers = {}) =>
    new Promise<IncomingMessage>((resolve) => httpRequest(`${server.url}${path}`, { headers }, resolve).end()).then(
      async (response) => ({
        ...response,
        status: response.statusCode,
        headers: response.headers,
        text: await text(response),
      }),
    );
  const first = await get('/v1/imports');
  expect(first.headers).toMatchObject({
    'cache-control': 'private, no-cache',
    etag: expect.stringMatching(/^W\/".+"$/),
  });
  const known = { 'if-none-match': `"x", ${first.headers.etag}` };
  expect(await get('/v1/imports', known)).toMatchObject({
    status: 304,
    text: '',
    headers: { etag: first.headers.etag },
  });
  expect((await get('/v1/imports', { ...known, 'accept-encoding': 'gzip' })).status).toBe(304);
  await server.run('guid,uid\nteam,ann\n');
  expect((await get('/v1/imports', known)).status).toBe(200);
  expect((await get('/readyz')).headers['cache-control']).toBe('no-store');
  const made = await server.fetch('/v1/tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ role: 'viewer' }),
  });
  expect([made.status, made.headers.get('cache-control'), made.headers.get('etag')]).toEqual([201, 'no-store', null]);
});

describe('the console', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  test.each([
    '/',
    '/imports/x',
    '/syncs',
    '/syncs/x',
    '/schedules',
    '/members',
    '/members/anna',
    '/settings',
    '/login',
  ])('is the same page at %s', async (path) => {
    const response = await server.fetch(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(await response.text()).toBe((await consoleBundle()).get('index.html')?.toString());
  });

  test('has files whose names change with their content, so that browsers keep them; the page is asked for each time', async () => {
    const page = await (await server.fetch('/')).text();
    const named = [...page.matchAll(/"(\/assets\/(?:main|style)-\w+\.\w+)"/g)].map(([, path = '']) => path);
    expect(named).toHaveLength(2);
    for (const path of ['/', ...named]) {
      const response = await server.fetch(path);
      expect(response.status, path).toBe(200);
      const caching = path === '/' ? 'no-cache' : 'public, max-age=31536000, immutable';
      expect(response.headers.get('cache-control')).toBe(caching);
      const etag = response.headers.get('etag') ?? '';
      // Not by fetch, which asks for everything again then.
      const again = await new Promise<IncomingMessage>((resolve) =>
        httpRequest(`${server.url}${path}`, { headers: { 'if-none-match': etag } }, resolve).end(),
      );
      again.resume();
      expect(again.statusCode).toBe(304);
    }
  });

  test('packs a file once, and sends it as it is to a client that does not take gzip', async () => {
    const path = '/assets/swagger-ui-bundle.js';
    const ask = async (encoding: string) => {
      const options = { headers: { 'accept-encoding': encoding } };
      const response = await new Promise<IncomingMessage>((resolve) =>
        httpRequest(`${server.url}${path}`, options, resolve).end(),
      );
      return { headers: response.headers, body: await buffer(response) };
    };
    const plain = await ask('identity');
    const first = await ask('gzip');
    const packing = vi.spyOn(zlib, 'gzipSync');
    syncBuiltinESMExports();
    onTestFinished(() => {
      packing.mockRestore();
      syncBuiltinESMExports();
    });
    for (const { headers, body } of [first, await ask('gzip')]) {
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(body.length) });
      expect(headers.etag).toBe(plain.headers.etag);
      expect(gunzipSync(body).equals(plain.body)).toBe(true);
    }
    expect(packing).not.toHaveBeenCalled();
  });

  test.each([
    '/assets/../server.ts',
    '/assets/..%2fserver.ts',
    '/assets/%2e%2e/server.ts',
    '/assets/..%5cserver.ts',
    '/assets/tsconfig.json',
    '/assets/api.d.ts',
    '/assets/',
    '/assets/view',
    '/assets/package.json',
  ])('has nothing at %s', async (path) => {
    expect(await server.problem(path)).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });
});
