import type { ImportView } from '../../api/imports.ts';
import { isFinal } from '../../membership/import-state.ts';
import { madeText } from '../../membership/outcome-words.ts';
import { counted } from '../../text/wording.ts';
import { isMachineWait, type ReasonCode } from '../reason-codes.ts';

type Step = ImportView['next'][number];
type Known = Pick<ImportView, 'state' | 'code' | 'rows' | 'maxCreate' | 'maxRemovals' | 'retryable' | 'actions'>;

/** Rows that can be corrected and were not sent so, and those of them that are edited and can be sent. */
export interface ToCorrect {
  readonly toCorrect: number;
  readonly ready: number;
}

const resume = (why: string): Step => ({ operation: 'resume', name: 'Resume', why });
const cancel = (why: string): Step => ({ operation: 'cancel', name: 'Cancel', why });

/** For what waits for a person, or for this machine, by the code of its state. */
const BY_CODE: Readonly<Partial<Record<ReasonCode, readonly Step[]>>> = {
  WRONG_TARGET: [cancel('Nothing is lost: a process with its target continues it. To end it instead')],
  REGION_WITHOUT_APP: [resume('When the region has an app, continue')],
  CREATE_WITHOUT_NAME: [cancel('Import the file again, with names for what it creates. To end this one')],
  DATABASE_BUSY: [
    resume('Nothing is lost. Under `rollcall serve` it continues by itself; else close that program, then continue'),
  ],
  PROCESS_DIED: [resume('Nothing is lost. Under `rollcall serve` it continues by itself; to continue it now')],
  BANS_UNKNOWN: [
    resume('Nothing is lost. Ask the service again'),
    {
      operation: 'resume',
      query: { banCheck: 'false' },
      name: 'Add everyone without asking',
      why: 'Users who are banned from a group are added as well. This lifts their ban, and nobody is told',
    },
  ],
  SERVICE_AWAY: [
    resume(
      'Nothing is lost, and no row has used up its attempts. When `rollcall doctor` finds the service again, continue',
    ),
  ],
  DISK_FULL: [resume('Nothing is lost. Make room on the disk of the data directory, then continue')],
  FIRST_ROWS: [
    resume('Look at the outcomes of the rows that were tried first, then send the others'),
    cancel('To end it here'),
  ],
  WRONG_SUM: [],
  LEDGER_MISSING: [resume('When the file is back from a backup, continue')],
  DAMAGED_LEDGER: [resume('When the file is back from a backup, continue')],
};

/** The ways on from where an import stands, starting with the one that solves it. */
export function nextOf(view: Known, corrections: ToCorrect): Step[] {
  const possible: readonly string[] = view.actions;
  const onward = onwards(view).filter(({ operation }) => possible.includes(operation));
  return [...onward, ...correct(view, corrections), ...retry(view)];
}

function onwards({ state, code, rows, maxCreate, maxRemovals }: Known): readonly Step[] {
  if (maxCreate !== undefined) {
    const missing = (kind: string) => Number(new RegExp(`${kind}=(\\d+)`).exec(maxCreate)?.[1] ?? 0);
    return [
      {
        operation: 'resume',
        query: { maxCreate },
        name: `Create ${madeText({ users: missing('users'), groups: missing('groups') })}`,
        why: 'They become part of your app, and undoing this import does not delete them. Nothing is lost: check first that the columns of the file are right. Then let it create them',
      },
      cancel('To end it; rows whose user or group is not known fail then'),
    ];
  }
  if (maxRemovals !== undefined) {
    return [
      {
        operation: 'resume',
        query: { maxRemovals },
        name: `Send ${counted(Number(maxRemovals), 'row')} that remove or ban`,
        why: 'These members leave their groups as soon as it is sent. Look at the rows first; if they are right, send them',
      },
    ];
  }
  // An import that has failed is not tried again by itself, whatever it waited for.
  const waitsNoMore = state === 'failed' && isMachineWait(code ?? null);
  const known = waitsNoMore ? undefined : BY_CODE[code as ReasonCode];
  if (known !== undefined) return known;
  if (state === 'failed') {
    return [resume('Rows that have an outcome keep it. To try the import again'), cancel('To end it')];
  }
  if (state === 'blocked') {
    return [
      resume(
        'Nothing is lost. Fix the key, plan or address of the process that sends it, check it there with `rollcall doctor`, then continue',
      ),
    ];
  }
  if (state === 'staged') {
    return rows.read === rows.invalid
      ? [cancel('No row is valid. To end it without sending')]
      : [{ ...resume('The file was only read and checked. Look at it, then send it'), name: 'Review and send' }];
  }
  return [resume('Continue it')];
}

function correct({ state }: Known, { toCorrect, ready }: ToCorrect): readonly Step[] {
  if (toCorrect === 0) return [];
  const what = counted(toCorrect, 'row');
  const isDone = ready === toCorrect;
  if (!isFinal(state)) {
    const now = isDone ? `Look at ${what} that you have corrected` : `Correct ${what}`;
    return [{ operation: 'correct', name: 'Correct rows', why: `${now}, to be sent when it is over` }];
  }
  return isDone
    ? [{ operation: 'correct', name: 'Send corrected rows', why: `Send ${what} that you have corrected` }]
    : [{ operation: 'correct', name: 'Correct rows', why: `Correct ${what}, and send only these` }];
}

function retry(view: Known): readonly Step[] {
  const { rows, retryable, actions } = view;
  if (!actions.includes('retry')) return [];
  const what = counted(retryable, 'row');
  const sends = rows.unprocessed === 0 ? `Send ${what} again` : `Send ${what}`;
  return [{ operation: 'retry', name: `Retry ${what}`, why: `${sends}${whyAgain(view)}` }];
}

function whyAgain({ rows: { failed, unconfirmed }, retryable }: Known) {
  if (failed > 0) return `, once what made ${counted(failed, 'row')} fail is fixed`;
  if (unconfirmed > 0) return `; ${retryable === 1 ? 'it' : 'they'} may succeed now`;
  return ` that ${retryable === 1 ? 'was' : 'were'} not sent`;
}
