import { relative } from 'node:path';
import { WRONG_SUM } from '../../jobs/finish-import.ts';
import type { Config } from '../config.ts';
import type { ImportRecord } from '../ledger/catalog.ts';
import { dataDir } from '../pipeline/data-dir.ts';
import { lacksApp } from '../pipeline/import-errors.ts';
import { readOptions } from '../pipeline/import-options.ts';
import { reportPaths } from '../pipeline/report-files.ts';
import type { ImportSummary } from '../report/import-summary.ts';
import { counted } from '../report/wording.ts';

/** What to do after a command: where the files are, and the commands that come next. */
export function nextSteps(config: Config, record: ImportRecord, summary: ImportSummary): string[] {
  const { id, state, reason } = record;
  const sandbox = readOptions(record).sandbox ? ' --sandbox' : '';
  const command = (verb: string, rest = '') => `  ${config.command} ${verb} ${id}${rest}`;
  const { rows } = summary;
  const again = rows.failed + rows.unconfirmed + rows.unprocessed;
  const retry =
    again === 0 ? [] : [`Send ${counted(again, 'row')} again that may succeed now:`, command('retry', sandbox)];

  if (reason.startsWith(WRONG_SUM)) {
    return [
      `A fault of rollcall: ${reason}.`,
      'Rely on the rows of the report, not on the numbers above, and report it with what is in:',
      `  ${shortest(dataDir(config.dataDir).folder(id))}`,
    ];
  }
  switch (state) {
    case 'completed':
    case 'cancelled':
    case 'aborted':
      return [
        ...(state === 'aborted' ? [`Stopped: ${reason}.`, ''] : []),
        ...files(config, summary),
        '',
        ...(rows.invalid + rows.failed + rows.unconfirmed > 0
          ? ['See row by row what went wrong:', command('report', ' --status failed,invalid,unconfirmed')]
          : ['See every row:', command('report')]),
        ...retry,
      ];
    case 'rejected':
      return [`Nothing was sent: ${reason}`];
    case 'staged':
      return lacksApp(record)
        ? [`Nothing was sent: ${reason}.`]
        : ['Nothing was sent: it was read and checked only. Send it with:', command('resume', sandbox)];
    case 'blocked':
      return [
        `Blocked: ${reason.replace(/\.$/, '')}.`,
        `Nothing of it is lost. Mend the key or plan, check it with \`${config.command} doctor\`, and go on:`,
        command('resume', sandbox),
      ];
    case 'paused':
      return ['Paused. Go on with:', command('resume', sandbox)];
    case 'staging':
    case 'running':
    case 'pausing':
    case 'cancelling':
      return ['Interrupted; every row that has its outcome keeps it. Go on with:', command('resume', sandbox)];
  }
}

function files(config: Config, { id, reports }: ImportSummary): string[] {
  const paths = reportPaths(dataDir(config.dataDir).folder(id), 'csv');
  const named: [string, string | null][] = [
    ['every row', reports.all],
    ['to look at', paths.html],
    ['needs attention', reports.failed],
    ['to import again', reports.retry],
  ];
  return named.flatMap(([what, path]) => (path === null ? [] : [`${what.padEnd(16)} ${shortest(path)}`]));
}

/** The path as one would type it here. */
export function shortest(path: string): string {
  const here = relative('.', path);
  return here !== '' && here.length < path.length ? here : path;
}
