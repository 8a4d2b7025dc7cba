import type { ImportSummary } from '../../api/import-summary.ts';
import type { ReasonCode } from '../../imports/reason-codes.ts';
import { counted, withFullStop } from '../../text/wording.ts';
import type { Imports, KeptImport } from '../target/imports.ts';

/** The import that the advice is about, with the commands that it names. */
interface Advised {
  readonly imports: Imports;
  readonly found: KeptImport;
  readonly summary: ImportSummary;
  /** A command about the import, to be typed. */
  readonly command: (verb: string, rest?: string) => string;
  /** The command that continues it. */
  readonly resume: (rest?: string) => string;
}

/** Advice after a command: the places of its files, and the commands that come next. */
export function nextSteps(imports: Imports, found: KeptImport, summary: ImportSummary): string[] {
  const { id, state, reason, code } = found;
  const command = (verb: string, rest = '') => `  ${imports.command(verb, id)}${rest}`;
  const resume = (rest = '') => command('resume', `${sandboxOf(found)}${rest}`);
  const advised = { imports, found, summary, command, resume };
  if (is(code, 'WRONG_SUM')) {
    return [
      `This is a bug in rollcall: ${reason}.`,
      'Trust the rows of the report, not the numbers above. Please report this, with the files in:',
      `  ${imports.folder(id)}`,
    ];
  }
  switch (state) {
    case 'completed':
    case 'cancelled':
    case 'aborted':
      return afterItsEnd(advised);
    case 'rejected':
      return [withFullStop(`Nothing was sent: ${reason}`)];
    case 'staged':
      return whileStaged(advised);
    case 'blocked':
      return whileBlocked(advised);
    case 'failed':
      if (is(code, 'LEDGER_MISSING') || is(code, 'DAMAGED_LEDGER')) return [withFullStop(`Failed: ${reason}`)];
      return [
        withFullStop(`Failed: ${reason}`),
        'Rows that have an outcome keep it. See them, try the import again, or end it:',
        command('report'),
        resume(),
        command('cancel'),
      ];
    case 'paused':
      if (is(code, 'FIRST_ROWS')) {
        return [
          'The rows to try first were sent. See their outcomes:',
          command('report'),
          'Send the others, or end it here:',
          resume(),
          command('cancel'),
        ];
      }
      return ['Paused. Continue with:', resume()];
    case 'staging':
    case 'running':
    case 'pausing':
    case 'cancelling':
      return imports.server === undefined
        ? ['Interrupted; rows that have an outcome keep it. Continue with:', resume()]
        : ['It continues on the server. Watch it with:', command('watch')];
  }
}

const is = (code: string | null | undefined, wanted: ReasonCode): boolean => code === wanted;

const sandboxOf = ({ sandbox }: KeptImport): string => (sandbox ? ' --sandbox' : '');

function filesOf({ imports, summary }: Advised): string[] {
  return imports.files(summary).map(([what, where]) => `${what.padEnd(16)} ${where}`);
}

function afterItsEnd(advised: Advised): string[] {
  const { found, summary, command } = advised;
  const { rows } = summary;
  const again = rows.failed + rows.unconfirmed + rows.unprocessed;
  const retry =
    again === 0
      ? []
      : [
          rows.failed === 0
            ? `Send ${counted(again, 'row')} again; ${again === 1 ? 'it' : 'they'} may succeed now:`
            : `Send ${counted(again, 'row')} again, once what made ${counted(rows.failed, 'row')} fail is fixed:`,
          command('retry', sandboxOf(found)),
        ];
  return [
    ...(found.state === 'aborted' ? [`Stopped: ${found.reason}.`, ''] : []),
    ...filesOf(advised),
    '',
    ...(rows.invalid + rows.failed + rows.unconfirmed > 0
      ? ['See what went wrong, row by row:', command('report', ' --status failed,invalid,unconfirmed')]
      : ['See every row:', command('report')]),
    ...retry,
  ];
}

function whileStaged(advised: Advised): string[] {
  const { found, summary, command, resume } = advised;
  const { reason, code, maxRemovals = 'N' } = found;
  const { rows } = summary;
  const why = withFullStop(`Nothing was sent: ${reason}`);
  if (is(code, 'TOO_MANY_REMOVALS')) {
    return [
      why,
      'See every row:',
      command('report'),
      'If it is right, send them:',
      resume(` --max-removals ${maxRemovals}`),
    ];
  }
  if (is(code, 'REGION_WITHOUT_APP')) return [why, 'Then continue with:', resume()];
  if (is(code, 'WRONG_TARGET')) return [why];
  if (is(code, 'CREATE_WITHOUT_NAME')) return [why, 'Then import the file again.'];
  const files = filesOf(advised);
  return rows.read === rows.invalid
    ? [
        'Nothing was sent, because every row is invalid. See why, row by row:',
        command('report', ' --status invalid'),
        ...files,
      ]
    : [...files, 'Nothing was sent: the file was only read and checked. Send it with:', resume()];
}

function whileBlocked({ imports, found, command, resume }: Advised): string[] {
  const { reason, code, maxCreate = 'N' } = found;
  const there = imports.server === undefined ? '' : ' on the server';
  const blocked = withFullStop(`Blocked: ${reason}`);
  const waiting = withFullStop(`Waiting: ${reason}`);
  if (is(code, 'WRONG_TARGET')) return [blocked, 'Nothing is lost. To end it instead:', command('cancel')];
  if (is(code, 'CREATE_LIMIT')) {
    return [
      waiting,
      'Nothing is lost. Look at the columns of the file first. Then let it create them:',
      resume(` --max-create ${maxCreate}`),
      'or end it; rows whose user or group is not known fail then:',
      command('cancel'),
    ];
  }
  if (is(code, 'BANS_UNKNOWN')) {
    return [
      blocked,
      'Nothing is lost. Ask the service again:',
      resume(),
      'or add everyone without asking, which lifts bans without notice:',
      resume(' --no-ban-check'),
    ];
  }
  if (is(code, 'SERVICE_AWAY')) {
    return [
      blocked,
      `Nothing is lost, and no row has used up its attempts. When \`rollcall doctor\`${there} finds the service again, continue:`,
      resume(),
    ];
  }
  if (is(code, 'DISK_FULL')) {
    return [blocked, 'Nothing is lost. Make room on the disk of the data directory, then continue:', resume()];
  }
  if (is(code, 'DATABASE_BUSY')) {
    return [
      waiting,
      'Nothing is lost. Under `rollcall serve` it continues by itself; else close that program, then continue:',
      resume(),
    ];
  }
  if (is(code, 'PROCESS_DIED')) {
    return [waiting, 'That is, under `rollcall serve`. Nothing is lost. Continue it now:', resume()];
  }
  return [
    blocked,
    `Nothing is lost. Fix the key, plan or address${there}, check it with \`rollcall doctor\`${there}, then continue:`,
    resume(),
  ];
}
