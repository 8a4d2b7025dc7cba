import { statSync } from 'node:fs';
import { Command } from 'commander';
import { type ImportView, importOperations } from '../../api/imports.ts';
import { openService } from '../../app/open-service.ts';
import { badUsage } from '../../errors/rollcall-error.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import { readOptions } from '../../imports/import-options.ts';
import { isFinal } from '../../membership/import-state.ts';
import { textsOf } from '../../options/option.ts';
import { ANSWERING, type AnsweringChoices } from '../../options/sending-options.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { shellWord } from '../../text/terminal-text.ts';
import { isAlone } from '../client/import-place.ts';
import { viewing } from '../client/kept-imports.ts';
import type { Action } from '../exit-codes.ts';
import { type RunningFlags, withRunning } from '../flags/flags.ts';
import { withOptions } from '../flags/option-flags.ts';
import { importWork } from '../import-work.ts';
import { ownImports } from '../owner.ts';
import { checkTarget, openRunning, type Running, run } from '../run.ts';
import { type Io, say, typedCommand } from '../screen/io.ts';

type Flags = RunningFlags & AnsweringChoices;

/** `rollcall resume`: continues an import that was paused, blocked, interrupted or only checked. */
export function resumeCommand(action: Action) {
  const command = new Command('resume').argument('[id]', 'import (default: the latest)');
  withOptions(withRunning(command), ANSWERING);
  return command.action(action(resume));
}

async function resume(io: Io, given: string | undefined, flags: Flags) {
  const running = await openRunning(io, flags);
  const { config, imports } = running;
  const found = await imports.find(given);
  const { id } = found;
  await imports.saySendsTo(io);
  const isDryRun = (await isAlone(imports)) && (await continuesAsDryRun(running, found, flags));
  const work = importWork(running, {
    open: async (here) => {
      const { runSyncOf } = await import('../../features/sync/commands/sync-work.ts');
      runSyncOf(config, io, id, here);
      return ownImports(here);
    },
    begin: async ({ client }) =>
      client.call(importOperations.resume, { id, ...Object.fromEntries(textsOf(ANSWERING, flags)) }),
  });
  return run({ ...running, openService: () => openService(config, { ...flags, dryRun: isDryRun }) }, work);
}

/**
 * An import that was being read as a dry run continues as one; one that was checked is sent.
 * @throws BAD_USAGE where this process cannot continue it
 */
async function continuesAsDryRun({ config, imports, io }: Running, { id, reports }: ImportView, flags: Flags) {
  const record = await viewing(dataDir(config.dataDir), (catalog) => catalog.get(id));
  if (isFinal(record.state)) {
    const again = `; \`${imports.command('retry', id)}\` sends again what failed`;
    throw badUsage(`import ${id} is ${record.state}: there is nothing to resume${reports.retry === null ? '' : again}`);
  }
  const options = readOptions(record);
  checkTarget(typedCommand(config, 'resume', id), id, options.sandbox, flags.sandbox === true);
  if (record.state === 'staged' && hasChanged(record)) {
    say(
      io,
      `${record.file} has changed since it was checked. rollcall sends the rows that were checked; to send the file as it is now,`,
    );
    say(io, `import it again: ${typedCommand(config, 'import', shellWord(record.file))}`);
  }
  return record.state === 'staging' && options.dryRun;
}

/** Whether the file of an import has been written to since the import was made. A deleted file has not. */
function hasChanged({ source, createdAt }: Pick<ImportRecord, 'source' | 'createdAt'>) {
  return (statSync(source, { throwIfNoEntry: false })?.mtimeMs ?? 0) > createdAt;
}
