import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync, type ZlibOptions } from 'node:zlib';
import type { BuildOptions, Metafile } from 'esbuild';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RollcallError } from '../errors/rollcall-error.ts';
import type { Api } from './context.ts';
import { COMPRESSION } from './http-answers.ts';

/** The console as plain files: `index.html`, and what goes under /assets. */
type ConsoleTexts = ReadonlyMap<string, Buffer>;

/** Its sources; in the npm package, what `npm run build` has made of them. */
const FOLDER = new URL('../console/', import.meta.url);
const ENTRY = 'main.tsx';
const PAGE = 'index.html';
const MARK = 'mark.svg';
/** They draw the page of the API. */
const SWAGGER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'] as const;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json; charset=utf-8',
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

let opened: Promise<ConsoleTexts> | undefined;

/** The console as this installation has it, read or made once in a process. */
export function consoleBundle() {
  opened ??= existsSync(new URL(ENTRY, FOLDER)) ? bundleConsole() : readBuilt();
  return opened;
}

async function readBuilt() {
  const names = await readdir(FOLDER);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, FOLDER))] as const)));
}

/** Makes a script of each page, one stylesheet, and takes what draws the page of the API. */
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
  const mark = await readFile(new URL(MARK, FOLDER));
  const folder = new URL('.', import.meta.resolve('swagger-ui-dist/package.json'));
  const swagger = SWAGGER_FILES.map(async (name) => [name, await readFile(new URL(name, folder))] as const);
  return new Map([...made, ...(await Promise.all(swagger)), [MARK, mark], [PAGE, Buffer.from(named)]]);
}

/** The scripts without which this one does not run. */
function importedBy(metafile: Metafile, path: string): string[] {
  const own =
    metafile.outputs[path]?.imports.flatMap((one) => (one.kind === 'import-statement' ? [one.path] : [])) ?? [];
  return [...new Set(own.flatMap((one) => [one, ...importedBy(metafile, one)]))];
}

/** Addresses of the console's own pages; those of a feature are among its routes. All get the same page. */
const PAGES = ['/', '/imports', '/imports/:id', '/members', '/members/:uid', '/audit', '/settings', '/login'];

/** The name changes with the content: a browser need not ask for it again. */
const HAS_HASH = /-[A-Z0-9]{8}\.\w+(\.map)?$/;
const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_FIRST = 'no-cache';

const packed = new WeakMap<Buffer, Buffer>();

/** A file is packed once in a process, and not for each request. */
function packOnce(body: Buffer, options: ZlibOptions) {
  const done = packed.get(body) ?? gzipSync(body, options);
  packed.set(body, done);
  return done;
}

const PUBLIC = {
  config: { role: 'public' },
  schema: { hide: true },
  // Files beyond the threshold would be packed as streams, for each request.
  compress: { ...COMPRESSION, syncThreshold: Number.POSITIVE_INFINITY, zlib: { gzipSync: packOnce } },
} as const;

/** Whether a browser asks for an address that does not exist: the console says so better than a problem document. */
export function isForPeople({ method, url, headers }: FastifyRequest) {
  return method === 'GET' && headers.accept?.includes('text/html') === true && !/^\/(v1|assets)\//.test(url);
}

/** Sends the console's page, whatever the address: its script says if there is nothing. */
export function sendPage(_request: FastifyRequest, reply: FastifyReply) {
  return send(reply, PAGE);
}

/** The console's files: pages by their addresses, everything else under /assets. */
export function consoleRoutes(app: Api) {
  app.get('/assets/:name', PUBLIC, ({ params }, reply) => send(reply, (params as { readonly name: string }).name));
  // Asked for by browsers where a page names none: a report, the documentation.
  app.get('/favicon.ico', PUBLIC, (_request, reply) => send(reply, MARK));
  for (const url of PAGES) pageRoute(app, url);
}

/** An address that the console's own script takes care of: that of a page. */
export function pageRoute(app: Api, url: string) {
  app.get(url, PUBLIC, sendPage);
}

async function send(reply: FastifyReply, name: string) {
  const body = (await consoleBundle()).get(name);
  if (body === undefined) throw new RollcallError('NOT_FOUND', { what: `there is no asset ${name}` });
  reply.header('cache-control', HAS_HASH.test(name) ? FOR_EVER : ASK_FIRST);
  return reply.type(TYPES[extname(name)] ?? 'application/octet-stream').send(body);
}
