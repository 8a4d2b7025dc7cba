import { createWriteStream, existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { readConfig } from '../config.ts';
import { type ImportReader, openImportReader } from '../ledger/reading.ts';
import { type Outcome, RETRYABLE } from '../membership/outcome.ts';
import { dataDir } from '../pipeline/data-dir.ts';
import { htmlPage, reportInput } from '../pipeline/report-files.ts';
import { csvReport } from '../report/csv.ts';
import type { ImportSummary } from '../report/import-summary.ts';
import { jsonReport } from '../report/json.ts';
import { ndjsonReport } from '../report/ndjson.ts';
import { retryReport } from '../report/retry.ts';
import { VERSION } from '../version.ts';
import { findImport, findingsOf } from './data.ts';
import { UsageError } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { outcomeList, withDataDir } from './flags.ts';
import { type Io, say } from './io.ts';

interface Flags {
  readonly dataDir?: string;
  readonly format: 'csv' | 'ndjson' | 'json' | 'html';
  readonly status?: ReadonlySet<Outcome>;
  readonly retryable?: true;
  readonly output?: string;
}

/** `rollcall report`: the outcome of every row, streamed. */
export function reportCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('report')
    .description('write the outcome of every row')
    .argument('[id]', 'import (default: the latest)')
    .addOption(
      new Option('--format <format>', 'form of the report').choices(['csv', 'ndjson', 'json', 'html']).default('csv'),
    )
    .option('--status <outcomes>', 'only rows with these outcomes, such as failed,invalid', outcomeList)
    .addOption(
      new Option('--retryable', 'only rows that may succeed now, in the original columns: imports as it is').conflicts([
        'status',
        'format',
      ]),
    )
    .option('--output <file>', 'write to a file instead of standard output');
  return withDataDir(command).action((id: string | undefined, flags: Flags) => end(report(io, id, flags)));
}

async function report(io: Io, given: string | undefined, flags: Flags): Promise<ExitCode> {
  const config = readConfig(flags);
  const dir = dataDir(config.dataDir);
  const record = findImport(config.dataDir, given);
  const { summary } = findingsOf(dir, record);
  if (!existsSync(dir.ledger(record.id))) {
    throw new UsageError(`import ${record.id} is ${record.state} and has no rows to report: ${record.reason}`);
  }
  const reader = openImportReader(dir.ledger(record.id));
  try {
    const target = flags.output === undefined ? io.out : createWriteStream(flags.output);
    // Standard output stays open: it is not ours to close.
    await pipeline(Readable.from(chunksOf(reader, summary, flags)), target, { end: flags.output !== undefined });
  } catch (error) {
    if (flags.output === undefined || !isSystemError(error)) throw error;
    throw new UsageError(`the report cannot be written: ${error.message}; name another file with --output`);
  } finally {
    reader.close();
  }
  if (flags.output !== undefined) say(io, `Written to ${flags.output}.`);
  return EXIT.ok;
}

function chunksOf(reader: ImportReader, summary: ImportSummary, flags: Flags): Iterable<string> {
  const input = reportInput(reader);
  if (flags.retryable) return retryReport(input, reader.rows(RETRYABLE));
  const rows = () => reader.rows(flags.status);
  switch (flags.format) {
    case 'csv':
      return csvReport(input, rows());
    case 'ndjson':
      return ndjsonReport(input, rows());
    case 'json':
      return jsonReport(input, summary, rows());
    case 'html':
      return [htmlPage(reader, summary, VERSION)];
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
