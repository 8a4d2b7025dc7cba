import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { BuildOptions, Metafile } from 'esbuild';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RollcallError } from '../errors/rollcall-error.ts';
import type { Api } from './context.ts';
import { takesGzip } from './http-answers.ts';

/** A file of the console as it goes to the browser. */
type ConsoleFile = ReturnType<typeof consoleFile>;

/** The console as plain files: `index.html`, and what goes under /assets. */
export type ConsoleTexts = ReadonlyMap<string, Buffer>;

/** Its sources; in the npm package, what `npm run build` has made of them. */
const FOLDER = new URL('../console/', import.meta.url);
const ENTRY = 'main.tsx';
const PAGE = 'index.html';
/** They draw the page of the API. */
const SWAGGER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'] as const;
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  map: 'application/json; charset=utf-8',
};

/** The way to make files for a browser of sources. */
export const BUNDLED = {
  outdir: '.',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  write: false,
  // Those in the stylesheet, which no page asks for by themselves.
  loader: { '.svg': 'dataurl' },
  alias: { octicons: '@primer/octicons/build/svg' },
  logLevel: 'silent',
} as const satisfies BuildOptions;

let opened: ReturnType<typeof open> | undefined;

/** The console as this installation has it, read or made once in a process. */
export function consoleBundle() {
  opened ??= open();
  return opened;
}

/** Its one page, and the files under /assets by name. A name that ends in a hash changes with the content. */
async function open() {
  const texts = existsSync(new URL(ENTRY, FOLDER)) ? await bundleConsole() : await readBuilt();
  const files = [...texts].map(([name, body]) => [name, consoleFile(name, body)] as const);
  const { [PAGE]: page, ...assets } = Object.fromEntries(files);
  if (page === undefined) throw new Error(`the console has no ${PAGE}`);
  return { page, assets: new Map(Object.entries(assets)) };
}

async function readBuilt() {
  const names = await readdir(FOLDER);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, FOLDER))] as const)));
}

/** The packages of which the browser's files contain parts, by the console's source maps: their licences go with it. */
export function packagesIn(texts: ConsoleTexts) {
  const maps = [...texts].filter(([name]) => name.endsWith('.map')).map(([, body]) => body.toString());
  const found = maps.flatMap((map) => [...map.matchAll(/node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g)]);
  return [...new Set(['@primer/octicons', 'swagger-ui-dist', ...found.flatMap(([, name]) => name ?? [])])].toSorted();
}

/**
 * Makes scripts and one stylesheet of the console's sources, and takes those that draw the page of the API. A page of the
 * console is a script of its own, which is loaded when it is opened.
 */
export async function bundleConsole() {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    ...BUNDLED,
    absWorkingDir: fileURLToPath(FOLDER),
    entryPoints: [ENTRY, 'style.css'],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    metafile: true,
    sourcemap: 'linked',
  });
  const made = outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)] as const);
  const page = await readFile(new URL(PAGE, FOLDER), 'utf8');
  const main = Object.keys(metafile.outputs).find((path) => metafile.outputs[path]?.entryPoint === ENTRY) ?? '';
  // What the first script needs comes with it, and not after it.
  const early = importedBy(metafile, main).map(
    (path) => `<link rel="modulepreload" href="/assets/${basename(path)}">\n`,
  );
  const named = page
    .replace('<script', `${early.join('')}<script`)
    .replace(/\/assets\/(main|style)\.(js|css)/g, (_, base: string, end: string) => {
      const found = made.find(([name]) => name.startsWith(`${base}-`) && name.endsWith(`.${end}`));
      return `/assets/${found?.[0]}`;
    });
  const mark = await readFile(new URL('mark.svg', FOLDER));
  const folder = new URL('.', import.meta.resolve('swagger-ui-dist/package.json'));
  const swagger = SWAGGER_FILES.map(async (name) => [name, await readFile(new URL(name, folder))] as const);
  return new Map([...made, ...(await Promise.all(swagger)), ['mark.svg', mark], [PAGE, Buffer.from(named)]]);
}

/** The scripts without which this one does not run. */
function importedBy(metafile: Metafile, path: string): string[] {
  const own =
    metafile.outputs[path]?.imports.flatMap((one) => (one.kind === 'import-statement' ? [one.path] : [])) ?? [];
  return [...new Set(own.flatMap((one) => [one, ...importedBy(metafile, one)]))];
}

function consoleFile(name: string, body: Buffer) {
  const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  let packed: Promise<Buffer> | undefined;
  const pack = () => {
    packed ??= promisify(gzip)(body);
    return packed;
  };
  return { type, body, tag, pack };
}

/** Addresses of the console's own pages; those of a feature are among its routes. All get the same page. */
const PAGES = ['/', '/imports', '/imports/:id', '/members', '/members/:uid', '/audit', '/settings', '/login'];

/** The name changes with the content: a browser need not ask for it again. */
const HAS_HASH = /-[A-Z0-9]{8}\.\w+(\.map)?$/;
const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_FIRST = 'no-cache';
const MARK = 'mark.svg';
const PUBLIC = { config: { role: 'public' }, schema: { hide: true } } as const;

/** Whether a browser asks for an address that does not exist: the console says so better than a problem document. */
export function isForPeople({ method, url, headers }: FastifyRequest) {
  return method === 'GET' && headers.accept?.includes('text/html') === true && !/^\/(v1|assets)\//.test(url);
}

/** Sends the console's page, whatever the address: its script says if there is nothing. */
export async function sendPage(request: FastifyRequest, reply: FastifyReply) {
  return send(request, reply, (await consoleBundle()).page, ASK_FIRST);
}

/** The console's files: pages by their addresses, everything else under /assets. */
export function consoleRoutes(app: Api) {
  app.get('/assets/:name', PUBLIC, async (request, reply) => {
    const { name } = request.params as { name: string };
    const file = (await consoleBundle()).assets.get(name);
    if (file === undefined) throw new RollcallError('NOT_FOUND', { what: `there is no asset ${name}` });
    return send(request, reply, file, HAS_HASH.test(name) ? FOR_EVER : ASK_FIRST);
  });
  // Asked for by browsers where a page names none: a report, the documentation.
  app.get('/favicon.ico', PUBLIC, async (request, reply) => {
    const file = (await consoleBundle()).assets.get(MARK);
    if (file === undefined) throw new RollcallError('NOT_FOUND', { what: 'there is no icon' });
    return send(request, reply, file, ASK_FIRST);
  });
  for (const url of PAGES) pageRoute(app, url);
}

/** An address that the console's own script takes care of: that of a page. */
export function pageRoute(app: Api, url: string) {
  app.get(url, PUBLIC, sendPage);
}

async function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, body, tag, pack }: ConsoleFile,
  caching: string,
) {
  reply.header('cache-control', caching).header('etag', tag).type(type);
  if (headers['if-none-match'] === tag) return reply.code(304).send();
  // Packed once, and not for each request.
  if (!takesGzip(headers)) return reply.send(body);
  return reply
    .header('content-encoding', 'gzip')
    .header('vary', 'accept-encoding')
    .send(await pack());
}
