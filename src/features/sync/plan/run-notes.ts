import type { IntakeNote } from '../../../imports/read/notes.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { PlanGroup } from '../api-plan.ts';
import { changesOf } from './plan-totals.ts';
import { gainsOf } from './size-guards.ts';

/** Fewer messages than this are never a concern. */
const FEW_MESSAGES = 100;
const TIMES_USUAL = 3;

/** For a first run that adds more than a later one might. */
export function firstRun(groups: readonly PlanGroup[]): IntakeNote {
  const members = groups.reduce((sum, group) => sum + gainsOf(group), 0);
  const text = `No run of this sync has been carried out before, so the guards let it add or raise any number of members: here ${grouped(members)}`;
  return { code: 'FIRST_RUN', text };
}

/** For a run that would write many more messages than others of the same sync. @param before changes of these runs */
export function moreMessages(groups: readonly PlanGroup[], before: readonly number[]): IntakeNote[] {
  const messages = groups.reduce((sum, group) => sum + changesOf(group), 0);
  const usual = before.toSorted((a, b) => a - b)[Math.floor(before.length / 2)];
  if (usual === undefined || messages < FEW_MESSAGES || messages <= usual * TIMES_USUAL) return [];
  const runs =
    before.length === 1 ? 'the last run planned' : `the median of the last ${counted(before.length, 'run')} is`;
  const text = `Up to ${counted(messages, 'message')} would be written into groups, more than usual: ${runs} ${grouped(usual)}`;
  return [{ code: 'MORE_MESSAGES', text }];
}
