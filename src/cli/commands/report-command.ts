import { Command, Option } from 'commander';
import { rowOperations } from '../../api/rows.ts';
import { badUsage } from '../../errors/rollcall-error.ts';
import { type Given, textsOf } from '../../options/option.ts';
import { REPORT, type ReportFormat, ROWS } from '../../options/row-filter.ts';
import { openImports } from '../client/imports.ts';
import type { Action } from '../exit-codes.ts';
import {
  type CommonFlags,
  type OutputFlags,
  optionFlag,
  refuseExisting,
  withOptions,
  withOutput,
  withServer,
} from '../flags/flags.ts';
import { type Io, say, writeDocument } from '../screen/io.ts';

interface Flags extends CommonFlags, Given<typeof ROWS>, OutputFlags {
  readonly format: ReportFormat;
  readonly spreadsheetSafe?: true;
  readonly retryable?: true;
}

/** `rollcall report`: the outcome of every row, streamed. */
export function reportCommand(action: Action) {
  const command = new Command('report')
    .argument('[id]', 'import (default: the latest)')
    .addOption(optionFlag('format', REPORT.format).default('csv'))
    .addOption(
      new Option(
        '--spreadsheet-safe',
        'for Excel and other spreadsheets, which run cells such as =1+1 of a CSV file: a workbook of text cells, as --format xlsx',
      ).conflicts(['format', 'retryable']),
    )
    .addOption(optionFlag('retryable', REPORT.retryable).conflicts(['format']));
  return withServer(withOptions(withOutput(command), ROWS)).action(action(report));
}

async function report(io: Io, given: string | undefined, flags: Flags) {
  const chosen = textsOf(ROWS, flags);
  if (flags.format === 'html' && chosen.length > 0) {
    throw badUsage('a page (--format html) shows the whole import; leave out the flags that choose rows, or take csv');
  }
  const form = flags.retryable ? 'retry' : flags.spreadsheetSafe ? 'xlsx' : flags.format;
  const { output } = flags;
  if (form === 'xlsx' && output === undefined && io.live) {
    throw badUsage('a workbook cannot be shown on a terminal; name a file with --output');
  }
  refuseExisting(flags);
  const { imports } = await openImports(flags);
  const { id } = await imports.find(given);
  const which = form === 'retry' ? { retryable: 'true' as const } : { format: form };
  const request = { id, ...which, ...Object.fromEntries(chosen) };
  const pieces = await imports.client.download(rowOperations.report, request);
  await writeDocument(io, 'the report', pieces, output);
  if (output !== undefined) say(io, `Written to ${output}.`);
}
