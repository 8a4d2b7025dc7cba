import { z } from 'zod';
import { inputNote } from '../../../api/fields.ts';
import { scopeId, scopeOf } from '../../../imports/record/enum-ids.ts';
import { SURVEY_SCHEMA } from '../../../imports/schemas.ts';
import { foldId, type Region } from '../../../membership/membership.ts';
import { PLAN_ACTIONS, type PlanActionName } from '../../../membership/plan-words.ts';
import { CREATE_FIELDS } from '../../../options/create-options.ts';
import { openForReading, statementsOf } from '../../../platform/sqlite.ts';
import { type Finding, newGroup, type PlanAction, type PlanGroup, planDocument } from '../api-plan.ts';
import { type Place, reasonSentence } from './reasons.ts';

/** The tables of a plan's file. */
export const PLAN_SCHEMA = [SURVEY_SCHEMA, new URL('plan-schema.sql', import.meta.url)];

/** A connection to a plan's file. */
export type PlanDatabase = ReturnType<typeof openForReading>;

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
    /** Remarks on the file for a person. */
    notes: z.array(inputNote).readonly(),
    /** ms since 1970; null until the plan is made. */
    plannedAt: z.int().nullable(),
  });
export type PlanFacts = Readonly<z.infer<typeof planFacts>>;

/** Users who would be added and whom the service does not find. */
const missingUsers = z.strictObject({
  unknown: z.number(),
  deactivated: z.number(),
  /** UIDs of some who are unknown. */
  first: z.array(z.string()).readonly(),
});
export type MissingUsers = z.infer<typeof missingUsers>;

/** The users and groups that a sync may create beside its changes. */
const planCreating = z.strictObject({
  may: z.strictObject({ users: z.boolean(), groups: z.boolean(), reactivate: z.boolean() }),
  /** Most users and groups. */
  limits: z.strictObject({ users: z.number(), groups: z.number() }),
  /** The fields for which the file has a column. */
  fields: z.array(z.enum(CREATE_FIELDS)).readonly(),
  /** Null where the users were not looked up. */
  missing: missingUsers.nullable(),
});
export type PlanCreating = z.infer<typeof planCreating>;

/** A plan's file, open for anyone to read. */
export type PlanReader = ReturnType<typeof planReader>;

/** An action that sends something. */
export type PlannedChange = ReturnType<PlanReader['changes']> extends IteratorObject<infer Change> ? Change : never;

export function openPlanReader(path: string): PlanReader {
  return planReader(openForReading(path, PLAN_SCHEMA));
}

const READING = new URL('plan-reading.sql', import.meta.url);

interface ChangeRow extends ActionRow {
  /** Row of the staged file that asks for it; null where no row does. */
  readonly row: number | null;
  /** Number of its group in the staged file. */
  readonly group: number;
  /** 1 where the group is created first. */
  readonly isNew: number;
}

/** Reads a plan by a connection that is open already. */
export function planReader(database: PlanDatabase) {
  const sql = statementsOf(database, READING);
  // Prepared again, because a statement that is being read cannot be asked a second time.
  const iterated = <Row>(name: string, given = {}) =>
    Iterator.from(statementsOf(database, READING)<Row>(name).iterate(given));
  const groupNumbers = (name: string) =>
    sql<{ readonly id: number }>(name)
      .all()
      .map(({ id }) => id);
  const objections = (limit = -1) => sql<StoredObjection>('objections').all({ limit });
  return {
    facts: (): PlanFacts => {
      const row = sql<Readonly<Record<'fields' | 'notes' | 'flags', string>>>('facts').get();
      if (row === undefined) throw new Error('the plan has no source yet: it was not begun');
      const [fields, notes, flags] = [row.fields, row.notes, row.flags].map((json) => JSON.parse(json));
      return planFacts.parse({ ...row, fields, notes, flags });
    },
    /** In the order of the file, behind a number (0: from the first). */
    groups: (after = 0, limit = -1) => sql<GroupRow>('group_counts').all({ after, limit }).map(groupOf),
    /** Actions in the order of the groups, then by UID; one at a time, not kept in memory. */
    actions: (chosen: Iterable<PlanActionName> = PLAN_ACTIONS): IteratorObject<PlanAction> =>
      iterated<ActionRow>('actions_chosen', { actions: JSON.stringify([...chosen]) }).map(actionOf),
    /** Actions that send something, in the same order. */
    changes: () => iterated<ChangeRow>('changes').map((row) => ({ ...actionOf(row), isNew: row.isNew === 1 })),
    /** Undefined where nothing may be created. */
    creating: (): PlanCreating | undefined => {
      const json = sql('creating').get()?.['creating'];
      return typeof json === 'string' ? planCreating.parse(JSON.parse(json)) : undefined;
    },
    /** Returns what the guards say, in their order. */
    objections,
    findings: (limit?: number) => objections(limit).map(findingOf),
    /** Counts the members that it reports and leaves as they are, by reason. */
    reported: () =>
      sql<Pick<ActionRow, 'reason' | 'from' | 'to'> & { readonly users: number }>('reported').all().map(actionOf),
    /** All users in a group when it was listed, by UID, one at a time. */
    live: ({ region, guid }: GroupName) =>
      iterated<{ readonly uid: string; readonly place: number }>('live_of_group', { region, guid }).map(
        ({ uid, place }) => ({
          uid,
          place: placeOf(place),
        }),
      ),
    /** Numbers of the groups where a user is spared only because the owner was not asked for yet: ask, and plan again. */
    ownersNeeded: () => groupNumbers('owners_needed'),
    /**
     * Numbers of the groups with changes, or with changes that only wait for the owner, whose banned users are not known yet: a ban might be lifted by mistake, or made again. Ask (it takes a
     * call for each group), and plan again.
     */
    bansNeeded: () => groupNumbers('bans_needed'),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** An objection of a guard: `what` is its sentence without the remedy. */
export type StoredObjection = Omit<Finding, 'sentence'> & { readonly what: string; readonly remedy: string };

/** The objection in two sentences. */
export function findingOf({ what, remedy, ...objection }: StoredObjection): Finding {
  return { ...objection, sentence: `${what} ${remedy}` };
}

interface GroupRow
  extends Omit<PlanGroup, 'actions' | 'ownerHit' | 'creates'>,
    Readonly<Record<PlanActionName, number>> {
  readonly id: number;
  readonly ownerHit: number;
  /** JSON. */
  readonly creates: string | null;
}

function groupOf({ add, change, keep, remove, ban, report, ownerHit, creates, ...group }: GroupRow) {
  return {
    ...group,
    actions: { add, change, keep, remove, ban, report },
    ownerHit: ownerHit > 0,
    ...(creates !== null && { creates: newGroup.parse(JSON.parse(creates)) }),
  };
}

export interface ActionRow extends Omit<PlanAction, 'from' | 'to' | 'sentence'> {
  readonly from: number;
  readonly to: number;
}

/** The places as words, and the reason as a sentence. */
export function actionOf<Row extends Pick<ActionRow, 'reason' | 'from' | 'to'>>(
  row: Row,
): Omit<Row, 'from' | 'to'> & Pick<PlanAction, 'from' | 'to' | 'sentence'> {
  const [from, to] = [placeOf(row.from), placeOf(row.to)];
  return { ...row, from, to, sentence: reasonSentence(row.reason, from, to) };
}

/** 0: not in the group; the other numbers are the ledger's. */
function placeOf(id: number): Place {
  return id === 0 ? '' : scopeOf(id);
}

export function placeId(place: Place): number {
  return place === '' ? 0 : scopeId(place);
}

/** The same for all spellings of a group's name. */
export function groupKey({ region, guid }: GroupName): string {
  return `${region} ${foldId(guid)}`;
}
