import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { shellWord } from '../../src/text/terminal-text.ts';
import { openSandboxPlace, openWorkplace, until } from '../cli/workplace.ts';
import { startPostgres } from '../servers/postgres.ts';
import { startRedis } from '../servers/redis.ts';

const run = promisify(execFile);
const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Bounds of the package in bytes: far enough away for growth, near enough to notice what does not belong there. */
const MAX_PACKED = 2_000_000;
const MAX_UNPACKED = 7_600_000;
/** Bounds of what npm installs with it. */
const MAX_INSTALLED_MB = 75;
const MAX_PACKAGES = 180;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let folder: string;
let packed: Packed;
/** The folder of a new user, with a name as people give them. */
let project: string;
let installed: string;
/** The warnings that npm prints while it installs. */
let warnings: string;
let launcher: string;

/** For npm: without questions to the registry that the test does not need. */
const QUIETLY = ['--prefer-offline', '--no-audit', '--no-fund'];

/** The environment of a user: nothing of the npm script that runs the tests, and the Node that runs them first. */
function userEnv(): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(npm_|ROLLCALL_|NODE_|VITEST|INIT_CWD)/.test(entry[0]),
  );
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  return {
    ...Object.fromEntries(own),
    PATH: path,
    ...(authorities !== undefined && { NODE_EXTRA_CA_CERTS: authorities }),
  };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PROJECT });
  packed = packResult(stdout);
  process.stdout.write(
    `${packed.filename}: ${packed.size} bytes, unpacked ${packed.unpackedSize}, ${packed.files.length} files\n`,
  );
  project = join(folder, 'a new user’s projekt');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  const arguments_ = ['install', join(folder, packed.filename), ...QUIETLY];
  warnings = (await run('npm', arguments_, { cwd: project, env: userEnv() })).stderr;
  installed = join(project, 'node_modules/rollcall');
  launcher = join(installed, 'bin/rollcall.js');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** npm prints what the build says before its own document, which newer versions key by the package's name. */
function packResult(stdout: string): Packed {
  const document: Packed[] | Record<string, Packed> = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [only] = Object.values(document);
  if (only === undefined) throw new Error(`npm pack made nothing: ${stdout}`);
  return only;
}

function filesOf(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules/rollcall/node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('the package has what runs, and nothing else', () => {
  test('npm warns of nothing: neither of dependencies that do not fit, nor of install scripts', () => {
    expect(warnings).toBe('');
  });

  test('it is small, and so is what is installed with it', async () => {
    expect(packed.size).toBeLessThan(MAX_PACKED);
    expect(packed.unpackedSize).toBeLessThan(MAX_UNPACKED);
    const modules = join(project, 'node_modules');
    const [megabytes] = (await run('du', ['-sm', modules])).stdout.split('\t');
    expect(Number(megabytes)).toBeLessThanOrEqual(MAX_INSTALLED_MB);
    const packages = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(path),
    );
    expect(packages.length).toBeGreaterThan(80);
    process.stdout.write(`${packages.length} packages, ${megabytes} MB\n`);
    expect(packages.length).toBeLessThanOrEqual(MAX_PACKAGES);
  });

  test('no sources, tests, benches, maps or settings of tools', () => {
    const superfluous = packed.files
      .map(({ path }) => path)
      .filter(
        (path) =>
          !/^(package\.json|README\.md|LICENSE|CHANGELOG\.md|(bin|dist|docs|samples|schemas|deploy\/(grafana|prometheus|systemd))\/.+)$/.test(
            path,
          ),
      );
    expect(superfluous).toEqual([]);
    const odd = packed.files
      .map(({ path }) => path)
      .filter((path) => /\.map$|\.test\.|(?<!\.d)\.ts$|tsconfig|biome|\.tgz$|^dist\/(test|bench|tools)\//.test(path));
    expect(odd).toEqual([]);
  });

  test('the licences of what it contains', () => {
    const licences = readFileSync(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    expect(licences).toMatch(
      /bullmq\n\n.*MIT License.*msgpackr\n\n.*MIT License.*preact\n\n.*MIT License.*swagger-ui-dist\n\n.*Apache License/is,
    );
  });

  test('types only where the programmatic API leads', () => {
    const types = packed.files.filter(({ path }) => path.endsWith('.d.ts'));
    expect(types.length).toBeGreaterThan(2);
    expect(types.length).toBeLessThan(60);
  });

  test('every SQL file, and the recipes', () => {
    const wanted = readdirSync(join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.sql$|built-in/.test(name))
      .map((name) => join('dist/src', name));
    expect(wanted.length).toBeGreaterThan(10);
    expect(wanted.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
  });

  test('no path of the machine that made it', () => {
    const telling = filesOf(installed).filter((path) => {
      const text = readFileSync(path, 'latin1');
      // Swagger UI has such an address of nothing in its own code.
      const isOurs = !path.endsWith('swagger-ui-bundle.js');
      return text.includes(PROJECT) || text.includes(folder) || (isOurs && text.includes('file:///'));
    });
    expect(telling).toEqual([]);
  });
});

test('npx rollcall answers, and says that it is installed', async () => {
  const { stdout } = await run('npx', ['rollcall', 'version', '--json'], { cwd: project, env: userEnv() });
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };
  expect(JSON.parse(stdout)).toMatchObject({ version, sources: false, folder: `${installed}/` });
});

test('an older Node says what to do, or runs the Node that is installed beside rollcall', async ({ skip }) => {
  const node = '/usr/bin/node';
  const major = existsSync(node) ? Number((await run(node, ['-p', 'process.versions.node'])).stdout.split('.')[0]) : 24;
  if (major >= 24) skip('there is no Node older than 24 at /usr/bin/node');
  const place = await openWorkplace({ launcher });
  const refused = await place.run(['import', "Ann's file.csv", '--region', 'eu'], { node });
  // Also where rollcall comes from a file: nothing of that name is taken from the registry.
  const words = [launcher, 'import', "Ann's file.csv", '--region', 'eu'].map(shellWord).join(' ');
  const command = `npx --package node@24 -- node ${words}\n`;
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(command)]);
  const beside = join(project, 'node_modules/node');
  symlinkSync(join(PROJECT, 'node_modules/node'), beside);
  onTestFinished(() => rmSync(beside));
  expect((await place.run(['--version'], { node })).code).toBe(0);
});

test('help has the documents', async () => {
  const place = await openWorkplace({ launcher });
  for (const topic of ['settings', 'errors', 'files']) {
    const { code, stdout } = await place.run(['help', topic]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^##? \w/)]);
  }
});

test('the demo runs', async () => {
  const place = await openWorkplace({ launcher });
  const { code, stderr } = await place.run(['demo']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Some rows of the sample are wrong on purpose')]);
});

test('an import reaches a sandbox, in the background too, and has its reports', async () => {
  const place = await openSandboxPlace(undefined, { launcher });
  const args = ['import', place.file('m.csv', 'uid,guid\nann,g\nbob,g\nbo b,g\n')];
  const { code, summary } = await place.summary(args);
  expect([code, summary.rows]).toEqual([1, expect.objectContaining({ read: 3, added: 2, invalid: 1 })]);
  expect(readFileSync(summary.reports.all ?? '', 'utf8')).toContain('_status');
  const detached = await place.run([...args, '--detach']);
  expect([detached.code, detached.stderr]).toEqual([0, expect.stringContaining('Sending in the background')]);
  const watched = await place.summary(['watch', detached.stdout.trim()]);
  expect(watched.summary.state).toBe('completed');
});

describe('an optional package', () => {
  test.each([
    ['an address', 'mysql2', ['inspect', 'mysql://reader@127.0.0.1/app', '--table', 'm'], {}],
    ['traces', 'bullmq-otel', ['import', 'm.csv', '--sandbox'], { OTEL_TRACES_EXPORTER: 'otlp' }],
    ['mail', 'nodemailer', ['notify', 'test'], { ROLLCALL_NOTIFY: 'smtp://127.0.0.1?from=a@b.example&to=c@d.example' }],
  ])('is named where %s needs it and it is not installed', async (_, name, args, env) => {
    const place = await openWorkplace({ launcher });
    place.file('m.csv', 'uid,guid\nann,g\n');
    const { code, stderr } = await place.run(args, { env });
    expect([code, stderr]).toEqual([2, expect.stringMatching(`need the packages? .*${name}.* not installed`)]);
  });

  test('is installed by the command that the error names, and then used', async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`create table members as select 'ann' as uid, 'g' as guid`);
    await client.end();
    const place = await openWorkplace({ launcher });
    const args = ['import', postgres.url, '--table', 'members', '--sandbox', '--json'];
    const refused = await place.run(args);
    const [, command = ''] = /`(npm install .*)`/.exec(refused.stderr) ?? [];
    expect([refused.code, command]).toEqual([2, expect.stringContaining('pg@8 pg-cursor@2')]);
    await run('sh', ['-c', [command, ...QUIETLY].join(' ')], { env: userEnv() });
    expect((await place.summary(args.slice(0, -1))).summary.rows).toMatchObject({ read: 1, added: 1 });
  });
});

test('serve has its API, its console and its documents', async () => {
  const place = await openWorkplace({ launcher });
  const server = place.start(['serve', '--sandbox', '--port', '0'], { stays: true });
  await server.says('Listening on ');
  const [, origin = ''] = /Listening on (\S+)/.exec(server.stderr()) ?? [];
  const page = await (await fetch(`${origin}/`)).text();
  const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].flatMap(([, path]) => path ?? []);
  expect(assets.length).toBeGreaterThan(1);
  for (const path of [...assets, '/openapi.json', '/docs', '/assets/swagger-ui-bundle.js']) {
    expect([path, (await fetch(`${origin}${path}`)).status]).toEqual([path, 200]);
  }
  const body = 'uid,guid\nann,g\nbob,g\n';
  const headers = { 'content-type': 'text/csv' };
  const created = await fetch(`${origin}/v1/imports?name=m.csv`, { method: 'POST', headers, body });
  expect(created.status).toBe(202);
  const location = `${origin}${created.headers.get('location')}`;
  await until(async () => ((await (await fetch(location)).json()) as { state: string }).state === 'completed');
  const report = await (await fetch(`${location}/report?format=csv`)).text();
  expect(report.match(/,added,/g)).toHaveLength(2);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

test('a worker sends what a coordinator puts into Redis', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const place = await openSandboxPlace(undefined, { launcher, env: { ROLLCALL_QUEUE: redis.url } });
  const worker = place.start(['worker', '--region', 'us'], { stays: true });
  await worker.says('Sending for');
  const { code, summary } = await place.summary(['import', place.file('m.csv', 'uid,guid\nann,g\nbob,g\n')]);
  expect([code, summary.rows]).toEqual([0, expect.objectContaining({ read: 2, added: 2 })]);
  worker.child.kill('SIGTERM');
  expect((await worker.ended).code).toBe(0);
});

describe('from a program', () => {
  /** The example of a document. */
  function example(document: string): string {
    const text = readFileSync(join(installed, document), 'utf8');
    const [, code] = /```js\n([\s\S]*?from 'rollcall';[\s\S]*?)```/.exec(text) ?? [];
    if (code === undefined) throw new Error(`${document} has no example of the programmatic API`);
    return code;
  }

  test.each(['README.md', 'docs/program.md'])('the example of %s runs', async (document) => {
    writeFileSync(join(project, 'members.csv'), 'uid,guid\nann,g\nbob,g\nbo b,g\n');
    writeFileSync(join(project, 'example.js'), example(document));
    const { stdout } = await run(process.execPath, ['example.js'], { cwd: project, env: userEnv() });
    expect(stdout).toMatch(/^completed 2 of 3$/m);
    expect(stdout).toMatch(/^4 BAD_CHARACTER /m);
  });

  test('its types are there, and refuse what is wrong', async () => {
    writeFileSync(join(project, 'example.ts'), example('README.md'));
    const wrong = `import { runImport } from 'rollcall';\nawait runImport('m.csv', { sandbux: true });\n`;
    writeFileSync(join(project, 'wrong.ts'), wrong);
    const tools = join(PROJECT, 'node_modules');
    const types = ['--typeRoots', join(tools, '@types'), '--types', 'node'];
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', ...types];
    const tsc = (file: string) => run(join(tools, '.bin/tsc'), [...options, file], { cwd: project });
    await tsc('example.ts');
    await expect(tsc('wrong.ts')).rejects.toMatchObject({ stdout: expect.stringMatching(/'sandbux' does not exist/) });
  });
});
