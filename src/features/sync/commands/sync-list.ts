import { Command } from 'commander';
import type { SyncEntry } from '../../../api/sync-entry.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import {
  type CommonFlags,
  type ServerFlags,
  wholeNumber,
  withDataDir,
  withJson,
  withServer,
} from '../../../cli/flags/flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { drawTable } from '../../../cli/screen/table.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import { dataDir, emptyPlace } from '../../../platform/data-dir.ts';
import { grouped, printable } from '../../../text/wording.ts';
import { documentOf } from './sync-outcome.ts';
import { openSyncs } from './sync-target.ts';

type Flags = CommonFlags & ServerFlags & { readonly limit: number };

const MAX_LISTED = 1_000;

/** `rollcall sync list`: syncs, newest first. */
export function syncListCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('list')
    .description('show syncs, newest first')
    .option('--limit <n>', 'how many', wholeNumber(1, MAX_LISTED), 20);
  return withServer(withDataDir(withJson(command))).action((flags: Flags) => end(list(io, flags)));
}

async function list(io: Io, flags: Flags): Promise<ExitCode> {
  const { syncs, config, server } = await openSyncs(flags);
  const { imports } = syncs;
  const found = await syncs.list(flags.limit);
  if (flags.json) {
    const documents: unknown[] = [];
    for (const { id } of found) documents.push(await documentOf(syncs, await syncs.find(id)));
    io.out.write(`${JSON.stringify(documents)}\n`);
    return EXIT.ok;
  }
  if (found.length === 0) {
    const place = server === undefined ? emptyPlace(dataDir(config.dataDir)) : `at ${server.url}`;
    say(io, `There are no syncs ${place}; plan one with \`${imports.command('sync', '<file>')}\`.`);
    return EXIT.ok;
  }
  const isOwned = (await imports.regions()) !== undefined;
  const head = ['id', 'state', 'add', 'change', 'remove', 'ban', 'file'];
  io.out.write(
    `${drawTable(
      head,
      found.map((sync) => rowOf(sync, isOwned)),
      io.width,
    )}\n`,
  );
  return EXIT.ok;
}

function rowOf({ id, state, file, undoOf, totals }: SyncEntry, isOwned: boolean): string[] {
  const actions = totals?.actions;
  const counts = (['add', 'change', 'remove', 'ban'] as const).map((action) =>
    actions === undefined ? '' : grouped(actions[action]),
  );
  const shown = isSyncUnderWay(state) && !isOwned ? 'interrupted' : state;
  return [id, shown, ...counts, undoOf === null ? printable(file) : `reverses ${undoOf}`];
}
