/** Decisions on the page of an import: what its review sends, and what can be done with it. Pure. */

import { sumOfOutcomes } from '../../../membership/outcome.ts';
import { AMOUNT_LABELS, BAN_CHECKS, WAIT_LABELS } from '../../../options/labels.ts';
import { counted } from '../../../text/wording.ts';
import type { Action, ImportView, ProblemView, Values } from '../../answers.ts';
import { listIn } from '../../format.ts';
import { inPlace, isUndone, LEFT_OUT } from '../../import-words.ts';
import { creatingOptions } from '../upload/file-options.ts';

/** Ways with rows that would fail, as the check says. */
export type Failing = 'leaveOut' | 'create' | 'send';

const ASKED = Object.keys({ ...AMOUNT_LABELS, ...WAIT_LABELS, ...BAN_CHECKS });

/** The choices of the review as `resume` takes them. @param missing the answer of a check by which what is missing is created */
export function resumeChoices(
  values: Values,
  failing: Failing | '' = '',
  missing: Values = {},
): Record<string, string> {
  const groups = listIn(values['only'] ?? '');
  const all = {
    only: groups.length === 0 ? '' : `guid=${groups.join('|')}`,
    ...Object.fromEntries(ASKED.map((name) => [name, values[name] ?? ''])),
    ...(failing === '' ? creatingOptions(values) : {}),
    ...(failing === 'leaveOut' && { leaveOutFailing: 'true' }),
    ...(failing === 'create' && missing),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** The label of the button that sends. @param rows that would be sent; undefined: not known yet */
export function sendLabel(rows: number | undefined, { first = '', only = '' }: Values): string {
  if (rows === undefined) return 'Send';
  if (rows === 0) return 'Finish without sending';
  const most = /^\d+$/.test(first) ? Math.min(Number(first), rows) : rows;
  if (listIn(only).length > 0) return 'Send these groups';
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

/** Whether it was read, and there are rows to be shown. */
export function hasRows({ state, rows }: Pick<ImportView, 'state' | 'rows'>) {
  return state !== 'staging' && rows.read > 0;
}

export function wrongOf(rows: ImportView['rows']) {
  return sumOfOutcomes(rows) - inPlace(rows);
}

/** Whether some rows of a problem can be corrected, and were not. */
export function isToCorrect({ status, code, corrected }: ProblemView) {
  return (status === 'invalid' || status === 'failed' || code === LEFT_OUT) && corrected?.left !== 0;
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
