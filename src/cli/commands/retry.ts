import { Command } from 'commander';
import { serviceOpener } from '../../app/open-service.ts';
import { isFinal } from '../../membership/import-state.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { noteHere } from '../audit.ts';
import { checkTarget } from '../check-target.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type RunningFlags, type ServerFlags, withMaxErrors, withRunning, withServer } from '../flags/flags.ts';
import { runImport } from '../run-import.ts';
import { type Io, say } from '../screen/io.ts';
import { followThere } from '../target/import-there.ts';
import { openImports } from '../target/open-imports.ts';

type Flags = RunningFlags & ServerFlags;

/** `rollcall retry`: imports the retry file of an import that is over: what failed, was not confirmed or not sent. */
export function retryCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('retry').argument('[id]', 'import (default: the latest)');
  withMaxErrors(withRunning(withServer(command)));
  return command.action((id: string | undefined, flags: Flags) => end(retry(io, id, flags)));
}

async function retry(io: Io, given: string | undefined, flags: Flags): Promise<ExitCode> {
  const { config, imports } = await openImports(flags);
  const { server } = imports;
  if (server !== undefined && flags.maxErrors !== undefined) {
    throw new UsageError(
      `--max-errors cannot be changed for a retry at ${server.url}; leave it out: it stays as it was`,
    );
  }
  const found = await imports.find(given);
  const { id, state } = found;
  if (!isFinal(state)) {
    throw new UsageError(`import ${id} is ${state}, not over; first: ${imports.command('resume', id)}`);
  }
  const { reports } = (await imports.findings(found)).summary;
  if (reports.retry === null) {
    say(io, `Import ${id} has nothing to send again: no row failed, is unconfirmed or unprocessed.`);
    return EXIT.ok;
  }
  const json = flags.json === true;
  if (server !== undefined) {
    const again = await server.post(`/v1/imports/${encodeURIComponent(id)}/retry`);
    return followThere({ io, imports, server, json }, again.id);
  }
  checkTarget(imports.command('retry', id), id, found.sandbox, flags.sandbox === true);
  return runImport({
    config,
    io,
    json,
    openService: serviceOpener(config, flags),
    begin: async (coordinator) => {
      const made = await coordinator.retry(id, { maxErrors: flags.maxErrors });
      noteHere(dataDir(config.dataDir), 'import.retry', made, `of ${id}`);
      return made;
    },
  });
}
