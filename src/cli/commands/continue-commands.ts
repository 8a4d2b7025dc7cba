import { statSync } from 'node:fs';
import { Command, Option } from 'commander';
import { type ImportView, importOperations } from '../../api/imports.ts';
import { openService } from '../../app/open-service.ts';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import { readOptions } from '../../imports/import-options.ts';
import { isFinal, isUnderWay } from '../../membership/import-state.ts';
import { ROW_COUNTS, SENT, sumOfOutcomes } from '../../membership/outcome.ts';
import { type Given, textsOf } from '../../options/option.ts';
import { ROWS } from '../../options/row-filter.ts';
import { ANSWERING, type AnsweringChoices, STOPPING } from '../../options/sending-options.ts';
import { shellWord } from '../../text/terminal-text.ts';
import { asSentence, counted } from '../../text/wording.ts';
import { correcting, type Imports, isAlone } from '../client/imports.ts';
import { viewing } from '../client/kept-imports.ts';
import { type Action, EXIT } from '../exit-codes.ts';
import { type RunningFlags, withOptions, withRunning } from '../flags/flags.ts';
import { ownImports } from '../owner.ts';
import { checkTarget, importWork, openRunning, type Running, run, type Work } from '../run.ts';
import { type Io, printJson, say, typedCommand } from '../screen/io.ts';

type ResumeFlags = RunningFlags & AnsweringChoices;

/** `rollcall resume`: continues an import that was paused, blocked, interrupted or only checked. */
export function resumeCommand(action: Action) {
  const command = new Command('resume').argument('[id]', 'import (default: the latest)');
  withOptions(withRunning(command), ANSWERING);
  return command.action(action(resume));
}

async function resume(io: Io, given: string | undefined, flags: ResumeFlags) {
  const running = await openRunning(io, flags);
  const { config, imports } = running;
  const found = await imports.find(given);
  const { id } = found;
  await imports.saySendsTo(io);
  const isDryRun = (await isAlone(imports)) && (await continuesAsDryRun(running, found, flags));
  const resuming: Pick<Work, 'begin' | 'open'> = {
    open: async (here) => {
      const { runSyncOf } = await import('../../features/sync/commands/sync-work.ts');
      runSyncOf(config, io, id, here);
      return ownImports(here);
    },
    begin: async ({ client }) =>
      client.call(importOperations.resume, { id, ...Object.fromEntries(textsOf(ANSWERING, flags)) }),
  };
  const work = importWork(running, resuming, sumOfOutcomes(found.rows, SENT));
  return run({ ...running, openService: () => openService(config, { ...flags, dryRun: isDryRun }) }, work);
}

/** One that was being read as a dry run continues as one. @throws WRONG_STATE, WRONG_TARGET */
async function continuesAsDryRun({ config, imports, io }: Running, { id, reports }: ImportView, flags: ResumeFlags) {
  const record = await viewing(config.dir, (catalog) => catalog.get(id));
  if (isFinal(record.state)) {
    const what = `import ${id} is ${record.state}: there is nothing to resume`;
    const again = `\`${imports.command('retry', id)}\` sends again what failed`;
    throw new RollcallError('WRONG_STATE', { what, ...(reports.retry !== null && { remedy: again }) });
  }
  const options = readOptions(record);
  checkTarget(typedCommand(config, 'resume', id), `import ${id}`, options.sandbox, flags.sandbox);
  // A file that was deleted has not changed.
  const changedAt = () => statSync(record.source, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (record.state === 'staged' && changedAt() > record.createdAt) {
    say(
      io,
      `${record.file} has changed since it was checked. rollcall sends the rows that were checked; to send the file as it is now,`,
      `import it again: ${typedCommand(config, 'import', shellWord(record.file))}`,
    );
  }
  return record.state === 'staging' && options.dryRun;
}

type RetryFlags = RunningFlags & Given<typeof ROWS & typeof STOPPING> & { readonly edits?: string };

/** `rollcall retry`: imports rows of a finished import again, or with `--edits` those that were corrected. */
export function retryCommand(action: Action) {
  const command = new Command('retry').argument('[id]', 'import (default: the latest)');
  withOptions(withRunning(withOptions(command, ROWS)), STOPPING);
  const edits = new Option(
    '--edits <file>',
    'send the rows that were corrected in this file: failed.csv, or `rollcall report --status invalid,failed` as CSV or XLSX, with its column _row',
  );
  command.addOption(edits.conflicts(Object.keys({ ...ROWS, ...STOPPING })));
  return command.action(action(retry));
}

async function retry(io: Io, given: string | undefined, flags: RetryFlags) {
  const running = await openRunning(io, flags);
  const { imports } = running;
  const found = await imports.find(given);
  const { id, state } = found;
  if (!isFinal(state)) {
    const isRun = isUnderWay(state) && (await imports.regions()) !== undefined;
    const first = imports.command(isRun ? 'watch' : 'resume', id);
    const remedy = `first: ${first}${found.sandbox && !isRun ? ' --sandbox' : ''}`;
    throw new RollcallError('WRONG_STATE', { what: `import ${id} is ${state}, not over`, remedy });
  }
  const { edits } = flags;
  const editing = edits === undefined ? undefined : await import('../../features/correct/commands/retry-edits.ts');
  if (edits !== undefined) await editing?.checkEdits(edits);
  const sayNothingLeft = (why: string, ...next: readonly string[]) => {
    const rows = Object.fromEntries(ROW_COUNTS.map((name) => [name, 0]));
    if (flags.json) printJson(io, { id: null, retryOf: id, rows });
    say(io, asSentence(why), ...next);
    return EXIT.ok;
  };
  if (edits === undefined && found.reports.retry === null) {
    const why = `import ${id} has nothing to send again: no row failed, is unconfirmed or unprocessed`;
    return sayNothingLeft(why, ...howToCorrect(imports, found));
  }
  checkTarget(imports.command('retry', id), `import ${id}`, found.sandbox, flags.sandbox);
  const chosen = Object.fromEntries([...textsOf(ROWS, flags), ...textsOf(STOPPING, flags)]);
  const begin: Work['begin'] = async (doing) => {
    try {
      if (edits !== undefined && editing) return await editing.sendEdits(doing, edits, found, io);
      return await doing.client.call(importOperations.retry, { id, ...chosen });
    } catch (error) {
      if (isError(error, 'NOTHING_TO_SEND')) return sayNothingLeft(error.what);
      throw error;
    }
  };
  return run(running, importWork(running, { begin, ...(editing && { open: editing.correctionsHere }) }));
}

/** Rows that are invalid are not sent again as they are. */
function howToCorrect(imports: Imports, found: ImportView) {
  const { invalid } = found.rows;
  if (invalid === 0) return [];
  return correcting(
    imports,
    found,
    (file) => `Invalid rows are sent when they are corrected: ${counted(invalid, 'row')} in ${file}. Then:`,
  );
}
