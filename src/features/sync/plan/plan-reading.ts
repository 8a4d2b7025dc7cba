import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { inputNote } from '../../../api/fields.ts';
import { scopeId, scopeOf } from '../../../imports/record/enum-ids.ts';
import { SURVEY_SCHEMA } from '../../../imports/schemas.ts';
import { foldId, type Region } from '../../../membership/membership.ts';
import { type Place, reasonSentence } from '../../../membership/plan-reasons.ts';
import { CHANGES, PLAN_ACTIONS, type PlanActionName } from '../../../membership/plan-words.ts';
import { cursorContent, cursorText, numberCursor, pageOf } from '../../../platform/cursors.ts';
import { documentsOf, openForReading, type Statements, statementsOf } from '../../../platform/sqlite.ts';
import {
  type Finding,
  type GuardFinding,
  type GuardObjections,
  newGroup,
  type PlanAction,
  type PlanGroup,
  planDocument,
  type SyncGroup,
  syncGroup,
} from '../api.ts';
import type { syncOperations } from '../operations.ts';
import { groupProblem, planCreating, planTotals } from './plan-totals.ts';

export const PLAN_SCHEMA = [SURVEY_SCHEMA, new URL('plan-schema.sql', import.meta.url)];

export interface GroupName {
  readonly region: Region;
  readonly guid: string;
}

/** The origin of a plan. */
const planFacts = planDocument
  .pick({ file: true, hash: true, size: true, rows: true, invalid: true, flags: true })
  .extend({
    /** Fields that the file has a column for. */
    fields: z.array(z.string()).readonly(),
    notes: z.array(inputNote).readonly(),
    /** ms since 1970; null until the plan is made. */
    plannedAt: z.int().nullable(),
  });
export type PlanFacts = Readonly<z.infer<typeof planFacts>>;

/** The place of an action in a plan: the number of its group, and its UID. No UID is empty: that is the place before a group's first. */
const actionPlace = z.strictObject({ group: z.int().nonnegative(), uid: z.string() });

/** The place of an objection among those of its guard, the worst first. */
const findingPlace = z.strictObject({ value: z.number(), id: z.int() });
type FindingRow = GuardFinding & z.infer<typeof findingPlace> & { readonly remedy: string };
const WORST = { value: Number.POSITIVE_INFINITY, id: 0 };

/** A plan's file, open for anyone to read. */
export type PlanReader = ReturnType<typeof planReader>;

export type ChangedPlace = Pick<PlanAction, 'region' | 'guid' | 'uid'>;
/** Chooses changes of a plan, which has one for a user in a group. */
export type ChangeChoice = (change: ChangedPlace) => boolean;

export function openPlanReader(path: string) {
  return planReader(openForReading(path, PLAN_SCHEMA));
}

export async function readingPlan<Result>(path: string, read: (plan: PlanReader) => Result | Promise<Result>) {
  using plan = openPlanReader(path);
  return await read(plan);
}

const READING = new URL('plan-reading.sql', import.meta.url);

/** An action as it is stored. */
export interface ActionRow extends Omit<PlanAction, 'from' | 'to' | 'sentence'> {
  readonly from: number;
  readonly to: number;
  /** Row of the staged file that asks for it; null where no row does. */
  readonly row: number | null;
  /** Number of its group, also in the staged file. */
  readonly group: number;
  /** 1: its group is created first. */
  readonly isNew: number;
}

export function planReader(database: DatabaseSync) {
  const sql = statementsOf(database, READING);
  // Prepared again, because a statement that is being read cannot be asked a second time.
  const iterated = <Row>(name: string, given = {}) =>
    Iterator.from(statementsOf(database, READING)<Row>(name).iterate(given));
  const groupNumbers = (name: string) =>
    sql<{ readonly id: number }>(name)
      .all()
      .map(({ id }) => id);
  const facts = () => {
    const [found] = documentsOf(sql, planFacts)('facts');
    if (found === undefined) throw new Error('the plan has no source yet: it was not begun');
    return found;
  };
  /** Undefined where nothing may be created. */
  const creating = () => documentsOf(sql, planCreating)('creating')[0];
  const objections = (limit = -1) => sql<StoredObjection>('objections').all({ limit });
  /** In the order of the file, behind a number (0: from the first). */
  const groups = (after = 0, limit = -1) => sql<GroupRow>('group_counts').all({ after, limit }).map(groupOf);
  const allOf = (actions: Iterable<PlanActionName>) =>
    iterated<ActionRow>('actions', {
      actions: JSON.stringify([...actions]),
      group: 0,
      uid: '',
      last: Number.MAX_SAFE_INTEGER,
      limit: -1,
    });
  const close = () => database[Symbol.dispose]();
  return {
    facts,
    groups,
    /** Actions in the order of the groups, then by UID; one at a time, not kept in memory. */
    actions: (actions: Iterable<PlanActionName> = PLAN_ACTIONS) => allOf(actions).map(actionOf),
    /** Actions that send something, in the same order. */
    changes: () => allOf(CHANGES).map(placesOf),
    creating,
    totals: (all: readonly PlanGroup[] = groups()) => planTotals(all, creating(), facts().invalid),
    objections,
    findings: (limit?: number) => objections(limit).map(findingOf),
    /** Counts the members that it reports and leaves as they are, by reason. */
    reported: () =>
      sql<Pick<ActionRow, 'reason' | 'from' | 'to'> & { readonly users: number }>('reported').all().map(placesOf),
    /** Numbers of the groups in which these changes change or remove memberships: where they only add people, nothing can be lost. */
    losingGroups: (chosen: ChangeChoice) => {
      const losses = iterated<ChangedPlace & { readonly group: number }>('losses').filter(chosen);
      return [...new Set(losses.map(({ group }) => group))];
    },
    /** All users in a group when it was listed, by UID, one at a time. */
    live: (group: number) =>
      iterated<GroupName & { readonly uid: string; readonly place: number }>('live_of_group', { group }),
    /** Numbers of the groups where a user is spared only because the owner was not asked for yet: ask, and plan again. */
    ownersNeeded: () => groupNumbers('owners_needed'),
    /** Those with changes, now or once the owner is known, where a ban might be lifted by mistake, or made again. */
    bansNeeded: () => groupNumbers('bans_needed'),
    ...pagesOf(sql, groups),
    close,
    [Symbol.dispose]: close,
  };
}

type Asked<Name extends 'groups' | 'actions' | 'findings'> = z.output<(typeof syncOperations)[Name]['query']>;

/** A process with other work reads a page group by group, and lets that work run between. */
function pagesOf(sql: Statements, groups: (after: number, limit: number) => ReturnType<typeof groupOf>[]) {
  /** The worst first. */
  const findingsOf = (guard: string, search: string, cursor: string | undefined, limit: number) =>
    sql<FindingRow>('findings_page').all({ guard, search, ...(cursorContent(findingPlace, cursor) ?? WORST), limit });
  return {
    /** Groups in the order of the file: all, or those that have one of the actions or could not be listed. */
    groupPage: async ({ action, cursor, limit }: Asked<'groups'>) => {
      const found: SyncGroup[] = [];
      for (let place = numberCursor(cursor) ?? 0; ; await setImmediate()) {
        const [group] = groups(place, 1);
        if (group === undefined) return { groups: found, nextCursor: null };
        const problem = groupProblem(group);
        if (action === undefined || problem !== '' || action.some((one) => group.actions[one] > 0)) {
          if (found.length === limit) return { groups: found, nextCursor: String(place) };
          found.push(syncGroup.strip().parse({ ...group, problem }));
        }
        place = group.id;
      }
    },
    /** Actions in the order of the groups, then by UID. The GUID is a whole one, without regard to case. */
    actionPage: async ({ action = PLAN_ACTIONS, region, guid, cursor, limit }: Asked<'actions'>) => {
      const actions = JSON.stringify(action);
      const where = { region: region ?? null, guid: guid ?? null };
      const found: ActionRow[] = [];
      let { group, uid } = cursorContent(actionPlace, cursor) ?? { group: 0, uid: '' };
      for (; found.length <= limit; await setImmediate()) {
        const last = sql<{ readonly id: number }>('next_group').get({ group, ...where })?.id;
        if (last === undefined) break;
        const place = { group: last, uid: last === group ? uid : '', last, limit: limit + 1 - found.length };
        found.push(...sql<ActionRow>('actions').all({ ...place, actions }));
        [group, uid] = [last + 1, ''];
      }
      const { items, nextCursor } = pageOf(found, limit, (row) => cursorText({ group: row.group, uid: row.uid }));
      return { actions: items.map(actionOf), nextCursor };
    },
    /** Objections of a guard, the worst first. */
    findingPage: ({ guard, search = '', cursor, limit }: Asked<'findings'>) => {
      const found = findingsOf(guard, search, cursor, limit + 1);
      const { items, nextCursor } = pageOf(found, limit, ({ value, id }) => cursorText({ value, id }));
      return { findings: items.map(guardFindingOf), nextCursor };
    },
    /** The numbers of each guard's objections: hundreds of groups are one objection of one guard. In the order of the guards. */
    guards: () =>
      sql<Pick<GuardObjections, 'guard' | 'count' | 'total'>>('guard_counts')
        .all()
        .flatMap((counted) =>
          findingsOf(counted.guard, '', undefined, 1).map((worst) => ({
            ...counted,
            remedy: worst.remedy,
            worst: guardFindingOf(worst),
          })),
        ),
    unknownGroups: () => Number(sql('unknown_groups').get()?.['groups'] ?? 0),
  };
}

/** An objection of a guard: `what` is its sentence without the remedy. */
export type StoredObjection = Omit<Finding, 'sentence'> & { readonly what: string; readonly remedy: string };

/** The objection in two sentences. */
export function findingOf({ what, remedy, ...objection }: StoredObjection) {
  return { ...objection, sentence: `${what} ${remedy}` };
}

/** The objection in the list of its guard, whose remedy is said once. */
function guardFindingOf({ id: _, remedy: __, ...finding }: FindingRow) {
  return finding;
}

interface GroupRow extends Omit<PlanGroup, 'actions' | 'ownerHit' | 'creates'> {
  readonly id: number;
  readonly ownerHit: number;
  /** JSON, as is what follows. */
  readonly actions: string;
  readonly creates: string | null;
}

function groupOf({ actions, ownerHit, creates, ...group }: GroupRow) {
  return {
    ...group,
    actions: JSON.parse(actions) as PlanGroup['actions'],
    ownerHit: ownerHit > 0,
    ...(creates !== null && { creates: newGroup.parse(JSON.parse(creates)) }),
  };
}

function actionOf({ row: _, group: __, isNew: ___, ...action }: ActionRow) {
  return placesOf(action);
}

/** The places as words, and the reason as a sentence. */
function placesOf<Row extends Pick<ActionRow, 'reason' | 'from' | 'to'>>(
  row: Row,
): Omit<Row, 'from' | 'to'> & Pick<PlanAction, 'from' | 'to' | 'sentence'> {
  const [from, to] = [placeOf(row.from), placeOf(row.to)];
  return { ...row, from, to, sentence: reasonSentence(row.reason, from, to) };
}

/** 0: not in the group; the other numbers are the ledger's. */
export function placeOf(id: number): Place {
  return id === 0 ? '' : scopeOf(id);
}

export function placeId(place: Place) {
  return place === '' ? 0 : scopeId(place);
}

/** The same for all spellings of a group's name. */
export function groupKey({ region, guid }: GroupName) {
  return `${region} ${foldId(guid)}`;
}
