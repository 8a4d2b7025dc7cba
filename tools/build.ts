import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleConsole } from '../src/server/console-files.ts';
import { writeErrors } from './errors.ts';
import { writeFlags } from './flags.ts';
import { packagesIn } from './licence.ts';
import { schemaFiles } from './schemas.ts';

/**
 * `npm run build`: makes `dist` from the sources, for the npm package and the image, `schemas`, docs/flags.md and docs/errors.md. Node strips no types below
 * `node_modules`, so these need JavaScript. A clone runs from the sources and never looks at `dist`.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
/** Read while rollcall runs, and not made by the compiler. */
const KEPT = /\.sql$|[/\\]built-in[/\\][\w-]+\.json$/;
/** The licence of a package, and those of what it contains itself. */
const LICENCE = /^(LICEN[SC]E(\.md|\.txt)?|NOTICE|swagger-ui-bundle\.js\.LICENSE\.txt)$/i;
/** The entry of the programmatic API's types. */
const API_TYPES = join(DIST, 'src/index.d.ts');

rmSync(DIST, { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' });
copy('src');
copy('jobs');
const contained = new Set([...(await buildQueueLibrary()), ...(await buildConsole())]);
writeLicences([...contained].toSorted());
writeSchemas();
await writeFlags();
writeErrors();
removeUnusedTypes();

function copy(folder: string): void {
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !KEPT.test(from)) continue;
    cpSync(from, join(DIST, from.slice(ROOT.length)));
  }
}

/**
 * Puts BullMQ into the package: npm would install it with msgpackr's optional part, whose install script it warns of whatever a
 * package that depends on it says. Nothing here needs that part. @returns packages of which there are parts in it
 */
async function buildQueueLibrary(): Promise<string[]> {
  const library = join(DIST, 'bullmq.js');
  const { metafile } = await build({
    stdin: { contents: "export { DelayedError, Queue, RateLimitError, Worker } from 'bullmq';", resolveDir: ROOT },
    absWorkingDir: ROOT,
    outfile: library,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    // Packages that rollcall has itself, and those that BullMQ does without.
    external: ['ioredis', 'msgpackr-extract', 'pg', 'redis', '@valkey/*'],
    banner: {
      js: "import { createRequire as requiring } from 'node:module';\nconst require = requiring(import.meta.url);",
    },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  for (const entry of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
    const path = join(DIST, entry);
    if (path === library || !path.endsWith('.js')) continue;
    const text = readFileSync(path, 'utf8');
    const there = relative(dirname(path), library).replaceAll('\\', '/');
    const linked = text.replaceAll(/(?<=from )'bullmq'/g, `'${there}'`);
    if (linked !== text) writeFileSync(path, linked);
  }
  return Object.keys(metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
}

/** Builds the browser's files, ready to be served: the libraries need not be installed. @returns packages of which there are parts in them */
async function buildConsole(): Promise<string[]> {
  const folder = join(DIST, 'src/console');
  mkdirSync(folder);
  const bundle = await bundleConsole();
  for (const [name, body] of bundle) writeFileSync(join(folder, name), body);
  return packagesIn(bundle);
}

function writeLicences(packages: readonly string[]): void {
  const licences = packages.map((name) => {
    const from = join(ROOT, 'node_modules', name);
    const files = readdirSync(from).filter((file) => LICENCE.test(file));
    return [name, ...files.map((file) => readFileSync(join(from, file), 'utf8').trim())].join('\n\n');
  });
  const title = 'The files of this package contain parts of these packages.';
  writeFileSync(join(DIST, 'THIRD-PARTY-LICENSES.txt'), `${[title, ...licences].join('\n\n\n')}\n`);
}

function writeSchemas(): void {
  mkdirSync(join(ROOT, 'schemas'), { recursive: true });
  for (const [path, text] of schemaFiles()) writeFileSync(join(ROOT, path), text);
}

/** Types that no one can import would double the number of files. */
function removeUnusedTypes(): void {
  const used = new Set<string>();
  const use = (path: string) => {
    if (used.has(path)) return;
    used.add(path);
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.ts['"]/g)) {
      use(join(dirname(path), `${specifier}.d.ts`));
    }
  };
  if (existsSync(API_TYPES)) use(API_TYPES);
  for (const entry of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
    const path = join(DIST, entry);
    if (path.endsWith('.d.ts') && !used.has(path)) rmSync(path);
  }
}
