import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { checkAccess } from '../console/accessibility.ts';
import { useBrowser } from '../console/browser.ts';
import { DOCUMENTS } from '../documents/blocks.ts';

/** The site of the documents, as `npm run site` makes it. */

const ROOT = join(import.meta.dirname, '../..');
const BASE = new URL(manifest.homepage).pathname;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

const browser = useBrowser();
const site = mkdtempSync(join(tmpdir(), 'rollcall-site-test-'));
let server: Server;
let origin: string;

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['tools/site.ts', site], { cwd: ROOT });
  server = createServer((request, response) => {
    const path = fileAt(new URL(request.url ?? '/', origin).pathname);
    if (path === undefined) return void response.writeHead(404).end();
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream').end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(site, { recursive: true, force: true });
});

/** Returns the file that GitHub Pages would find. */
function fileAt(path: string): string | undefined {
  if (!path.startsWith(BASE)) return undefined;
  const named = join(site, decodeURIComponent(path.slice(BASE.length)));
  return [named, `${named}.html`, join(named, 'index.html')].find((one) => existsSync(one) && statSync(one).isFile());
}

const htmlFiles = () => globSync('**/*.html', { cwd: site });
const read = (path: string) => readFileSync(join(site, path), 'utf8');
const idsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));

test('each document is a page, with its Markdown beside it, and in the lists for programs', () => {
  const full = read('llms-full.txt');
  for (const document of DOCUMENTS) {
    const path = document === 'README.md' ? 'index.md' : document;
    const title = /^# (.+)$/m.exec(read(path))?.[1] ?? '';
    expect(title).not.toBe('');
    expect(read(path.replace(/\.md$/, '.html'))).toContain('<h1');
    expect(read('llms.txt')).toContain(`- [${title}](${manifest.homepage}${path})`);
    expect(full).toContain(`# ${title}\n`);
  }
});

test('all links and anchors lead to something', () => {
  const dead: string[] = [];
  for (const file of htmlFiles()) {
    const html = read(file);
    const from = new URL(`${BASE}${file}`, 'http://site');
    for (const [, link = ''] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      const to = new URL(link.replaceAll('&amp;', '&'), from);
      if (to.origin !== from.origin) continue;
      const target = fileAt(to.pathname);
      const anchor = decodeURIComponent(to.hash.slice(1));
      if (target === undefined) dead.push(`${file}: ${link}`);
      else if (anchor !== '' && !idsIn(readFileSync(target, 'utf8')).has(anchor)) dead.push(`${file}: ${link}`);
    }
  }
  for (const file of globSync('**/*.md', { cwd: site })) {
    for (const [, link = ''] of read(file).matchAll(/\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g)) {
      if (!existsSync(join(site, dirname(file), link))) dead.push(`${file}: ${link}`);
    }
  }
  expect(dead).toEqual([]);
});

test('each page names its icon: a browser that finds none asks for /favicon.ico', () => {
  const icon = `<link rel="icon" type="image/svg+xml" href="${BASE}mark.svg">`;
  expect(htmlFiles().filter((file) => !read(file).includes(icon))).toEqual([]);
});

test('each schema is at the address that it names', () => {
  const schemas = globSync('*.json', { cwd: join(ROOT, 'schemas') });
  expect(schemas).toContain('rollcall.config.schema.json');
  for (const name of schemas) {
    expect(JSON.parse(read(`schemas/${name}`))).toMatchObject({ $id: `${manifest.homepage}schemas/${name}` });
  }
});

/** Each scheme and each width once: none changes what the other shows. */
const SIGHTS = [
  ['light', 1440],
  ['dark', 390],
] as const;

describe.each(SIGHTS)('in %s, %i px wide', (colorScheme, width) => {
  test.each(['', 'docs/files', 'docs/flags', 'docs/errors'])('axe finds nothing on /%s', async (path) => {
    const { page } = await open(path, { colorScheme, viewport: { width, height: 900 } });
    expect(await page.evaluate('document.documentElement.classList.contains("dark")')).toBe(colorScheme === 'dark');
    await checkAccess(page);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });
});

test('a search finds a word of a page; nothing is loaded from elsewhere', async () => {
  const { page, asked } = await open('');
  await page.getByRole('button', { name: /^Search/ }).click();
  await page.getByRole('searchbox').fill('identities');
  await page.getByRole('option').first().waitFor();
  await page.getByRole('option').first().click();
  await page.waitForURL(/docs\//);
  expect(asked.filter((url) => !url.startsWith(origin))).toEqual([]);
});

async function open(path: string, options = {}): Promise<{ page: Page; asked: readonly string[] }> {
  const asked: string[] = [];
  const page = await browser.open('about:blank', options);
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${origin}${BASE}${path}`);
  // Its own scripts have taken over.
  await page.waitForFunction('document.querySelector("#app")?.__vue_app__ !== undefined');
  return { page, asked };
}
