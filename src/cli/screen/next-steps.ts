import type { ImportSummary } from '../../api/import-summary.ts';
import type { ReasonCode } from '../../imports/reason-codes.ts';
import { counted, withFullStop } from '../../text/wording.ts';
import type { Imports, KeptImport } from '../target/imports.ts';

/** Advice after a command: the places of its files, and the commands that come next. */
export function nextSteps(imports: Imports, found: KeptImport, summary: ImportSummary): string[] {
  const { id, state, reason, code, maxCreate = 'N', maxRemovals = 'N' } = found;
  const sandbox = found.sandbox ? ' --sandbox' : '';
  const command = (verb: string, rest = '') => `  ${imports.command(verb, id)}${rest}`;
  const there = imports.server === undefined ? '' : ' on the server';
  const { rows } = summary;
  const again = rows.failed + rows.unconfirmed + rows.unprocessed;
  const retry =
    again === 0
      ? []
      : [
          rows.failed === 0
            ? `Send ${counted(again, 'row')} again; ${again === 1 ? 'it' : 'they'} may succeed now:`
            : `Send ${counted(again, 'row')} again, once what made ${counted(rows.failed, 'row')} fail is fixed:`,
          command('retry', sandbox),
        ];

  if (code === ('WRONG_SUM' satisfies ReasonCode)) {
    return [
      `This is a bug in rollcall: ${reason}.`,
      'Trust the rows of the report, not the numbers above. Please report this, with the files in:',
      `  ${imports.folder(id)}`,
    ];
  }
  const files = imports.files(summary).map(([what, where]) => `${what.padEnd(16)} ${where}`);
  switch (state) {
    case 'completed':
    case 'cancelled':
    case 'aborted':
      return [
        ...(state === 'aborted' ? [`Stopped: ${reason}.`, ''] : []),
        ...files,
        '',
        ...(rows.invalid + rows.failed + rows.unconfirmed > 0
          ? ['See what went wrong, row by row:', command('report', ' --status failed,invalid,unconfirmed')]
          : ['See every row:', command('report')]),
        ...retry,
      ];
    case 'rejected':
      return [withFullStop(`Nothing was sent: ${reason}`)];
    case 'staged':
      if (code === ('TOO_MANY_REMOVALS' satisfies ReasonCode)) {
        return [
          withFullStop(`Nothing was sent: ${reason}`),
          'See every row:',
          command('report'),
          'If it is right, send them:',
          command('resume', `${sandbox} --max-removals ${maxRemovals}`),
        ];
      }
      if (code === ('REGION_WITHOUT_APP' satisfies ReasonCode)) {
        return [withFullStop(`Nothing was sent: ${reason}`), 'Then continue with:', command('resume', sandbox)];
      }
      if (code === ('WRONG_TARGET' satisfies ReasonCode)) return [withFullStop(`Nothing was sent: ${reason}`)];
      if (code === ('CREATE_WITHOUT_NAME' satisfies ReasonCode)) {
        return [withFullStop(`Nothing was sent: ${reason}`), 'Then import the file again.'];
      }
      return rows.read === rows.invalid
        ? [
            'Nothing was sent, because every row is invalid. See why, row by row:',
            command('report', ' --status invalid'),
            ...files,
          ]
        : [...files, 'Nothing was sent: the file was only read and checked. Send it with:', command('resume', sandbox)];
    case 'blocked':
      if (code === ('WRONG_TARGET' satisfies ReasonCode)) {
        return [withFullStop(`Blocked: ${reason}`), 'Nothing is lost. To end it instead:', command('cancel')];
      }
      if (code === ('CREATE_LIMIT' satisfies ReasonCode)) {
        return [
          withFullStop(`Waiting: ${reason}`),
          'Nothing is lost. Look at the columns of the file first. Then let it create them:',
          command('resume', `${sandbox} --max-create ${maxCreate}`),
          'or end it; rows whose user or group is not known fail then:',
          command('cancel'),
        ];
      }
      if (code === ('BANS_UNKNOWN' satisfies ReasonCode)) {
        return [
          withFullStop(`Blocked: ${reason}`),
          'Nothing is lost. Ask the service again:',
          command('resume', sandbox),
          'or add everyone without asking, which lifts bans without notice:',
          command('resume', `${sandbox} --no-ban-check`),
        ];
      }
      if (code === ('SERVICE_AWAY' satisfies ReasonCode)) {
        return [
          withFullStop(`Blocked: ${reason}`),
          `Nothing is lost, and no row has used up its attempts. When \`rollcall doctor\`${there} finds the service again, continue:`,
          command('resume', sandbox),
        ];
      }
      if (code === ('DISK_FULL' satisfies ReasonCode)) {
        return [
          withFullStop(`Blocked: ${reason}`),
          'Nothing is lost. Make room on the disk of the data directory, then continue:',
          command('resume', sandbox),
        ];
      }
      if (code === ('DATABASE_BUSY' satisfies ReasonCode)) {
        return [
          withFullStop(`Waiting: ${reason}`),
          'Nothing is lost. Under `rollcall serve` it continues by itself; else close that program, then continue:',
          command('resume', sandbox),
        ];
      }
      if (code === ('PROCESS_DIED' satisfies ReasonCode)) {
        return [
          withFullStop(`Waiting: ${reason}`),
          'That is, under `rollcall serve`. Nothing is lost. Continue it now:',
          command('resume', sandbox),
        ];
      }
      return [
        withFullStop(`Blocked: ${reason}`),
        `Nothing is lost. Fix the key, plan or address${there}, check it with \`rollcall doctor\`${there}, then continue:`,
        command('resume', sandbox),
      ];
    case 'failed':
      if (code === ('LEDGER_MISSING' satisfies ReasonCode) || code === ('DAMAGED_LEDGER' satisfies ReasonCode)) {
        return [withFullStop(`Failed: ${reason}`)];
      }
      return [
        withFullStop(`Failed: ${reason}`),
        'Rows that have an outcome keep it. See them, try the import again, or end it:',
        command('report'),
        command('resume', sandbox),
        command('cancel'),
      ];
    case 'paused':
      if (code === ('FIRST_ROWS' satisfies ReasonCode)) {
        return [
          'The rows to try first were sent. See their outcomes:',
          command('report'),
          'Send the others, or end it here:',
          command('resume', sandbox),
          command('cancel'),
        ];
      }
      return ['Paused. Continue with:', command('resume', sandbox)];
    case 'staging':
    case 'running':
    case 'pausing':
    case 'cancelling':
      return imports.server === undefined
        ? ['Interrupted; rows that have an outcome keep it. Continue with:', command('resume', sandbox)]
        : ['It continues on the server. Watch it with:', command('watch')];
  }
}
