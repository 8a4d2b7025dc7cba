import { Command } from 'commander';
import type { ImportSummary } from '../../api/import-summary.ts';
import { importOperations } from '../../api/operations/imports.ts';
import { serviceOpener } from '../../app/open-service.ts';
import { NothingToSend } from '../../imports/import-errors.ts';
import { rowFilterOptions } from '../../imports/report/found-rows.ts';
import { isFinal } from '../../membership/import-state.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { counted } from '../../text/wording.ts';
import { noteHere } from '../audit.ts';
import { checkTarget } from '../check-target.ts';
import { currentUser } from '../current-user.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Editing } from '../feature.ts';
import { FEATURES } from '../features.ts';
import { type RunningFlags, type ServerFlags, withRunning, withServer } from '../flags/flags.ts';
import { withMaxErrors } from '../flags/reading-flags.ts';
import { type RowFilterFlags, rowFilter, withRowFilter } from '../flags/row-filter-flags.ts';
import { runImport } from '../run-import.ts';
import { type Io, say } from '../screen/io.ts';
import { followThere } from '../target/import-there.ts';
import type { Imports } from '../target/imports.ts';
import { openImports } from '../target/open-imports.ts';
import { sayServerSendsTo } from '../target/sends-to.ts';
import type { Server } from '../target/server-client.ts';
import { ServerRefused } from '../target/server-errors.ts';

type Flags = RunningFlags & ServerFlags & RowFilterFlags & { readonly edits?: string };

/**
 * `rollcall retry`: imports the retry file of a finished import: all or some of the rows that failed, were not
 * confirmed or not sent. With `--edits` it sends rows that were corrected.
 */
export function retryCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('retry').argument('[id]', 'import (default: the latest)');
  withMaxErrors(withRunning(withServer(withRowFilter(command))));
  if (FEATURES.repair !== undefined) {
    command.option(
      '--edits <file>',
      'send the rows that were corrected in this file: failed.csv, or `rollcall report --status invalid,failed`, with its column _row',
    );
  }
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
    throw new UsageError(
      `import ${id} is ${state}, not over; first: ${imports.command('resume', id)}${found.sandbox ? ' --sandbox' : ''}`,
    );
  }
  const edits = flags.edits === undefined ? undefined : await editsIn(flags.edits);
  if (edits !== undefined && flags.maxErrors !== undefined) {
    throw new UsageError('--max-errors cannot be given together with --edits');
  }
  const only = rowFilter(flags);
  if (edits !== undefined && Object.keys(only).length > 0) {
    throw new UsageError('--edits says which rows are sent; leave out the flags that choose rows');
  }
  const { summary } = await imports.findings(found);
  if (edits === undefined && summary.reports.retry === null) {
    const code = sayNothingLeft(io, id, NONE_FAILED);
    const correct = howToCorrect(imports, summary);
    if (correct.length > 0) say(io, ...correct);
    return code;
  }
  const json = flags.json === true;
  const nothingLeft = edits !== undefined ? NONE_REPAIRED : Object.keys(only).length > 0 ? NONE_CHOSEN : ALL_REPAIRED;
  if (server !== undefined) {
    await sayServerSendsTo(io, server);
    const again =
      edits === undefined
        ? await unlessNothingLeft(
            server.call(importOperations.retry, { id, ...rowFilterOptions(only) }).then((made) => made.id),
          )
        : await edits.sendThere(server, id, io);
    if (again === undefined) return sayNothingLeft(io, id, nothingLeft);
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
          ? await unlessNothingLeft(
              coordinator.retry(id, { maxErrors: flags.maxErrors, only, createdBy: currentUser() }),
            )
          : await edits.send({ coordinator, dir: dataDir(config.dataDir) }, id, io);
      if (made === undefined) return undefined;
      const action = edits === undefined ? 'import.retry' : 'import.repair';
      noteHere(dataDir(config.dataDir), action, made, `of ${id}`, coordinator.sendsTo);
      return made;
    },
    nothingBegan: () => sayNothingLeft(io, id, nothingLeft),
  });
}

interface Edits {
  send(of: Parameters<Editing['send']>[0], id: string, io: Io): Promise<string | undefined>;
  sendThere(server: Server, id: string, io: Io): Promise<string | undefined>;
}

/** Rows that were corrected in a file. @throws UsageError */
async function editsIn(path: string): Promise<Edits | undefined> {
  const editing = await FEATURES.repair?.();
  const text = await editing?.read(path);
  if (editing === undefined || text === undefined) return undefined;
  return {
    send: (of, id, io) => editing.send(of, id, text, io, currentUser()),
    sendThere: (server, id, io) => editing.sendThere(server, id, text, io),
  };
}

/** The id of the new import; undefined where no row is left to send. The import has finished: nothing else is in the way. */
async function unlessNothingLeft(retry: Promise<string>): Promise<string | undefined> {
  try {
    return await retry;
  } catch (error) {
    if (error instanceof NothingToSend) return undefined;
    if (error instanceof ServerRefused && error.code === 'WRONG_STATE') return undefined;
    throw error;
  }
}

const NONE_FAILED = 'no row failed, is unconfirmed or unprocessed';
const NONE_CHOSEN = 'none of these rows failed, is unconfirmed or unprocessed, or they were repaired and sent';
const ALL_REPAIRED = 'its rows were repaired and sent';
const NONE_REPAIRED = 'no row is corrected in the file, or the corrected rows were sent before';

/** Rows that are invalid are not sent again as they are. */
function howToCorrect(imports: Imports, summary: ImportSummary): string[] {
  const { id, rows } = summary;
  const [, file] = imports.files(summary).find(([what]) => what === 'needs attention') ?? [];
  if (rows.invalid === 0 || file === undefined) return [];
  const edits = imports.command('retry', id, '--edits', imports.server === undefined ? file : 'FILE');
  return [
    `Invalid rows are sent when they are corrected: ${counted(rows.invalid, 'row')} in ${file}. Then:`,
    `  ${edits}`,
  ];
}

function sayNothingLeft(io: Io, id: string, why: string): ExitCode {
  say(io, `Import ${id} has nothing to send again: ${why}.`);
  return EXIT.ok;
}
