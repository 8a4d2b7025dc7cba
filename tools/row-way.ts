/**
 * The files of `src` and `jobs` that work for every batch of an import, measured: an import of 10,000 rows in 400 batches
 * runs in the sandbox under V8 coverage, and a file counts if one of its functions was called at least once for each batch.
 * `node tools/row-way.ts` writes the list into docs/architecture.md.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENT = join(PROJECT, 'docs/architecture.md');
const LIST = /(?<=<!-- files with work for every batch: node tools\/row-way\.ts -->\n\n).*?(?=\n\n<!-- end -->)/s;

const ROWS = 10_000;
/** Each has batches of 25 only. */
const GROUPS = 40;
const BATCHES = ROWS / 25;

/** They work at intervals: on a busy machine, an import of so many batches takes long enough that they are called as often. */
const BY_TIME = new Set([
  'src/imports/record/counters.ts',
  'src/imports/report/summarize.ts',
  'src/membership/outcome.ts',
  'src/queue/circuit.ts',
  'src/queue/flow.ts',
]);

/** Rooms in the order in which a row passes them; others come after them. */
const ROOMS = [
  ...['src/imports/life', 'src/imports/stage', 'src/imports/read', 'src/imports/send', 'src/imports/record'],
  ...['src/queue', 'jobs', 'src/chat', 'src/imports/report'],
];

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly functionName: string; readonly ranges: readonly { count: number }[] }[];
  }[];
}

/** Their paths from the project's folder. */
export async function measuredFiles(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-row-way-'));
  try {
    const file = join(folder, 'members.csv');
    const rows = Array.from({ length: ROWS }, (_, row) => `group-${row % GROUPS},user-${row}\n`);
    writeFileSync(file, `guid,uid\n${rows.join('')}`);
    const args = ['import', file, '--sandbox', '--data-dir', join(folder, 'data')];
    const coverage = join(folder, 'coverage');
    await promisify(execFile)(process.execPath, [join(PROJECT, 'bin/rollcall.js'), ...args], {
      env: { ...process.env, NODE_V8_COVERAGE: coverage },
    });
    return busyFiles(coverage);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Every thread has written a file. The sandbox stands for the service. */
function busyFiles(coverage: string): string[] {
  const sources = new URL('..', import.meta.url).href;
  const busy = readdirSync(coverage).flatMap((name) => {
    const { result }: Coverage = JSON.parse(readFileSync(join(coverage, name), 'utf8'));
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) >= BATCHES))
      .map(({ url }) => (url.startsWith(sources) ? url.slice(sources.length) : ''));
  });
  return [...new Set(busy)]
    .filter((path) => /^(src|jobs)\//.test(path) && !path.startsWith('src/sandbox/') && !BY_TIME.has(path))
    .sort();
}

/** Returns the table of docs/architecture.md. */
function wayTable(paths: readonly string[]): string {
  const rooms = Map.groupBy(paths, roomOf);
  const others = [...rooms.keys()].filter((room) => !ROOMS.includes(room));
  const lines = [...ROOMS, ...others].flatMap((room) => {
    const files = rooms.get(room) ?? [];
    const names = files.map((path) => `\`${path.slice(room.length + 1).replace(/\.ts$/, '')}\``);
    return names.length === 0 ? [] : [`| \`${room}\` | ${names.join(', ')} |`];
  });
  return [`${paths.length} files:`, '', '| room | files |', '| --- | --- |', ...lines].join('\n');
}

const roomOf = (path: string): string =>
  /^(jobs|src\/(?:imports\/|features\/)?[\w-]+)(?=\/)/.exec(path)?.[1] ?? dirname(path);

/** The files that the document lists now. */
export function listedFiles(): string[] {
  const [list = ''] = LIST.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
  return [...list.matchAll(/^\| `([\w/-]+)` \| (.*) \|$/gm)].flatMap(([, room, names = '']) =>
    [...names.matchAll(/`([\w/-]+)`/g)].map(([, name]) => `${room}/${name}.ts`),
  );
}

if (import.meta.main) {
  const table = wayTable(await measuredFiles());
  writeFileSync(
    DOCUMENT,
    readFileSync(DOCUMENT, 'utf8').replace(LIST, () => table),
  );
}
