/** Rules of pages that have a plan: the options that its fields stand for, and what a person decides about. Pure. */

import { MAX_UIDS_PER_CALL } from '../../../chat/service/limits.ts';
import type { PlanTotals, Settings, Values } from '../../../console/answers.ts';
import { appIn } from '../../../console/import-words.ts';
import { creatingOptions } from '../../../console/view/upload/file-options.ts';
import { PLAN_CHECKS } from '../../../options/labels.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';

/** Options of a plan. */
const PLAN = ['mode', 'missing', 'whose', 'left', 'changed', 'protect', 'removeNamed', ...Object.keys(PLAN_CHECKS)];

/** The options that have a field, by those that are chosen. */
export function planFields({ mode, missing = '' }: Values) {
  const left = [mode !== 'mirror' && 'missing', (mode !== 'mirror' || missing === '') && 'whose'];
  return PLAN.filter((name) => !left.includes(name));
}

/** Before the name of a limit. */
export const LIMIT = 'limit.';

/** The options of a plan that the fields stand for, as the server takes them. */
export function planOptions(values: Values): Record<string, string> {
  const shown = planFields(values);
  const named = Object.entries(values).filter(([name]) => shown.includes(name) || name.startsWith(LIMIT));
  return { missing: '', whose: '', ...Object.fromEntries(named), ...creatingOptions(values) };
}

/** Additions share calls; each other change has its own. @param configured the apps of the server */
export function takenBy({ changes, groups, actions, create, regions }: PlanTotals, configured: Settings['apps'] = {}) {
  const calls = Math.ceil(actions.add / MAX_UIDS_PER_CALL) + (changes - actions.add) + (create?.calls ?? 0);
  const used = Object.entries(configured).filter(([region]) => regions?.some((one) => one === region) ?? true);
  return { rows: changes, groups, calls, apps: used.map(([region, { appId }]) => appIn(region, appId)) };
}

export function guardsSentence(guards: SyncView['guards']) {
  const parts = guards.map(({ guard, count }) => (count === 1 ? guard : `${guard} (${grouped(count)} groups)`));
  return parts.length === 0 ? '' : `Guards that object: ${parts.join(', ')}.`;
}

/** Notes about what still happens count until the sync is over. */
export function notesOf({ finishedAt, notes }: Pick<SyncView, 'finishedAt' | 'notes'>) {
  return finishedAt === null ? notes : notes.filter(({ code }) => code !== 'FIRST_RUN');
}

/** The last decision about a plan; `by` is empty where nobody made it. */
export function decisionOf({ state, approved, moves }: Pick<SyncView, 'state' | 'approved' | 'moves'>) {
  const last = moves.at(-1);
  if (state === 'rejected' && last !== undefined) return { what: 'Rejected', by: last.who, reason: last.reason };
  return approved === null ? undefined : { what: 'Approved', by: approved.by, reason: approved.reason };
}

/** Members who are removed or banned. */
export function leavingIn({ actions }: PlanTotals) {
  return actions.remove + actions.ban;
}

/** Returns the share of the membership that would leave. */
export function shareOf(totals: PlanTotals) {
  const leaving = leavingIn(totals);
  if (leaving === 0 || totals.members === 0) return '';
  const percent = Math.round((leaving / totals.members) * 100);
  return `: ${grouped(leaving)} of ${counted(totals.members, 'member')} (${percent === 0 ? 'less than 1' : percent} %) would leave`;
}
