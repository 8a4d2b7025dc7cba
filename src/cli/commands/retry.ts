import { Command } from 'commander';
import { serviceOpener } from '../../app/open-service.ts';
import { rowFilterOptions } from '../../imports/report/row-filter.ts';
import { isFinal } from '../../membership/import-state.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { noteHere } from '../audit.ts';
import { checkTarget } from '../check-target.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type RunningFlags, type ServerFlags, withMaxErrors, withRunning, withServer } from '../flags/flags.ts';
import { type RowFilterFlags, rowFilter, withRowFilter } from '../flags/row-filter-flags.ts';
import { runImport } from '../run-import.ts';
import { type Io, say } from '../screen/io.ts';
import { followThere } from '../target/import-there.ts';
import { importAddress } from '../target/imports.ts';
import { openImports } from '../target/open-imports.ts';
import { currentUser } from '../target/sync-data.ts';
import { readEdits, sendEdits, sendEditsThere } from './retry-edits.ts';

type Flags = RunningFlags & ServerFlags & RowFilterFlags & { readonly edits?: string };

/**
 * `rollcall retry`: imports the retry file of a finished import: all or some of the rows that failed, were not
 * confirmed or not sent. With `--edits` it sends rows that were corrected.
 */
export function retryCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('retry').argument('[id]', 'import (default: the latest)');
  withMaxErrors(withRunning(withServer(withRowFilter(command))));
  command.option(
    '--edits <file>',
    'send the rows that were corrected in this file: failed.csv, or `rollcall report --status invalid,failed`, with its column _row',
  );
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
  const edits = flags.edits === undefined ? undefined : await readEdits(flags.edits);
  if (edits !== undefined && flags.maxErrors !== undefined) {
    throw new UsageError('--max-errors cannot be given together with --edits');
  }
  const only = rowFilter(flags);
  if (edits !== undefined && Object.keys(only).length > 0) {
    throw new UsageError('--edits says which rows are sent; leave out the flags that choose rows');
  }
  const { reports } = (await imports.findings(found)).summary;
  if (edits === undefined && reports.retry === null) {
    say(io, `Import ${id} has nothing to send again: no row failed, is unconfirmed or unprocessed.`);
    return EXIT.ok;
  }
  const json = flags.json === true;
  if (server !== undefined) {
    const options = new URLSearchParams(rowFilterOptions(only));
    const again =
      edits === undefined
        ? (await server.post(`${importAddress(id)}/retry${options.size === 0 ? '' : `?${options}`}`)).id
        : await sendEditsThere(server, id, edits, io);
    return followThere({ io, imports, server, json }, again);
  }
  checkTarget(imports.command('retry', id), id, found.sandbox, flags.sandbox === true);
  return runImport({
    config,
    io,
    json,
    openService: serviceOpener(config, flags),
    begin: async (coordinator) => {
      const made =
        edits === undefined
          ? await coordinator.retry(id, { maxErrors: flags.maxErrors, only, createdBy: currentUser() })
          : await sendEdits(coordinator, id, edits, io, currentUser());
      noteHere(dataDir(config.dataDir), edits === undefined ? 'import.retry' : 'import.repair', made, `of ${id}`);
      return made;
    },
  });
}
