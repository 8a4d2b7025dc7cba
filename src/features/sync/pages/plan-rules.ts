/** Rules of pages that have a plan: the options that its fields stand for, and what a person decides about. Pure. */

import { MAX_UIDS_PER_CALL } from '../../../chat/service/limits.ts';
import type { PlanTotals, Values } from '../../../console/answers.ts';
import { creatingOptions } from '../../../console/view/upload/file-options.ts';
import { PLAN_CHECKS } from '../../../options/labels.ts';
import { counted, grouped, sumOf } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';

/** Options of a plan. */
const PLAN = ['mode', 'missing', 'whose', 'left', 'changed', 'protect', 'removeNamed', ...Object.keys(PLAN_CHECKS)];

/** Whether members who are not in the file are removed or banned. */
function takesMissing({ mode, missing = '' }: Values) {
  return mode === 'mirror' && missing !== '';
}

/** The options that have a field, by those that are chosen. */
export function planFields(values: Values) {
  const left = [values['mode'] !== 'mirror' && 'missing', !takesMissing(values) && 'whose'];
  return PLAN.filter((name) => !left.includes(name));
}

/** Before the name of a limit. */
export const LIMIT = 'limit.';

/** The options of a plan that the fields stand for, as the server takes them. */
export function planOptions({ missing = '', ...values }: Values): Record<string, string> {
  const chosen = { ...values, missing: values['mode'] === 'mirror' ? missing : '' };
  const named = Object.entries({ whose: '', ...chosen }).filter(
    ([name]) => PLAN.includes(name) || name.startsWith(LIMIT),
  );
  return {
    ...Object.fromEntries(named),
    ...(!takesMissing(chosen) && { whose: '' }),
    ...creatingOptions(values),
  };
}

/** Additions share calls; each other change has its own. */
export function takenBy({ changes, groups, actions, create }: PlanTotals) {
  const calls = Math.ceil(actions.add / MAX_UIDS_PER_CALL) + (changes - actions.add) + (create?.calls ?? 0);
  return { rows: changes, groups, calls };
}

export function objectionsIn(guards: SyncView['guards']) {
  return sumOf(guards.map(({ count }) => count));
}

export function guardsSentence(guards: SyncView['guards']) {
  const parts = guards.map(({ guard, count }) => (count === 1 ? guard : `${guard} (${grouped(count)} groups)`));
  return parts.length === 0 ? '' : `Guards that object: ${parts.join(', ')}.`;
}

/** Members who are removed or banned. */
export function leavingIn(totals: SyncView['totals']) {
  return totals === null ? 0 : totals.actions.remove + totals.actions.ban;
}

/** Returns the share of the membership that would leave. */
export function shareOf(totals: SyncView['totals']) {
  const leaving = leavingIn(totals);
  if (totals === null || leaving === 0 || totals.members === 0) return '';
  const percent = Math.round((leaving / totals.members) * 100);
  return `: ${grouped(leaving)} of ${counted(totals.members, 'member')} (${percent === 0 ? 'less than 1' : percent} %) would leave`;
}
