/** Decisions on the page of an import: what its review sends, and what can be done with it. Pure. */

import type { importOperations } from '../../../api/imports.ts';
import type { SentFor } from '../../../api/operation.ts';
import { sumOfOutcomes } from '../../../membership/outcome.ts';
import { madeText } from '../../../membership/outcome-words.ts';
import { AMOUNT_LABELS, BAN_CHECKS, WAIT_LABELS } from '../../../options/labels.ts';
import { counted } from '../../../text/wording.ts';
import type { Action, ImportView } from '../../answers.ts';
import { listIn, pairsIn } from '../../format.ts';
import { isUndone, LEFT_OUT } from '../../import-words.ts';
import { creatingOptions } from '../upload/file-options.ts';

type Values = Readonly<Record<string, string>>;

/** Ways with rows that would fail, as the check says. */
export type Failing = 'leaveOut' | 'create' | 'send';

const ASKED = Object.keys({ ...AMOUNT_LABELS, ...WAIT_LABELS, ...BAN_CHECKS });

/** The choices of the review as `resume` takes them. @param missing the answer of a check by which what is missing is created */
export function resumeChoices(
  values: Values,
  failing: Failing | '' = '',
  missing: Values = {},
): Record<string, string> {
  const only = listIn(values['onlyGroups'] ?? '');
  const all = {
    only: only.length === 0 ? '' : `guid=${only.join('|')}`,
    ...Object.fromEntries(ASKED.map((name) => [name, values[name] ?? ''])),
    ...(failing === '' ? creatingOptions(values) : {}),
    ...(failing === 'leaveOut' && { leaveOutFailing: 'true' }),
    ...(failing === 'create' && missing),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** The label of the button that sends. @param rows that would be sent; undefined: not known yet */
export function sendLabel(rows: number | undefined, { first = '', onlyGroups = '' }: Values): string {
  if (rows === undefined) return 'Send';
  if (rows === 0) return 'Finish without sending';
  const most = /^\d+$/.test(first) ? Math.min(Number(first), rows) : rows;
  if (listIn(onlyGroups).length > 0) return 'Send these groups';
  return most < rows ? `Send the first ${most === 1 ? 'row' : counted(most, 'row')}` : `Send ${counted(rows, 'row')}`;
}

/** Whether an import was read, and nothing of it was sent: it is reviewed. */
export function isReviewed({ state, startedAt, rows }: Pick<ImportView, 'state' | 'startedAt' | 'rows'>): boolean {
  return state === 'staged' && startedAt === null && rows.read > 0;
}

export function rowsSentBy(action: Action, { rows, retryable }: ImportView) {
  if (action === 'retry') return retryable;
  return action === 'resume' ? rows.read - sumOfOutcomes(rows) : 0;
}

/** The query of `resume`. */
export type ResumeQuery = NonNullable<SentFor<typeof importOperations.resume>['query']>;

/** A consent with which a waiting import continues. */
interface Decision {
  yes: string;
  agreed: { question: string; explanation: string; no: string; tone: 'danger' };
  choices: ResumeQuery;
  /** The import can be started without it as well. */
  keepsStart?: true;
}

export function decisionOf({ code, maxCreate, maxRemovals }: ImportView): Decision | undefined {
  const decision = (yes: string, explanation: string, choices: ResumeQuery): Decision => ({
    yes,
    agreed: { question: `${yes}?`, explanation, no: 'Keep waiting', tone: 'danger' },
    choices,
  });
  if (code === 'BANS_UNKNOWN') {
    const lifted = 'Users who are banned from a group are added as well. This lifts their ban, and nobody is told.';
    return { ...decision('Add everyone without asking', lifted, { banCheck: 'false' }), keepsStart: true };
  }
  if (maxCreate !== undefined) {
    const { users = '0', groups = '0' } = pairsIn(maxCreate);
    return decision(
      `Create ${madeText({ users: Number(users), groups: Number(groups) })}`,
      'They become part of your app, and undoing this import does not delete them. Check first that the columns of the file are right.',
      { maxCreate },
    );
  }
  if (maxRemovals === undefined) return undefined;
  return decision(
    `Send ${counted(Number(maxRemovals), 'row')} that remove or ban`,
    'These members leave their groups as soon as it is sent. Look at the rows first: filter them by what they do.',
    { maxRemovals },
  );
}

/**
 * Invalid rows can be edited once the file was read, so can those that would fail or were left out; failed ones when the
 * import is over. Once rows were sent repaired, the others count.
 */
export function canBeRepaired(
  view: ImportView,
  filter: { hasToRepair: { value: boolean }; codes: { value: readonly string[] } } | undefined,
) {
  const { state, finishedAt, checkedRows, edited, repaired } = view;
  const { read, invalid, failed } = view.rows;
  if (state === 'staging' || read === 0) return false;
  if (edited !== undefined) return true;
  if (repaired > 0) return filter?.hasToRepair.value === true;
  const isNoted = filter?.codes.value.includes(LEFT_OUT) || (checkedRows?.wouldFail ?? 0) > 0;
  return invalid > 0 || isNoted || (finishedAt !== null && failed > 0);
}

/** Something is left to undo, and nothing is about to. */
export function canBeUndone({
  finishedAt,
  followUps,
  rows: { added, banned, changed, removed, unconfirmed },
}: ImportView) {
  const isTaken = followUps.some((followUp) => isUndone(followUp) || (followUp.kind === 'undo' && followUp.isOpen));
  return finishedAt !== null && added + banned + changed + removed + unconfirmed > 0 && !isTaken;
}
