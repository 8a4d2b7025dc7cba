import { Command } from 'commander';
import { askRegions } from '../../imports/life/control.ts';
import { isSyncUnderWay } from '../../membership/sync-state.ts';
import { readConfig } from '../../platform/config.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { readTotals } from '../../syncs/plan/plan-totals.ts';
import type { SyncRecord } from '../../syncs/sync-catalog.ts';
import { grouped, printable } from '../../text/wording.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, wholeNumber, withDataDir, withJson } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { documentOf } from '../screen/sync-outcome.ts';
import { drawTable } from '../screen/table.ts';
import { withSyncs } from '../target/sync-data.ts';

const MOST = 1_000;

/** `rollcall sync list`: the syncs of a data directory, newest first. */
export function syncListCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('list')
    .description('show syncs, newest first')
    .option('--limit <n>', 'how many', wholeNumber(1, MOST), 20);
  return withDataDir(withJson(command)).action((flags: CommonFlags & { readonly limit: number }) =>
    end(list(io, flags)),
  );
}

async function list(io: Io, flags: CommonFlags & { readonly limit: number }): Promise<ExitCode> {
  const config = readConfig(flags);
  const found = withSyncs(config.dataDir, (syncs) => syncs?.list(flags.limit) ?? []);
  if (flags.json) {
    io.out.write(`${JSON.stringify(found.map((record) => documentOf(config, record)))}\n`);
    return EXIT.ok;
  }
  if (found.length === 0) {
    say(io, `There are no syncs in ${config.dataDir}; plan one with \`${config.command} sync <file>\`.`);
    return EXIT.ok;
  }
  const isOwned = (await askRegions(dataDir(config.dataDir))) !== undefined;
  const head = ['id', 'state', 'add', 'change', 'remove', 'ban', 'file'];
  io.out.write(
    `${drawTable(
      head,
      found.map((record) => rowOf(record, isOwned)),
      io.width,
    )}\n`,
  );
  return EXIT.ok;
}

function rowOf(record: SyncRecord, isOwned: boolean): string[] {
  const { id, state, file, undoOf } = record;
  const actions = readTotals(record)?.actions;
  const counts = (['add', 'change', 'remove', 'ban'] as const).map((action) =>
    actions === undefined ? '' : grouped(actions[action]),
  );
  const shown = isSyncUnderWay(state) && !isOwned ? 'interrupted' : state;
  return [id, shown, ...counts, undoOf === null ? printable(file) : `reverses ${undoOf}`];
}
