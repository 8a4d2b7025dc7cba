import { z } from 'zod';
import { inputNote } from '../../../api/fields.ts';
import { type PlanFlags, planFlags } from '../../../api/sync-entry.ts';
import type { IntakeNote } from '../../../imports/read/notes.ts';
import { scopeId, scopeOf } from '../../../imports/record/enum-ids.ts';
import { SURVEY_SCHEMA } from '../../../imports/schemas.ts';
import type { Region } from '../../../membership/membership.ts';
import { PLAN_ACTIONS, type PlanActionName, type PlanReason } from '../../../membership/plan-words.ts';
import { CREATE_FIELDS } from '../../../options/create-options.ts';
import { openForReading, readStatements, statementsOf } from '../../../platform/sqlite.ts';
import { type Finding, newGroup, type PlanAction, type PlanGroup } from '../api-plan.ts';
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
export interface PlanFacts {
  /** The input as the user named it. */
  readonly file: string;
  /** Hash of its bytes, as the caller computes it. */
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
  readonly rows: number;
  /** Rows among them that are invalid; duplicates are not. */
  readonly invalid: number;
  /** Fields that the file has a column for. */
  readonly fields: readonly string[];
  /** Remarks on the file for a person. */
  readonly notes: readonly IntakeNote[];
  /** Null until the plan is made. */
  readonly flags: PlanFlags | null;
  /** ms since 1970; null until the plan is made. */
  readonly plannedAt: number | null;
}

/** A group that is not there, as it would be created. */
type NewGroup = NonNullable<PlanGroup['creates']>;

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

/** An action that sends something. */
export interface PlannedChange extends PlanAction {
  /** Row of the staged file that asks for it; null where no row does. */
  readonly row: number | null;
  /** Number of its group in the staged file. */
  readonly group: number;
  /** The group is created first. */
  readonly isNew: boolean;
}

/** A plan's file, open for anyone to read. */
export interface PlanReader {
  facts(): PlanFacts;
  /** In the order of the file. */
  groups(): PlanGroup[];
  /** Actions in the order of the groups, then by UID; one at a time, not kept in memory. */
  actions(chosen?: ReadonlySet<PlanActionName>): IteratorObject<PlanAction>;
  /** Actions that send something, in the same order. */
  changes(): IteratorObject<PlannedChange>;
  findings(): Finding[];
  /** Counts the members that it reports and leaves as they are, by reason. */
  reported(): (Pick<PlanAction, 'reason' | 'sentence'> & { readonly users: number })[];
  /** Undefined where nothing may be created. */
  creating(): PlanCreating | undefined;
  /** All users in a group when it was listed, by UID, one at a time. */
  live(group: GroupName): IteratorObject<{ readonly uid: string; readonly place: Place }>;
  /** Numbers of the groups where a user is spared only because the owner was not asked for yet: ask, and plan again. */
  ownersNeeded(): number[];
  /**
   * Numbers of the groups with changes, or with changes that only wait for the owner, whose banned users are not known yet: a ban might be lifted by mistake, or made again. Ask (it takes a
   * call for each group), and plan again.
   */
  bansNeeded(): number[];
  close(): void;
}

export function openPlanReader(path: string): PlanReader {
  return planReader(openForReading(path, PLAN_SCHEMA));
}

const names = z.array(z.string());
const notes = z.array(inputNote);
const READING = new URL('plan-reading.sql', import.meta.url);

/** Reads a plan by a connection that is open already. */
export function planReader(database: PlanDatabase): PlanReader {
  const sql = statementsOf(database, READING);
  // Prepared again, because a statement that is being read cannot be asked a second time.
  const prepared = (name: string) => database.prepare(readStatements(READING).get(name) ?? '');
  return {
    facts: () => {
      const row = sql<FactsRow>('facts').get();
      if (row === undefined) throw new Error('the plan has no source yet: it was not begun');
      const { flags, fields, notes: known, planned_at: plannedAt, ...rest } = row;
      return {
        ...rest,
        fields: names.parse(JSON.parse(fields)),
        notes: notes.parse(JSON.parse(known)),
        flags: flags === null ? null : planFlags.parse(JSON.parse(flags)),
        plannedAt,
      };
    },
    groups: () => sql('group_counts').all().map(groupOf),
    actions: (chosen = new Set(PLAN_ACTIONS)) =>
      Iterator.from(prepared('actions_chosen').iterate({ actions: JSON.stringify([...chosen]) })).map(actionOf),
    changes: () =>
      Iterator.from(prepared('changes').iterate()).map((row) => ({
        ...actionOf(row),
        row: row['row_id'] as number | null,
        group: Number(row['group_id']),
        isNew: row['is_new'] === 1,
      })),
    creating: () => {
      const json = sql('creating').get()?.['creating'];
      return typeof json === 'string' ? planCreating.parse(JSON.parse(json)) : undefined;
    },
    findings: () =>
      sql<Omit<Finding, 'limit'> & { readonly allowed: Finding['limit'] }>('findings')
        .all()
        .map(({ allowed, ...rest }) => ({ ...rest, limit: allowed })),
    reported: () =>
      sql('reported')
        .all()
        .map((row) => {
          const reason = row['reason'] as PlanReason;
          const [from, to] = [placeOf(Number(row['from_id'])), placeOf(Number(row['to_id']))];
          return { reason, sentence: reasonSentence(reason, from, to), users: Number(row['n']) };
        }),
    live: ({ region, guid }) =>
      Iterator.from(sql('live_of_group').iterate({ region, guid })).map(({ uid, state }) => ({
        uid: String(uid),
        place: placeOf(Number(state)),
      })),
    ownersNeeded: () =>
      sql<{ readonly id: number }>('owners_needed')
        .all()
        .map(({ id }) => id),
    bansNeeded: () =>
      sql<{ readonly id: number }>('bans_needed')
        .all()
        .map(({ id }) => id),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

interface FactsRow extends Omit<PlanFacts, 'fields' | 'notes' | 'flags' | 'plannedAt'> {
  readonly fields: string;
  readonly notes: string;
  readonly flags: string | null;
  readonly planned_at: number | null;
}

type Row = Readonly<Record<string, unknown>>;

function groupOf(row: Row): PlanGroup {
  const n = (name: string) => Number(row[name]);
  return {
    region: row['region'] as Region,
    guid: String(row['guid']),
    listing: row['listing'] as PlanGroup['listing'],
    code: String(row['code']),
    message: String(row['message']),
    owner: row['owner'] as string | null,
    wanted: n('wanted'),
    members: n('members'),
    actions: {
      add: n('adds'),
      change: n('changes'),
      keep: n('keeps'),
      remove: n('removes'),
      ban: n('bans'),
      report: n('reports'),
    },
    right: n('correct'),
    leaving: n('leaving'),
    lowered: n('lowered'),
    staying: n('staying'),
    ownerHit: n('owner_hit') > 0,
    contested: n('contested'),
    ...newGroupOf(row),
  };
}

/** Returns the new group of a row with the column `creates`. */
export function newGroupOf(row: Row): { readonly creates?: NewGroup } {
  const json = row['creates'];
  return typeof json === 'string' ? { creates: newGroup.parse(JSON.parse(json)) } : {};
}

/** A row of actions_chosen, or one with the same columns. */
export function actionOf(row: Row): PlanAction {
  const from = placeOf(Number(row['from_id']));
  const to = placeOf(Number(row['to_id']));
  const reason = row['reason'] as PlanReason;
  return {
    region: row['region'] as Region,
    guid: String(row['guid']),
    uid: String(row['uid']),
    action: row['action'] as PlanActionName,
    from,
    to,
    reason,
    sentence: reasonSentence(reason, from, to),
    line: row['line'] as number | null,
  };
}

/** 0: not in the group; the other numbers are the ledger's. */
function placeOf(id: number): Place {
  return id === 0 ? '' : scopeOf(id);
}

export function placeId(place: Place): number {
  return place === '' ? 0 : scopeId(place);
}
