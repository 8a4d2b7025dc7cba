/**
 * Staging (read, check every row, find duplicates, cut into batches, all into the ledger's file) beside csv-parse alone,
 * which reads the same file and throws every record away.
 *
 * Run   node bench/staging.ts [--rows 1000000] [--groups 4000] [--rounds 5]
 *       node --cpu-prof bench/staging.ts --only rollcall [--rows …]     to see where the time goes
 * Read  one line per round, both by turns in processes of their own; then medians. Target: at most 2.0 times. On a
 *       machine that is busy with something else, look at the CPU seconds instead: staging uses one core.
 */
import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { parse } from 'csv-parse';
import { membershipFile } from './generate.ts';
import { line, type Measured, middle, report, run } from './measure.ts';
import { stage } from './stage.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    groups: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
  },
});
const input = await membershipFile(Number(values.rows), Number(values.groups));

if (values.only === 'csv-parse') await report(() => readAlone(input));
else if (values.only === 'rollcall') await report(() => stage(input));
else await compare();

async function compare(): Promise<void> {
  const alone: Measured[] = [];
  const staged: Measured[] = [];
  process.stdout.write(line('', 'csv-parse s', 'staging s', 'times', 'CPU s', 'CPU s', 'staging MB'));
  for (let round = 1; round <= Number(values.rounds); round++) {
    const contender = (only: string) =>
      run('staging.ts', ['--only', only, '--rows', values.rows, '--groups', values.groups]);
    const a = await contender('csv-parse');
    const b = await contender('rollcall');
    if (a.count !== b.count) throw new Error(`csv-parse read ${a.count} rows and staging ${b.count}`);
    alone.push(a);
    staged.push(b);
    process.stdout.write(compared(`round ${round}`, a, b));
  }
  process.stdout.write(compared('median', middle(alone), middle(staged)));
}

function compared(name: string, alone: Measured, staged: Measured): string {
  const numbers = [alone.seconds, staged.seconds, staged.seconds / alone.seconds, alone.cpuSeconds, staged.cpuSeconds];
  return line(name, ...numbers.map((number) => number.toFixed(2)), staged.peakMb.toFixed(0));
}

async function readAlone(path: string): Promise<number> {
  let rows = -1; // the header does not count
  const parser = createReadStream(path).pipe(parse());
  // The fastest way to read it; `for await` takes a tenth longer.
  parser.on('data', () => {
    rows += 1;
  });
  await finished(parser);
  return rows;
}
