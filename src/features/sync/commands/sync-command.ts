import { Command } from 'commander';
import type { Action } from '../../../cli/exit-codes.ts';
import { type CommonFlags, type RunningFlags, withRunning, withServer } from '../../../cli/flags/flags.ts';
import { withOptions, withRecipeFlag } from '../../../cli/flags/option-flags.ts';
import { withCreation, withShape } from '../../../cli/flags/shape-flags.ts';
import { withSource } from '../../../cli/flags/source-flags.ts';
import { checkTarget, openRunning, run } from '../../../cli/run.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { MODE, NAMING } from '../../../options/deciding-options.ts';
import { inputNames } from '../../../options/input-kinds.ts';
import { READING } from '../../../options/reading-options.ts';
import { EXPECTING, LIFTING } from '../../../options/sending-options.ts';
import { syncOperations } from '../operations.ts';
import { planOf } from './plan-file.ts';
import { openSyncs, syncsOf } from './sync-client.ts';
import { type SyncFileFlags, withDeciding, withPlan } from './sync-flags.ts';
import { syncBringBackCommand, syncListCommand, syncMembersCommand, syncShowCommand } from './sync-list-command.ts';
import { doneHereOrThere, syncWork } from './sync-work.ts';

type Flags = RunningFlags & SyncFileFlags & { readonly markdown?: boolean };
interface Reason {
  readonly reason: string;
}

/** Beside the formats of inputs: how the plan is printed. */
const MARKDOWN = 'markdown';
type Typed = Omit<Flags, 'format' | 'markdown'> & { readonly format?: Flags['format'] | typeof MARKDOWN };

/** `rollcall sync`: plans the changes that make groups match a file, and carries them out with `--apply`. */
export function syncCommand(action: Action) {
  const command = new Command('sync')
    .argument(
      '<file>',
      `who should be in which group: ${inputNames('or')}, also compressed; a ZIP of these; an address; - reads standard input`,
    )
    // Options behind the name of a subcommand are its own.
    .enablePositionalOptions();
  withPlan(withCreation(withDeciding(withOptions(command, { ...NAMING, ...MODE, ...LIFTING }))));
  withShape(withRecipeFlag(withOptions(withSource(command), { ...EXPECTING, ...READING })));
  withRunning(command);
  const format = command.options.find(({ long }) => long === '--format');
  format?.choices([...(format.argChoices ?? []), MARKDOWN]);
  if (format !== undefined) format.description += `; ${MARKDOWN}: print the plan as Markdown, for a pull request`;
  command.action(
    action((io, file: string, { format, ...flags }: Typed) =>
      sync(io, file, format === MARKDOWN ? { ...flags, markdown: true } : { ...flags, ...(format && { format }) }),
    ),
  );
  return command
    .addCommand(withRunning(decisionCommand('apply', APPLY)).action(action(carryOut)))
    .addCommand(withRunning(decisionCommand('approve', APPROVE, 'why the plan is right')).action(action(carryOut)))
    .addCommand(withServer(decisionCommand('reject', REJECT, 'why you reject it')).action(action(reject)))
    .addCommand(syncListCommand(action))
    .addCommand(syncShowCommand(action))
    .addCommand(syncMembersCommand(action))
    .addCommand(syncBringBackCommand(action));
}

async function sync(io: Io, file: string, flags: Flags) {
  const running = await openRunning(io, flags);
  return run(running, syncWork(running, flags, { ...(await planOf(running, file, flags)), isNew: true }));
}

const APPLY = 'carry out a stored plan, or continue it; refused if file or groups have changed too much since';
const APPROVE = 'approve a plan that a guard holds, this once and on record, and carry it out';
const REJECT = 'reject a plan: it can no longer be carried out';

/** @param reason the reason that must be given; undefined: none */
function decisionCommand(name: string, description: string, reason?: string): Command {
  const command = new Command(name).description(description).argument('<id>', 'as `sync list` shows it');
  return reason === undefined ? command : command.requiredOption('--reason <text>', reason);
}

async function carryOut(io: Io, id: string, flags: RunningFlags & Partial<Reason>) {
  const { reason } = flags;
  const running = await openRunning(io, flags);
  const { config, imports } = running;
  const verb = reason === undefined ? 'apply' : 'approve';
  const { sandbox } = await syncsOf(config, imports).find(id);
  return doneHereOrThere(running, {}, syncOperations[verb], { id, ...(reason !== undefined && { reason }) }, () =>
    checkTarget(imports.command('sync', verb, id), id, sandbox, flags.sandbox === true),
  );
}

async function reject(io: Io, id: string, flags: CommonFlags & Reason) {
  const { reason } = flags;
  const { syncs } = await openSyncs(flags);
  await syncs.client.call(syncOperations.reject, { id, reason });
  say(io, `Sync ${id} is rejected: ${reason}`);
}
