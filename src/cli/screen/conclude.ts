import type { ImportSummary } from '../../api/import-summary.ts';
import type { ImportView } from '../../api/imports.ts';
import type { ReasonCode } from '../../imports/reason-codes.ts';
import { summaryIn } from '../../imports/report/summarize.ts';
import { summaryText } from '../../imports/report/summary.ts';
import { isUnderWay } from '../../membership/import-state.ts';
import { counted, withFullStop } from '../../text/wording.ts';
import type { Imports } from '../client/imports.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { withCode } from '../refusal.ts';
import { type Io, print, printJson, say } from './io.ts';

/** Prints the result of an import and the next steps; returns its exit code. */
export async function conclude(imports: Imports, io: Io, id: string, json: boolean) {
  const found = await imports.find(id);
  const summary = summaryIn(found);
  // An import on a server continues; only this command stops watching it.
  const interrupted = imports.server === undefined && isUnderWay(found.state);
  if (json) {
    printJson(io, { ...summary, ...(interrupted && { interrupted }) });
  } else if (summary.rows.read > 0) {
    const [problems, limits] = [await imports.problems(id), await limitsFor(imports, summary)];
    print(io, `\n${summaryText(summary, { color: io.color, width: io.width, problems, limits, interrupted })}`);
  }
  say(io, '', ...nextSteps(imports, found));
  return exitCodeOf(found, summary.rows);
}

/** The limits by which an import that waits would be sent, where its summary says how long that takes. */
export async function limitsFor(imports: Pick<Imports, 'limits'>, { state, ways }: ImportSummary) {
  return state === 'staged' && ways !== undefined ? imports.limits() : undefined;
}

/** Facts for the advice of a code. */
interface Known {
  /** A command for this import. */
  readonly command: (verb: string, rest?: string) => string;
  /** The command that continues it. */
  readonly resume: (flags?: string) => string;
  /** ` on the server`, or nothing. */
  readonly onServer: string;
  /** Values for flags that allow more. */
  readonly maxCreate: number | string;
  readonly maxRemovals: number | string;
}

type ByCode = Readonly<Partial<Record<ReasonCode, (known: Known) => string[]>>>;

/** Staged, and not sent for a reason: lines below the reason. */
const NOT_SENT: ByCode = {
  TOO_MANY_REMOVALS: ({ command, resume, maxRemovals }) => [
    ...['See every row:', command('report')],
    ...['If it is right, send them:', resume(` --max-removals ${maxRemovals}`)],
  ],
  REGION_WITHOUT_APP: ({ resume }) => ['Then continue with:', resume()],
  WRONG_TARGET: () => [],
  CREATE_WITHOUT_NAME: () => ['Then import the file again.'],
};

/** Blocked until a person, or this machine, does something: lines below the reason. */
const WAITING: ByCode = {
  CREATE_LIMIT: ({ command, resume, maxCreate }) => [
    'Nothing is lost. Look at the columns of the file first. Then let it create them:',
    resume(` --max-create ${maxCreate}`),
    'or end it; rows whose user or group is not known fail then:',
    command('cancel'),
  ],
  DATABASE_BUSY: ({ resume }) => [
    'Nothing is lost. Under `rollcall serve` it continues by itself; else close that program, then continue:',
    resume(),
  ],
  PROCESS_DIED: ({ resume }) => ['That is, under `rollcall serve`. Nothing is lost. Continue it now:', resume()],
};

/** Blocked: lines below the reason. */
const BLOCKED: ByCode = {
  WRONG_TARGET: ({ command }) => ['Nothing is lost. To end it instead:', command('cancel')],
  BANS_UNKNOWN: ({ resume }) => [
    ...['Nothing is lost. Ask the service again:', resume()],
    'or add everyone without asking, which lifts bans without notice:',
    resume(' --no-ban-check'),
  ],
  SERVICE_AWAY: ({ resume, onServer }) => [
    `Nothing is lost, and no row has used up its attempts. When \`rollcall doctor\`${onServer} finds the service again, continue:`,
    resume(),
  ],
  DISK_FULL: ({ resume }) => ['Nothing is lost. Make room on the disk of the data directory, then continue:', resume()],
};

/** Advice after a command: the places of its files, and the commands that come next. */
export function nextSteps(imports: Imports, found: ImportView) {
  const { id, state, reason, code, rows, maxCreate = 'N', maxRemovals = 'N' } = found;
  const command = (verb: string, rest = '') => `  ${imports.command(verb, id)}${rest}`;
  const resume = (flags = '') => command('resume', `${found.sandbox ? ' --sandbox' : ''}${flags}`);
  const onServer = imports.server ? ' on the server' : '';
  const because = (what: string) => withCode(withFullStop(`${what}: ${reason}`), code);
  const adviceIn = (table: ByCode) =>
    table[code as ReasonCode]?.({ command, resume, onServer, maxCreate, maxRemovals });
  if (code === ('WRONG_SUM' satisfies ReasonCode)) {
    return [
      because('This is a bug in rollcall'),
      'Trust the rows of the report, not the numbers above. Please report this, with the files in:',
      `  ${imports.folder(id)}`,
    ];
  }
  const files = imports.files(found).flatMap(([what, where]) => (where === null ? [] : `${what.padEnd(16)} ${where}`));
  switch (state) {
    case 'completed':
    case 'cancelled':
    case 'aborted':
      return [
        ...(state === 'aborted' ? [because('Stopped'), ''] : []),
        ...files,
        '',
        ...(rows.invalid + rows.failed + rows.unconfirmed > 0
          ? ['See what went wrong, row by row:', command('report', ' --status failed,invalid,unconfirmed')]
          : ['See every row:', command('report')]),
        ...retrySteps(found, command('retry', found.sandbox ? ' --sandbox' : '')),
      ];
    case 'rejected':
      return [because('Nothing was sent')];
    case 'staged': {
      const advice = adviceIn(NOT_SENT);
      if (advice !== undefined) return [because('Nothing was sent'), ...advice];
      return rows.read === rows.invalid
        ? [
            'Nothing was sent, because every row is invalid. See why, row by row:',
            command('report', ' --status invalid'),
            ...files,
          ]
        : [...files, 'Nothing was sent: the file was only read and checked. Send it with:', resume()];
    }
    case 'blocked': {
      const waiting = adviceIn(WAITING);
      if (waiting !== undefined) return [because('Waiting'), ...waiting];
      const fixable = [
        `Nothing is lost. Fix the key, plan or address${onServer}, check it with \`rollcall doctor\`${onServer}, then continue:`,
        resume(),
      ];
      return [because('Blocked'), ...(adviceIn(BLOCKED) ?? fixable)];
    }
    case 'failed':
      if (code === ('LEDGER_MISSING' satisfies ReasonCode) || code === ('DAMAGED_LEDGER' satisfies ReasonCode)) {
        return [because('Failed')];
      }
      return [
        because('Failed'),
        'Rows that have an outcome keep it. See them, try the import again, or end it:',
        ...[command('report'), resume(), command('cancel')],
      ];
    case 'paused':
      if (code !== ('FIRST_ROWS' satisfies ReasonCode)) return ['Paused. Continue with:', resume()];
      return [
        ...['The rows to try first were sent. See their outcomes:', command('report')],
        ...['Send the others, or end it here:', resume(), command('cancel')],
      ];
    case 'cancelling':
      return imports.server
        ? ['It ends on the server. Watch it with:', command('watch')]
        : ['It is being cancelled. If its process was ended meanwhile, finish that with:', resume()];
    case 'staging':
    case 'running':
    case 'pausing':
      return imports.server
        ? ['It continues on the server. Watch it with:', command('watch')]
        : ['Interrupted; rows that have an outcome keep it. Continue with:', resume()];
  }
}

/** @param command sends them again */
function retrySteps({ rows }: ImportView, command: string) {
  const again = rows.failed + rows.unconfirmed + rows.unprocessed;
  if (again === 0) return [];
  const once = `once what made ${counted(rows.failed, 'row')} fail is fixed`;
  return [
    rows.failed === 0
      ? `Send ${counted(again, 'row')} again; ${again === 1 ? 'it' : 'they'} may succeed now:`
      : `Send ${counted(again, 'row')} again, ${once}:`,
    command,
  ];
}
