import type { Finding, PlanAction, PlanGroup } from '../../api/plan.ts';
import { scopeId, scopeOf } from '../../imports/record/enum-ids.ts';
import type { Region } from '../../membership/membership.ts';
import { PLAN_ACTIONS, type PlanActionName, type PlanReason } from '../../membership/plan-words.ts';
import { openForReading, readStatements, statementsOf } from '../../platform/sqlite.ts';
import { flagsFromJson, type PlanFlags } from '../plan-flags.ts';
import { type Place, reasonSentence } from './reasons.ts';

/** A connection to a plan's file. */
export type PlanDatabase = ReturnType<typeof openForReading>;

export interface GroupName {
  readonly region: Region;
  readonly guid: string;
}

/** What a plan was made from. */
export interface PlanFacts {
  /** The input as the user named it. */
  readonly file: string;
  /** Of its bytes, as the caller computes it. */
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
  readonly rows: number;
  /** Rows among them that are invalid; duplicates are not. */
  readonly invalid: number;
  /** Fields that the file has a column for. */
  readonly fields: readonly string[];
  /** Null until the plan is made. */
  readonly flags: PlanFlags | null;
  /** ms since 1970; null until the plan is made. */
  readonly plannedAt: number | null;
}

export interface ActionChoice {
  readonly actions?: ReadonlySet<PlanActionName>;
  readonly group?: GroupName;
}

/** A plan's file, open for anyone to read. */
export interface PlanReader {
  facts(): PlanFacts;
  /** In the order of the file. */
  groups(): PlanGroup[];
  /** Actions in the order of the groups, then by UID; one at a time, not kept in memory. */
  actions(choice?: ActionChoice): IteratorObject<PlanAction>;
  findings(): Finding[];
  /** Everybody in a group when it was listed, by UID, one at a time. */
  live(group: GroupName): IteratorObject<{ readonly uid: string; readonly place: Place }>;
  /** Groups where somebody is spared only because nobody has asked who the owner is: ask, and plan once more. */
  ownersNeeded(): GroupName[];
  /**
   * Groups in which something is to be changed and nobody has asked who is banned: a ban might be lifted unasked there, or
   * made once more. Ask where that matters (it takes a call for each group), and plan once more.
   */
  bansNeeded(): GroupName[];
  close(): void;
}

export function openPlanReader(path: string): PlanReader {
  return planReader(openForReading(path));
}

const READING = new URL('plan-reading.sql', import.meta.url);

/** Reads a plan by a connection that is open already. */
export function planReader(database: PlanDatabase): PlanReader {
  const sql = statementsOf(database, READING);
  return {
    facts: () => {
      const row = sql('facts').get();
      if (row === undefined) throw new Error('the plan has no source yet: it was not begun');
      const { flags, fields, planned_at: plannedAt, ...rest } = row;
      return {
        ...rest,
        fields: JSON.parse(String(fields)),
        flags: flags === null ? null : flagsFromJson(String(flags)),
        plannedAt,
      } as PlanFacts;
    },
    groups: () => sql('group_tallies').all().map(groupOf),
    actions: ({ actions = new Set(PLAN_ACTIONS), group } = {}) => {
      const span =
        group === undefined ? { first: 0, last: Number.MAX_SAFE_INTEGER } : sql('span_of_group').get({ ...group });
      // Prepared again, because a statement that is being read cannot be asked a second time.
      const chosen = database.prepare(readStatements(READING).get('actions_chosen') ?? '');
      const { first = 1, last = 0 } = span ?? {};
      return Iterator.from(chosen.iterate({ actions: JSON.stringify([...actions]), first, last })).map(actionOf);
    },
    findings: () =>
      sql('findings')
        .all()
        .map(({ allowed, ...rest }) => ({ ...rest, limit: allowed }) as unknown as Finding),
    live: ({ region, guid }) =>
      Iterator.from(sql('live_of_group').iterate({ region, guid })).map(({ uid, state }) => ({
        uid: String(uid),
        place: placeOf(Number(state)),
      })),
    ownersNeeded: () => sql('owners_needed').all() as unknown as GroupName[],
    bansNeeded: () => sql('bans_needed').all() as unknown as GroupName[],
    close: () => {
      if (database.isOpen) database.close();
    },
  };
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
  };
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

/** 0 stands for nobody; the other numbers are the ledger's. */
export function placeOf(id: number): Place {
  return id === 0 ? '' : scopeOf(id);
}

export function placeId(place: Place): number {
  return place === '' ? 0 : scopeId(place);
}
