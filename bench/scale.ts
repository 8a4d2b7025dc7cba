/**
 * Measures how the cost of an import grows with its rows and with its groups: staging, recording and reporting alone,
 * and the whole import (`rollcall import`) against a stub that answers at once. Each step runs in a process of its own.
 *
 * Run   node bench/scale.ts                                          10,000 to 1,000,000 rows: some minutes, 1 GB of disk
 *       node bench/scale.ts --rows 10000,100000,1000000,10000000     an hour and 8 GB
 *       --rows-per-group 250                   groups of that table
 *       --groups 1,1000,1000000 --group-rows 1000000   the second table; `--groups none` leaves it out
 *       --steps staging,recording,reporting,import     only some of them (recording and reporting need staging)
 *       --keep-best 3                          repeats each step and keeps the run that took least CPU
 *       node bench/scale.ts --simulate         how several coordinators share regions and shards (no measuring, seconds)
 * Read  Markdown tables, as docs/scale.md has them. `×` is the step from the line above, per row: 1.00 grows with the
 *       rows, more grows faster. Target: no CPU above 1.15 (a sort has a logarithm in it), no memory above 1.1, and no
 *       disk above 1.05. CPU is user and system time of the process that does the work, with all its threads, without the
 *       stub; seconds are wall clock and mean something on a quiet machine only. Memory is the most that the process held.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ImportLedger, openImportLedger } from '../src/imports/record/import-ledger.ts';
import { openImportReader } from '../src/imports/report/import-reader.ts';
import { writeReports } from '../src/imports/report/report-files.ts';
import { stageInThread } from '../src/imports/stage/staging.ts';
import { REGIONS, type Region } from '../src/membership/membership.ts';
import { membershipFile } from './generate.ts';
import { type Measured, report, run } from './measure.ts';
import { simulate } from './scale-simulation.ts';
import { startStub, stubSettings } from './stub.ts';

const STEPS = ['staging', 'recording', 'reporting', 'import'] as const;
type Step = (typeof STEPS)[number];

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000,100000,1000000' },
    'rows-per-group': { type: 'string', default: '250' },
    groups: { type: 'string', default: '1,1000,1000000' },
    'group-rows': { type: 'string', default: '1000000' },
    steps: { type: 'string', default: STEPS.join(',') },
    'keep-best': { type: 'string', default: '1' },
    simulate: { type: 'boolean', default: false },
    only: { type: 'string' },
    file: { type: 'string', default: '' },
    folder: { type: 'string', default: '' },
  },
});
const steps = values.steps.split(',') as Step[];
/** Batches that are taken from the ledger at once, and results that are recorded at once, as the coordinator does. */
const BATCHES_AT_A_TIME = 200;

/** One size, with what each step took. */
interface Size {
  readonly rows: number;
  readonly groups: number;
  readonly measured: Partial<Record<Step, Measured>>;
  /** Bytes of the ledger and of the report files when all is done. */
  readonly ledgerBytes: number;
  readonly reportBytes: number;
}

if (values.simulate) process.stdout.write(simulate());
else if (values.only === 'staging') await report(stage);
else if (values.only === 'recording') await report(async () => record());
else if (values.only === 'reporting') await report(finish);
else await measureAll();

async function measureAll(): Promise<void> {
  const perGroup = Number(values['rows-per-group']);
  const byRows: Size[] = [];
  for (const rows of numbers(values.rows)) byRows.push(await measure(rows, Math.ceil(rows / perGroup)));
  process.stdout.write(`Rows, ${perGroup} to a group:\n\n${table(byRows, 'rows')}`);
  if (values.groups === 'none') return;
  const byGroups: Size[] = [];
  for (const groups of numbers(values.groups)) byGroups.push(await measure(Number(values['group-rows']), groups));
  process.stdout.write(`\nGroups, ${grouped(Number(values['group-rows']))} rows:\n\n${table(byGroups, 'groups')}`);
}

function numbers(list: string): number[] {
  return list.split(',').map(Number);
}

async function measure(rows: number, groups: number): Promise<Size> {
  const file = await membershipFile(rows, groups);
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-scale-'));
  const measured: Partial<Record<Step, Measured>> = {};
  try {
    for (const step of STEPS.filter((one) => steps.includes(one))) {
      process.stderr.write(`${grouped(rows)} rows, ${grouped(groups)} groups: ${step}\n`);
      measured[step] = await best(() => (step === 'import' ? wholeImport(file) : alone(step, file, folder)));
      const { count } = measured[step];
      if (count !== rows) throw new Error(`${step} did ${count} of ${rows} rows`);
    }
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })),
    );
    const sum = (of: (name: string) => boolean) =>
      sizes.filter(({ name }) => of(name)).reduce((total, { bytes }) => total + bytes, 0);
    const isLedger = (name: string) => name.startsWith('ledger');
    return { rows, groups, measured, ledgerBytes: sum(isLedger), reportBytes: sum((name) => !isLedger(name)) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the run that took least CPU: a disturbance only ever adds. */
async function best(once: () => Promise<Measured>): Promise<Measured> {
  let least = await once();
  for (let n = 1; n < Number(values['keep-best']); n += 1) {
    const next = await once();
    if (next.cpuSeconds < least.cpuSeconds) least = next;
  }
  return least;
}

function alone(step: Exclude<Step, 'import'>, file: string, folder: string): Promise<Measured> {
  return run('scale.ts', ['--only', step, '--file', file, '--folder', folder]);
}

async function wholeImport(file: string): Promise<Measured> {
  const stub = await startStub();
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-scale-'));
  try {
    return await run('rollcall-import.ts', [file, dataDir], stubSettings(stub));
  } finally {
    await stub.close();
    await rm(dataDir, { recursive: true });
  }
}

/** The work of the job `stage-import`, in the threads in which it is done. */
async function stage(): Promise<number> {
  const ledger = ledgerPath();
  // A repeated run begins from nothing.
  for (const ending of ['', '-wal', '-shm']) await rm(`${ledger}${ending}`, { force: true });
  const task = {
    source: values.file,
    name: values.file,
    ledger,
    options: { format: 'auto', map: {}, region: 'us' },
    signal: new AbortController().signal,
  } as const;
  let rows = 0;
  await stageInThread(task, (progress) => {
    rows = progress.rows;
  });
  return rows;
}

/** Takes every batch from the ledger and records that all of it was added, without a queue and without a call. */
function record(): number {
  const ledger = openImportLedger(ledgerPath());
  for (const region of REGIONS) while (recordSome(ledger, region));
  const { holds, rows } = ledger.check();
  if (!holds) throw new Error('the sum of outcomes does not hold');
  ledger.close();
  return rows.read;
}

function recordSome(ledger: ImportLedger, region: Region): boolean {
  const batches = ledger.toSend(region, ledger.pendingBatches(region, BATCHES_AT_A_TIME));
  ledger.markDispatched(batches.map(({ id }) => id));
  const at = Date.now();
  const call = { at, ms: 20, httpStatus: 200, code: '', kind: 'answered' } as const;
  ledger.record(
    batches.map(({ id, uncertainty }) => ({
      batch: id,
      region,
      uncertainty,
      calls: [call],
      at,
      sent: { kind: 'answered', others: [], missing: [] },
    })),
  );
  return batches.length > 0;
}

/** The work of the job `finish-import`: checks the sum, makes rows quick to find, writes all report files. */
async function finish(): Promise<number> {
  const reader = openImportReader(ledgerPath());
  const { rows } = reader.check();
  const ledger = openImportLedger(ledgerPath());
  ledger.indexUids();
  ledger.close();
  const now = Date.now();
  const record = {
    id: 'scale',
    file: values.file,
    source: values.file,
    state: 'completed',
    reason: '',
    code: null,
    remedy: null,
    totals: null,
    options: '{}',
    retryOf: null,
    createdBy: '',
    tags: '[]',
    createdAt: now,
    startedAt: now,
  } as const;
  reader.close();
  await writeReports({ path: ledgerPath(), folder: values.folder, record, notes: [] });
  return rows.read;
}

function ledgerPath(): string {
  return join(values.folder, 'ledger.sqlite');
}

/** A table of all steps, and one of the disk; `by` is what grows from line to line. */
function table(sizes: readonly Size[], by: 'rows' | 'groups'): string {
  const done = STEPS.filter((step) => sizes.every(({ measured }) => measured[step] !== undefined));
  const tables = done.map((step) => {
    const runs = sizes.map(({ measured }) => measured[step] as Measured);
    const perRow = runs.map(({ cpuSeconds, count }) => (cpuSeconds * 1e6) / count);
    const lines = sizes.map((size, index) => {
      const { seconds, cpuSeconds, peakMb } = runs[index] as Measured;
      return cells([
        grouped(size[by]),
        seconds.toFixed(1),
        cpuSeconds.toFixed(1),
        (perRow[index] ?? Number.NaN).toFixed(2),
        factor(perRow, index),
        peakMb.toFixed(0),
        factor(
          runs.map((one) => one.peakMb),
          index,
        ),
      ]);
    });
    const head = [`${step}: ${by}`, 'seconds', 'CPU s', 'CPU µs per row', '×', 'peak MB', '×'];
    return [cells(head), cells(head.map(() => '---:')), ...lines].join('\n');
  });
  if (done.some((step) => step !== 'import')) tables.push(diskTable(sizes, by));
  return `${tables.join('\n\n')}\n`;
}

function diskTable(sizes: readonly Size[], by: 'rows' | 'groups'): string {
  const ledger = sizes.map(({ ledgerBytes, rows }) => ledgerBytes / rows);
  const reports = sizes.map(({ reportBytes, rows }) => reportBytes / rows);
  const head = [`disk: ${by}`, 'ledger, bytes per row', '×', 'reports, bytes per row', '×'];
  const lines = sizes.map((size, index) =>
    cells([
      grouped(size[by]),
      (ledger[index] ?? Number.NaN).toFixed(0),
      factor(ledger, index),
      (reports[index] ?? Number.NaN).toFixed(0),
      factor(reports, index),
    ]),
  );
  return [cells(head), cells(head.map(() => '---:')), ...lines].join('\n');
}

/** The step from the line above. */
function factor(measures: readonly number[], index: number): string {
  const before = measures[index - 1];
  return before === undefined || before === 0 ? '' : ((measures[index] ?? Number.NaN) / before).toFixed(2);
}

function cells(texts: readonly string[]): string {
  return `| ${texts.join(' | ')} |`;
}

function grouped(number: number): string {
  return number.toLocaleString('en-US');
}
