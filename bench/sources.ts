/**
 * Reading from a database or a bucket beside the same file from the disk: time, CPU time and memory of a process that keeps the
 * source as a file and stages it, as an import does. The servers run in processes of their own, or in the one that waits.
 *
 * Run   node bench/sources.ts [--rows 1000000] [--groups 4000] [--rounds 3] [--sources postgres,mariadb,s3,sftp]
 * Read  one line for each source and round, by turns; then medians. All must stage the same rows. Compare them with csv: memory
 *       within 30 MB, CPU within 1.5 times for bytes and 2 times for databases.
 */
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { sourceAt } from '../src/sources/schemes.ts';
import type { SourceSettings } from '../src/sources/source.ts';
import { spool } from '../src/sources/spool.ts';
import { startMariadb } from '../test/servers/mariadb.ts';
import { startPostgres } from '../test/servers/postgres.ts';
import { startSshd } from '../test/servers/sshd.ts';
import { BUCKET, KEYS, startS3 } from '../test/sources/s3-server.ts';
import { membershipFile } from './generate.ts';
import { line, type Measured, middle, report, run } from './measure.ts';
import { stage } from './stage.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    groups: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '3' },
    sources: { type: 'string', default: 'postgres,mariadb,s3,sftp' },
    address: { type: 'string' },
    settings: { type: 'string', default: '{"table":"members"}' },
  },
});
const ROWS_AT_ONCE = 5_000;

if (values.address !== undefined) await report(() => read(values.address ?? '', JSON.parse(values.settings)));
else await compare();

/** A file is staged as it is; anything else is kept first. */
async function read(address: string, settings: SourceSettings): Promise<number> {
  if (!address.includes('://')) return stage(address);
  const folder = await mkdtemp(join(process.cwd(), 'kept-'));
  try {
    const source = await sourceAt({
      address,
      settings,
      environment: () => undefined,
      secret: (name) => (settings.endpoint === undefined ? undefined : { ...KEYS }[name as keyof typeof KEYS]),
      ca: undefined,
    });
    const path = join(folder, 'kept');
    await spool(source, { path, maxBytes: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal });
    return await stage(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compare(): Promise<void> {
  const csv = await membershipFile(Number(values.rows), Number(values.groups));
  const table = tableOf(csv);
  const wanted = values.sources.split(',');
  const contenders: [name: string, args: string[]][] = [['csv', ['--address', csv]]];
  const stops: (() => Promise<void>)[] = [];
  try {
    if (wanted.includes('postgres')) {
      const server = await startPostgres();
      stops.push(() => server.stop());
      await fillPostgres(server.url, table);
      contenders.push(['postgres', ['--address', server.url]]);
    }
    if (wanted.includes('mariadb')) {
      const server = await startMariadb();
      stops.push(() => server.stop());
      await fillMariadb(server.url, table);
      contenders.push(['mariadb', ['--address', server.url]]);
    }
    if (wanted.includes('s3')) {
      const { objects, endpoint, close } = await startS3();
      stops.push(() => close());
      objects.set('members.csv', { bytes: readFileSync(csv), modifiedAt: new Date() });
      contenders.push(['s3', ['--address', `s3://${BUCKET}/members.csv`, '--settings', JSON.stringify({ endpoint })]]);
    }
    if (wanted.includes('sftp')) {
      const { dir, url, keyFile, knownHosts, stop } = await startSshd();
      stops.push(() => stop());
      await copyFile(csv, join(dir, 'files', 'members.csv'));
      contenders.push([
        'sftp',
        ['--address', `${url}/members.csv`, '--settings', JSON.stringify({ keyFile, knownHosts })],
      ]);
    }
    await measure(contenders);
  } finally {
    for (const stop of stops) await stop();
  }
}

async function measure(contenders: readonly (readonly [name: string, args: readonly string[]])[]): Promise<void> {
  process.stdout.write(line('', 's', 'CPU s', 'MB', 'rows'));
  const show = (name: string, { seconds, cpuSeconds, peakMb, count }: Measured) =>
    process.stdout.write(line(name, seconds.toFixed(2), cpuSeconds.toFixed(2), peakMb.toFixed(0), String(count)));
  const runs = new Map<string, Measured[]>(contenders.map(([name]) => [name, []]));
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    for (const [name, args] of contenders) {
      const measured = await run('sources.ts', args);
      if (measured.count !== Number(values.rows)) throw new Error(`${name} staged ${measured.count} rows`);
      runs.get(name)?.push(measured);
      show(`${name} ${round}`, measured);
    }
  }
  for (const [name, all] of runs) show(`${name} median`, middle(all));
}

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Reads a file that has no quotes. */
function tableOf(csv: string): Table {
  const [header = '', ...lines] = readFileSync(csv, 'utf8').trimEnd().split('\n');
  return { columns: header.split(','), rows: lines.map((one) => one.split(',')) };
}

function* inPieces(rows: Table['rows']): Generator<Table['rows']> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) yield rows.slice(start, start + ROWS_AT_ONCE);
}

async function fillPostgres(url: string, { columns, rows }: Table): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create table members (${columns.map((name) => `"${name}" text`).join()})`);
  const lists = columns.map((_, at) => `$${at + 1}::text[]`).join();
  for (const piece of inPieces(rows)) {
    const cells = columns.map((_, at) => piece.map((row) => row[at]));
    await client.query(`insert into members select * from unnest(${lists})`, cells);
  }
  await client.end();
}

async function fillMariadb(uri: string, { columns, rows }: Table): Promise<void> {
  const connection = await createConnection({ uri });
  await connection.query(`create table members (${columns.map((name) => `\`${name}\` varchar(200)`).join()})`);
  for (const piece of inPieces(rows)) await connection.query('insert into members values ?', [piece]);
  await connection.end();
}
