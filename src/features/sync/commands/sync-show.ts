import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { type CommonFlags, type ServerFlags, withDataDir, withServer } from '../../../cli/flags/flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { printable } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import { syncOperations } from '../operations.ts';
import { printMarkdown, printPlan, waitingImport } from './sync-outcome.ts';
import { openSyncs } from './sync-target.ts';

type Flags = CommonFlags & ServerFlags & { readonly format: 'text' | 'csv' | 'json' | 'markdown' };

/** `rollcall sync show`: a stored plan and its result. */
export function syncShowCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('show')
    .description('show a plan and its result')
    .argument('<id>', 'as `sync list` shows it')
    .addOption(
      new Option(
        '--format <format>',
        'text is a summary; markdown is one too, of at most 60 kB; csv and json have every action',
      )
        .choices(['text', 'csv', 'json', 'markdown'])
        .default('text'),
    );
  return withServer(withDataDir(command)).action((id: string, flags: Flags) => end(show(io, id, flags)));
}

async function show(io: Io, id: string, flags: Flags): Promise<ExitCode> {
  const { syncs } = await openSyncs(flags);
  const sync = await syncs.find(id);
  if (flags.format === 'markdown') {
    await printMarkdown(syncs, io, sync);
    return EXIT.ok;
  }
  if (flags.format !== 'text') {
    const plan = await syncs.client.download(syncOperations.plan, { id, format: flags.format });
    await pipeline(Readable.from(plan), io.out, { end: false });
    return EXIT.ok;
  }
  io.out.write(`${headOf(sync).join('\n')}\n`);
  const waiting = sync.state === 'applying' ? await waitingImport(syncs, sync) : [];
  await printPlan(syncs, io, id);
  if (waiting.length > 0) say(io, '', ...waiting);
  return EXIT.ok;
}

function headOf({ id, file, undoOf, importId, moves, before }: SyncView): string[] {
  return [
    undoOf === null ? `sync ${id} of ${printable(file)}` : `${id} reverses import ${undoOf}`,
    ...moves.map(({ at, state, reason, who }) => {
      const by = who === '' ? '' : ` (${printable(who)})`;
      return `  ${at}  ${state.padEnd(10)}  ${printable(reason)}${by}`;
    }),
    ...(importId === null ? [] : [`  carried out by import ${importId}`]),
    ...(before === null ? [] : [`  who was in its groups before: ${before}`]),
  ];
}
