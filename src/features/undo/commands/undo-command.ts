import { Command } from 'commander';
import { checkTarget } from '../../../cli/check-target.ts';
import { type End, EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { type RunningFlags, type ServerFlags, withRunning, withServer } from '../../../cli/flags/flags.ts';
import { withOptions } from '../../../cli/flags/option-flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import { isCarriedOut } from '../../../membership/sync-state.ts';
import { UNDOING } from '../../../options/deciding-options.ts';
import { openSyncRuns } from '../../sync/commands/open-syncs.ts';
import { type DecidingFlags, type PlanFlags, withDeciding, withPlan } from '../../sync/commands/sync-flags.ts';
import { madeBy } from './created-things.ts';
import { undoCreated } from './undo-created.ts';

interface Flags extends RunningFlags, ServerFlags, DecidingFlags, PlanFlags {
  /** Delete the users and groups that the import created. */
  readonly created?: true;
  readonly yes?: true;
}

/** `rollcall undo`: plans how to undo an import, and carries it out with `--apply`. */
export function undoCommand(io: Io, end: End): Command {
  const command = new Command('undo').argument('<import>', 'a finished import, as `list` shows it');
  withOptions(withPlan(withDeciding(command)), UNDOING)
    .option('--created', 'with --apply: delete the users and groups that the import created, when the rest is undone')
    .option('--yes', 'with --created: do not ask');
  withServer(withRunning(command));
  return command.action((id: string, flags: Flags) => end(undo(io, id, flags)));
}

async function undo(io: Io, id: string, flags: Flags): Promise<ExitCode> {
  const { config, syncs, runs } = await openSyncRuns(io, flags);
  const { imports } = syncs;
  const { fileOfChanges, sandbox } = await imports.find(id);
  checkTarget(imports.command('undo', id), id, sandbox, flags.sandbox === true);
  if (flags.yes && !flags.created) throw new UsageError('--yes says that --created need not ask; add --created');
  const { code, made } = await runs.undo(id, flags);
  say(io, ...(fileOfChanges ? NOT_RESTORED : []));
  if (flags.created !== true || made === undefined) {
    say(io, ...createdByImport(await madeBy(config, imports, id)));
    return code;
  }
  const { state } = await syncs.find(made);
  const isUndone = isCarriedOut(state);
  if (flags.apply && !isUndone) {
    say(
      io,
      '',
      `No user and no group was deleted: what the import did is not undone yet (sync ${made} is ${state}). When it is:`,
      `  ${imports.command('undo', id, '--created', '--apply')}`,
    );
    return code;
  }
  const deleted = await undoCreated({ io, config, imports, id, isUndone, flags });
  return code === EXIT.ok ? deleted : code;
}

/** Only the additions of a file of changes are known well enough to be undone. */
const NOT_RESTORED = [
  '',
  'The import read a file of changes. Undo takes back what it added or banned. Members that it removed or unbanned, and',
  'scopes that it changed, are not restored: what they were is not known. Its report has them, to import by hand.',
];

const SHOWN = 20;

/** An undo reverses memberships; the users and groups that the import created stay. */
function createdByImport(things: Awaited<ReturnType<typeof madeBy>>): string[] {
  const made = things.filter(({ undone }) => undone === null || undone === 'kept');
  if (made.length === 0) return [];
  const shown = made
    .slice(0, SHOWN)
    .map(({ kind, region, name, outcome }) => `  ${kind} ${name} (${region}), ${outcome}`);
  const more = made.length > SHOWN ? ['  … and more: see the column _created of its report'] : [];
  return ['', 'The import also made these. They stay; --created deletes them:', ...shown, ...more];
}
