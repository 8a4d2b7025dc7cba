import type { PlanAction } from '../../api/plan.ts';
import { inChunks } from '../../text/chunks.ts';
import { csvLine } from '../../text/csv-line.ts';
import { harmless, importable } from '../../text/spreadsheet.ts';
import type { ActionChoice, PlanReader } from './plan-reading.ts';
import { groupProblem } from './plan-totals.ts';
import { CHANGES } from './reasons.ts';

/** Columns of a plan. */
const PLAN_COLUMNS = ['region', 'group', 'uid', 'action', 'from', 'to', 'reason'] as const;

/** Columns of the input that an applied plan is imported from; read with the import option `edits`. */
export const CHANGES_COLUMNS = ['region', 'guid', 'uid', 'scope', 'action', 'from', 'reason'] as const;

type Reading = Pick<PlanReader, 'actions' | 'groups'>;

/**
 * The plan as CSV: PLAN_COLUMNS, one line for every action that is chosen, in the order of the groups; a group that could
 * not be listed has one line without a UID, whatever is chosen. Yields chunks of some 64 KB.
 * Cells that a spreadsheet would run as a formula are made text by an apostrophe (`harmless`).
 */
export function planCsv(plan: Reading, choice?: ActionChoice): Generator<string> {
  return inChunks(planLines(plan, choice));
}

function* planLines(plan: Reading, choice: ActionChoice | undefined): Generator<string> {
  yield csvLine(PLAN_COLUMNS, ',');
  for (const group of plan.groups()) {
    const problem = groupProblem(group);
    if (problem !== '' && concerns(choice, group.region, group.guid)) {
      yield csvLine([group.region, group.guid, '', 'report', '', '', problem].map(harmless), ',');
    }
  }
  for (const { region, guid, uid, action, from, to, sentence } of plan.actions(choice)) {
    yield csvLine([region, guid, uid, action, from, to, sentence].map(harmless), ',');
  }
}

function concerns(choice: ActionChoice | undefined, region: string, guid: string): boolean {
  const group = choice?.group;
  return group === undefined || (group.region === region && group.guid.toLowerCase() === guid.toLowerCase());
}

/**
 * The plan's changes as the input of an import: CHANGES_COLUMNS, `action` being add, change, remove or unban. A ban is an
 * `add` with the scope `ban`; a removal has no scope, nor has lifting a ban of somebody who is to be no member. `from` is the place before, empty for nobody and `ban` for a banned one:
 * what an undo goes by. Yields chunks of some 64 KB.
 * @param chosen which of the changes; default: all
 *
 * Ids of the kind that intake accepts are given as they are, also where they begin like a formula (see retryReport).
 */
export function changesCsv(plan: Reading, chosen: (change: PlanAction) => boolean = () => true): Generator<string> {
  return inChunks(changeLines(plan, chosen));
}

function* changeLines(plan: Reading, chosen: (change: PlanAction) => boolean): Generator<string> {
  yield csvLine(CHANGES_COLUMNS, ',');
  for (const change of plan.actions({ actions: CHANGES }).filter(chosen)) {
    const { region, guid, uid, from, to, sentence } = change;
    const cells = [region, guid, uid, to, editOf(change), from, sentence];
    yield csvLine(cells.map(importable), ',');
  }
}

function editOf({ action, to }: Pick<PlanAction, 'action' | 'to'>): string {
  if (action === 'ban') return 'add';
  return action === 'change' && to === '' ? 'unban' : action;
}
