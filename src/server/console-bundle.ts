import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build } from 'esbuild';

/** A file of the console as it goes to the browser, packed once. */
export interface ConsoleFile {
  readonly type: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  /** Changes with the content. */
  readonly tag: string;
}

/** The console: its one page, and the files under /assets by name. A name holds a hash of the file's content. */
export interface ConsoleBundle {
  readonly page: ConsoleFile;
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

const FOLDER = new URL('../console/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  map: 'application/json; charset=utf-8',
};

let bundled: Promise<ConsoleBundle> | undefined;

/** Makes one script and one stylesheet of the console's sources, once in a process. */
export function consoleBundle(): Promise<ConsoleBundle> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<ConsoleBundle> {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(FOLDER),
    entryPoints: ['main.js', 'style.css'],
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    outdir: 'assets',
    publicPath: '/assets',
    loader: { '.svg': 'file' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    sourcemap: 'linked',
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
  });
  const assets = new Map<string, ConsoleFile>();
  for (const { path, contents } of outputFiles) {
    const name = basename(path);
    assets.set(name, await fileOf(TYPES[name.split('.').at(-1) ?? ''] ?? '', Buffer.from(contents)));
  }
  const mark = await readFile(new URL('mark.svg', FOLDER));
  assets.set('mark.svg', await fileOf(TYPES['svg'] ?? '', mark));
  const page = await readFile(new URL('index.html', FOLDER), 'utf8');
  const named = page.replace(/\/assets\/(main|style)\.(js|css)/g, (_, base: string, end: string) => {
    const name = [...assets.keys()].find((one) => one.startsWith(`${base}-`) && one.endsWith(`.${end}`));
    return `/assets/${name}`;
  });
  return { page: await fileOf('text/html; charset=utf-8', Buffer.from(named)), assets };
}

async function fileOf(type: string, body: Buffer): Promise<ConsoleFile> {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type, body, gzipped: await promisify(gzip)(body), tag };
}
