import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { serviceOpener } from '../../app/open-service.ts';
import { readOptions } from '../../imports/import-options.ts';
import { openImportReader } from '../../imports/report/reading.ts';
import { readConfig } from '../../platform/config.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { inShort } from '../../server/access/noting.ts';
import { noteHere } from '../audit.ts';
import { checkTarget } from '../check-target.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type RunningFlags, withRunning } from '../flags/flags.ts';
import { type DecidingFlags, type PlanFlags, syncFlagsOf, withDeciding, withPlan } from '../flags/sync-flags.ts';
import { runSync } from '../run-sync.ts';
import { type Io, say } from '../screen/io.ts';
import { findImport } from '../target/data.ts';
import { currentUser, findSync } from '../target/sync-data.ts';
import { undoCreated } from '../undo-created.ts';

interface Flags extends RunningFlags, DecidingFlags, PlanFlags {
  /** Delete the users and groups that the import created. */
  readonly created?: true;
  readonly yes?: true;
}

/** `rollcall undo`: plans how to undo an import, and carries it out with `--apply`. */
export function undoCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('undo').argument('<import>', 'a finished import, as `list` shows it');
  withPlan(withDeciding(command))
    .option('--created', 'with --apply: delete the users and groups that the import created, when the rest is undone')
    .option('--yes', 'with --created: do not ask');
  withRunning(command);
  return command.action((id: string, flags: Flags) => end(undo(io, id, flags)));
}

async function undo(io: Io, id: string, flags: Flags): Promise<ExitCode> {
  const config = readConfig(flags);
  const { sandbox, shape } = readOptions(findImport(config.dataDir, id));
  checkTarget(`${config.command} undo ${id}`, id, sandbox, flags.sandbox === true);
  if (flags.yes && !flags.created) throw new UsageError('--yes says that --created need not ask; add --created');
  const { allowUnban, protect, removeByName } = await syncFlagsOf(flags);
  let made: string | undefined;
  const openService = serviceOpener(config, flags);
  const code = await runSync({
    config,
    io,
    json: flags.json === true,
    planCsv: flags.planCsv,
    openService,
    begin: async (syncs) => {
      const decision = {
        flags: { allowUnban, protect, removeByName },
        limits: flags.limit ?? {},
        apply: flags.apply === true,
      };
      made = await syncs.undo(id, { ...decision, who: currentUser() });
      noteHere(dataDir(config.dataDir), 'import.undo', made, `of ${id} ${inShort(decision)}`);
      return made;
    },
  });
  say(io, ...(shape?.actions === undefined ? [] : NOT_RESTORED));
  if (flags.created !== true || made === undefined) {
    say(io, ...createdByImport(dataDir(config.dataDir).ledger(id)));
    return code;
  }
  const { state } = findSync(config.dataDir, made);
  const isBack = state === 'applied' || state === 'unchanged';
  if (flags.apply && !isBack) {
    say(
      io,
      '',
      `No user and no group was deleted: what the import did is not undone yet (sync ${made} is ${state}). When it is:`,
      `  ${config.command} undo ${id} --created --apply`,
    );
    return code;
  }
  const deleted = await undoCreated({
    config,
    io,
    openService,
    id,
    carryOut: flags.apply === true,
    yes: flags.yes === true,
  });
  return code === EXIT.ok ? deleted : code;
}

/** Of a file of changes, only what it added is known well enough to be undone. */
const NOT_RESTORED = [
  '',
  'The import read a file of changes. Undo takes back what it added or banned. Members that it removed or unbanned, and',
  'scopes that it changed, are not restored: what they were is not known. Its report has them, to import by hand.',
];

const SHOWN = 20;

/** An undo reverses memberships; the users and groups that the import created stay. */
function createdByImport(ledger: string): string[] {
  if (!existsSync(ledger)) return [];
  const reader = openImportReader(ledger);
  const made = reader.created(SHOWN + 1);
  reader.close();
  if (made.length === 0) return [];
  const shown = made
    .slice(0, SHOWN)
    .map(({ kind, region, name, outcome }) => `  ${kind} ${name} (${region}), ${outcome}`);
  const more = made.length > SHOWN ? ['  … and more: see the column _created of its report'] : [];
  return ['', 'The import also made these. They stay; --created deletes them:', ...shown, ...more];
}
