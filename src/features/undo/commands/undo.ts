import { Command } from 'commander';
import { serviceOpener } from '../../../app/open-service.ts';
import { noteHere } from '../../../cli/audit.ts';
import { checkTarget } from '../../../cli/check-target.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { UsageError } from '../../../cli/errors.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { type RunningFlags, type ServerFlags, withRunning, withServer } from '../../../cli/flags/flags.ts';
import { withOptions } from '../../../cli/flags/option-flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { sayServerSendsTo } from '../../../cli/target/sends-to.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import { isCarriedOut } from '../../../membership/sync-state.ts';
import { UNDOING } from '../../../options/deciding-options.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { inShort } from '../../../text/wording.ts';
import { runSync } from '../../sync/commands/run-sync.ts';
import {
  type DecidingFlags,
  decidingQuery,
  type PlanFlags,
  syncFlagsOf,
  withDeciding,
  withPlan,
} from '../../sync/commands/sync-flags.ts';
import { openSyncs, type Syncs } from '../../sync/commands/sync-target.ts';
import { followSyncThere } from '../../sync/commands/sync-there.ts';
import { syncOperations } from '../../sync/operations.ts';
import { madeBy } from './made.ts';
import { undoCreated } from './undo-created.ts';
import { undoCreatedThere } from './undo-created-there.ts';

interface Flags extends RunningFlags, ServerFlags, DecidingFlags, PlanFlags {
  /** Delete the users and groups that the import created. */
  readonly created?: true;
  readonly yes?: true;
}

/** `rollcall undo`: plans how to undo an import, and carries it out with `--apply`. */
export function undoCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('undo').argument('<import>', 'a finished import, as `list` shows it');
  withOptions(withPlan(withDeciding(command)), UNDOING)
    .option('--created', 'with --apply: delete the users and groups that the import created, when the rest is undone')
    .option('--yes', 'with --created: do not ask');
  withServer(withRunning(command));
  return command.action((id: string, flags: Flags) => end(undo(io, id, flags)));
}

async function undo(io: Io, id: string, flags: Flags): Promise<ExitCode> {
  const { config, syncs, server } = await openSyncs(flags);
  const { imports } = syncs;
  const { fileOfChanges, sandbox } = await imports.find(id);
  if (server === undefined) checkTarget(imports.command('undo', id), id, sandbox, flags.sandbox === true);
  if (flags.yes && !flags.created) throw new UsageError('--yes says that --created need not ask; add --created');
  const { code, made } =
    server === undefined ? await undoHere(io, config, id, flags) : await undoThere(io, syncs, server, id, flags);
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
  const choice = { id, carryOut: flags.apply === true, yes: flags.yes === true };
  const deleted =
    server === undefined
      ? await undoCreated({ config, io, openService: serviceOpener(config, flags), isUndone, ...choice })
      : await undoCreatedThere({ io, imports, server, ...choice });
  return code === EXIT.ok ? deleted : code;
}

/** The exit code, and the sync that undoes the import; undefined: none was made. */
interface Undone {
  readonly code: ExitCode;
  readonly made: string | undefined;
}

async function undoHere(io: Io, config: Config, id: string, flags: Flags): Promise<Undone> {
  const { mode: _, missing, allowDemotion, ...decided } = await syncFlagsOf(flags);
  let made: string | undefined;
  const code = await runSync({
    config,
    io,
    json: flags.json === true,
    planCsv: flags.planCsv,
    openService: serviceOpener(config, flags),
    begin: async (syncs, { coordinator }) => {
      const decision = {
        flags: decided,
        limits: flags.limit ?? {},
        apply: flags.apply === true,
      };
      made = await syncs.undo(id, { ...decision, who: currentUser() });
      const said = `of ${id} ${inShort(decision)}`;
      noteHere(dataDir(config.dataDir), 'import.undo', made, said, coordinator.sendsTo);
      return made;
    },
  });
  return { code, made };
}

async function undoThere(io: Io, syncs: Syncs, server: Server, id: string, flags: Flags): Promise<Undone> {
  const query = await decidingQuery(flags);
  await sayServerSendsTo(io, server);
  const texts = Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
  const { id: made } = await server.call(syncOperations.undo, { ...texts, id });
  const there = { io, syncs, server, json: flags.json === true, planCsv: flags.planCsv };
  return { code: await followSyncThere(there, made, true), made };
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
