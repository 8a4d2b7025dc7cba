import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { readConfig } from '../../platform/config.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { planCsv } from '../../syncs/plan/plan-csv.ts';
import { planJson } from '../../syncs/plan/plan-json.ts';
import { openPlanReader } from '../../syncs/plan/plan-reading.ts';
import { planText } from '../../syncs/plan/plan-text.ts';
import { planFiles } from '../../syncs/plan/prepare.ts';
import type { SyncRecord, SyncTransition } from '../../syncs/sync-catalog.ts';
import { printable } from '../../text/wording.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, withDataDir } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { beforeFile, waitingImport } from '../screen/sync-outcome.ts';
import { findSync, withSyncs } from '../target/sync-data.ts';

type Flags = CommonFlags & { readonly format: 'text' | 'csv' | 'json' };

/** `rollcall sync show`: a stored plan and its result. */
export function syncShowCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('show')
    .description('show a plan and its result')
    .argument('<id>', 'as `sync list` shows it')
    .addOption(
      new Option('--format <format>', 'text is a summary; csv and json have every action')
        .choices(['text', 'csv', 'json'])
        .default('text'),
    );
  return withDataDir(command).action((id: string, flags: Flags) => end(show(io, id, flags)));
}

async function show(io: Io, id: string, flags: Flags): Promise<ExitCode> {
  const config = readConfig(flags);
  const record = findSync(config.dataDir, id);
  if (flags.format === 'text') {
    const moves = withSyncs(config.dataDir, (syncs) => syncs?.transitions(id) ?? []);
    io.out.write(`${headOf(record, moves, beforeFile(config, id)).join('\n')}\n`);
  }
  const waiting = flags.format === 'text' && record.state === 'applying' ? await waitingImport(config, record) : [];
  if (record.totals === null) {
    if (flags.format === 'text') return EXIT.ok;
    throw new UsageError(`sync ${id} is ${record.state} and has no plan to show: ${record.reason}`);
  }
  const plan = openPlanReader(planFiles(dataDir(config.dataDir).sync(id)).plan);
  try {
    if (flags.format === 'text') io.out.write(`\n${planText(plan, { color: io.color, width: io.width })}`);
    else {
      const pieces = flags.format === 'csv' ? planCsv(plan) : planJson(plan);
      await pipeline(Readable.from(pieces), io.out, { end: false });
    }
  } finally {
    plan.close();
  }
  if (waiting.length > 0) say(io, '', ...waiting);
  return EXIT.ok;
}

function headOf(
  { id, file, undoOf, importId }: SyncRecord,
  moves: readonly SyncTransition[],
  before: string | undefined,
): string[] {
  return [
    undoOf === null ? `sync ${id} of ${printable(file)}` : `${id} reverses import ${undoOf}`,
    ...moves.map(({ at, state, reason, who }) => {
      const by = who === '' ? '' : ` (${printable(who)})`;
      return `  ${new Date(at).toISOString()}  ${state.padEnd(10)}  ${printable(reason)}${by}`;
    }),
    ...(importId === null ? [] : [`  carried out by import ${importId}`]),
    ...(importId === null || before === undefined ? [] : [`  who was in its groups before: ${before}`]),
  ];
}
