import { Command } from 'commander';
import { type ImportView, importOperations } from '../../api/imports.ts';
import { badUsage } from '../../errors/rollcall-error.ts';
import { isFinal, isUnderWay } from '../../membership/import-state.ts';
import { OUTCOMES } from '../../membership/outcome.ts';
import { type Given, textsOf } from '../../options/option.ts';
import { ROWS } from '../../options/row-filter.ts';
import { STOPPING } from '../../options/sending-options.ts';
import { counted } from '../../text/wording.ts';
import { correcting, type Imports } from '../client/import-place.ts';
import { unless } from '../client/operation-client.ts';
import { type Action, EXIT } from '../exit-codes.ts';
import { type RunningFlags, withRunning } from '../flags/flags.ts';
import { withOptions } from '../flags/option-flags.ts';
import { importWork } from '../import-work.ts';
import { checkTarget, openRunning, run, type Work } from '../run.ts';
import { type Io, printJson, say } from '../screen/io.ts';

type Flags = RunningFlags & Given<typeof ROWS & typeof STOPPING> & { readonly edits?: string };

/**
 * `rollcall retry`: imports the retry file of a finished import: all or some of the rows that failed, were not
 * confirmed or not sent. With `--edits` it sends rows that were corrected.
 */
export function retryCommand(action: Action) {
  const command = new Command('retry').argument('[id]', 'import (default: the latest)');
  withOptions(withRunning(withOptions(command, ROWS)), STOPPING);
  command.option(
    '--edits <file>',
    'send the rows that were corrected in this file: failed.csv, or `rollcall report --status invalid,failed` as CSV or XLSX, with its column _row',
  );
  return command.action(action(retry));
}

async function retry(io: Io, given: string | undefined, flags: Flags) {
  const running = await openRunning(io, flags);
  const { imports } = running;
  const found = await imports.find(given);
  const { id, state } = found;
  if (!isFinal(state)) {
    const isRun = isUnderWay(state) && (await imports.regions()) !== undefined;
    const first = imports.command(isRun ? 'watch' : 'resume', id);
    throw badUsage(`import ${id} is ${state}, not over; first: ${first}${found.sandbox && !isRun ? ' --sandbox' : ''}`);
  }
  const { edits } = flags;
  const editing = edits === undefined ? undefined : await import('../../features/repair/commands/retry-edits.ts');
  if (edits !== undefined) await editing?.checkEdits(edits);
  const stopping = textsOf(STOPPING, flags);
  if (edits !== undefined && stopping.length > 0) {
    throw badUsage('--max-errors cannot be given together with --edits');
  }
  const only = textsOf(ROWS, flags);
  if (edits !== undefined && only.length > 0) {
    throw badUsage('--edits says which rows are sent; leave out the flags that choose rows');
  }
  if (edits === undefined && found.reports.retry === null) {
    const code = sayNothingLeft(io, id, NONE_FAILED, flags);
    const correct = howToCorrect(imports, found);
    if (correct.length > 0) say(io, ...correct);
    return code;
  }
  const nothingLeft = edits !== undefined ? NONE_REPAIRED : only.length > 0 ? NONE_CHOSEN : ALL_REPAIRED;
  checkTarget(imports.command('retry', id), id, found.sandbox, flags.sandbox === true);
  const chosen = Object.fromEntries([...only, ...stopping]);
  const begin: Work['begin'] = async (doing) => {
    const again = () => unless('NOTHING_TO_SEND', doing.client.call(importOperations.retry, { id, ...chosen }));
    const made = await (edits === undefined ? again() : editing?.sendEdits(doing, edits, found, io));
    return made ?? { code: sayNothingLeft(io, id, nothingLeft, flags) };
  };
  return run(running, importWork(running, { begin, ...(editing && { open: editing.repairsHere }) }));
}

const NONE_FAILED = 'no row failed, is unconfirmed or unprocessed';
const NONE_CHOSEN = 'none of these rows failed, is unconfirmed or unprocessed, or they were repaired and sent';
const ALL_REPAIRED = 'its rows were repaired and sent';
const NONE_REPAIRED = 'no row is corrected in the file, or the corrected rows were sent before';

/** Rows that are invalid are not sent again as they are. */
function howToCorrect(imports: Imports, found: ImportView) {
  const invalid = counted(found.rows.invalid, 'row');
  if (found.rows.invalid === 0) return [];
  return correcting(
    imports,
    found,
    (file) => `Invalid rows are sent when they are corrected: ${invalid} in ${file}. Then:`,
  );
}

function sayNothingLeft(io: Io, id: string, why: string, { json }: Flags) {
  if (json) {
    const rows = Object.fromEntries(['read', ...OUTCOMES].map((name) => [name, 0]));
    printJson(io, { id: null, retryOf: id, rows });
  }
  say(io, `Import ${id} has nothing to send again: ${why}.`);
  return EXIT.ok;
}
