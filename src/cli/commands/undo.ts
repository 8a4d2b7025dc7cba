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
import type { ExitCode } from '../exit-codes.ts';
import { type RunningFlags, withRunning } from '../flags/flags.ts';
import { type DecidingFlags, type PlanFlags, syncFlagsOf, withDeciding, withPlan } from '../flags/sync-flags.ts';
import { runSync } from '../run-sync.ts';
import { type Io, say } from '../screen/io.ts';
import { findImport } from '../target/data.ts';
import { whoTypes } from '../target/sync-data.ts';

type Flags = RunningFlags & DecidingFlags & PlanFlags;

/** `rollcall undo`: plans how an import is taken back, and carries it out when asked to. */
export function undoCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('undo').argument('<import>', 'a finished import, as `list` shows it');
  withPlan(withDeciding(command));
  withRunning(command);
  return command.action((id: string, flags: Flags) => end(undo(io, id, flags)));
}

async function undo(io: Io, id: string, flags: Flags): Promise<ExitCode> {
  const config = readConfig(flags);
  const { sandbox } = readOptions(findImport(config.dataDir, id));
  checkTarget(`${config.command} undo ${id}`, id, sandbox, flags.sandbox === true);
  const { allowUnban, protect, removeByName } = await syncFlagsOf(flags);
  const code = await runSync({
    config,
    io,
    json: flags.json === true,
    planCsv: flags.planCsv,
    openService: serviceOpener(config, flags),
    begin: async (syncs) => {
      const decision = {
        flags: { allowUnban, protect, removeByName },
        limits: flags.limit ?? {},
        apply: flags.apply === true,
      };
      const made = await syncs.undo(id, { ...decision, who: whoTypes() });
      noteHere(dataDir(config.dataDir), 'import.undo', made, `of ${id} ${inShort(decision)}`);
      return made;
    },
  });
  say(io, ...stays(dataDir(config.dataDir).ledger(id)));
  return code;
}

const SHOWN = 20;

/** An undo takes memberships back; what the import created for them stays. */
function stays(ledger: string): string[] {
  if (!existsSync(ledger)) return [];
  const reader = openImportReader(ledger);
  const made = reader.created(SHOWN + 1);
  reader.close();
  if (made.length === 0) return [];
  const shown = made
    .slice(0, SHOWN)
    .map(({ kind, region, name, outcome }) => `  ${kind} ${name} (${region}), ${outcome}`);
  const more = made.length > SHOWN ? ['  … and more: see the column _created of its report'] : [];
  return ['', 'The import also made these. They stay; delete them yourself if nobody needs them:', ...shown, ...more];
}
