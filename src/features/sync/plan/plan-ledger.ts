import { existsSync } from 'node:fs';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import type { IntakeNote } from '../../../imports/read/intake-note.ts';
import { scopeId } from '../../../imports/record/enum-ids.ts';
import { IMPORT_SCHEMA } from '../../../imports/schemas.ts';
import { isScope, type Region } from '../../../membership/membership.ts';
import { LOOKUP_NAMES, LOOKUPS, type LookupName } from '../../../options/lookups.ts';
import {
  attachForReading,
  durably,
  inTransaction,
  openForWriting,
  type Statements,
  statementsOf,
} from '../../../platform/sqlite.ts';
import { counted } from '../../../text/wording.ts';
import type { Finding, PlanGroup } from '../api-plan.ts';
import {
  type GroupName,
  PLAN_SCHEMA,
  type PlanCreating,
  type PlanDatabase,
  type PlanFacts,
  type PlanReader,
  planReader,
} from './plan-reading.ts';

/** A user in a group, as the service lists it. */
export interface LiveMember {
  readonly uid: string;
  /** admin, moderator or participant; for a banned user, the earlier scope. Other words are refused. */
  readonly scope: string;
  /** Whether the list of the banned was read before; else see `recordBanned`. */
  readonly banned?: boolean;
  /** The service's time of joining, in its own unit; null if it gives none. */
  readonly joinedAt: number | null;
}

/** The service lists a member with a scope that rollcall does not know. */
export class UnknownScope extends RollcallError {
  constructor({ uid, scope }: LiveMember) {
    super(
      'UNKNOWN_SCOPE',
      `the service lists ${uid} with the scope ${JSON.stringify(scope)}; known are admin, moderator and participant`,
    );
  }
}

/** The file as it was read. */
type PlanSource = Pick<PlanFacts, 'file' | 'hash' | 'size'>;

/** A plan's file, open for the planner. */
export interface PlanLedger extends PlanReader {
  /** For the planner in this folder. */
  readonly database: PlanDatabase;
  /** Notes the groups that a staged file (its import ledger at `desired`) has members for. Once, at the beginning. */
  begin(desired: string, source: PlanSource): void;
  /** Notes the groups in which an import (its ledger at `undone`) may have done something. Instead of `begin`. */
  beginUndo(undone: string, source: PlanSource): void;
  /** Groups that have not been listed yet, in the order of the file. */
  groupsToList(): GroupName[];
  /**
   * Takes the whole list of a group's members, or nothing of it when `members` throws. Replaces an earlier listing.
   * Throws UnknownScope.
   */
  recordListed(group: GroupName, members: Iterable<LiveMember>): void;
  /** A group that does not exist, or whose list could not be read completely: it gets neither members nor actions. */
  recordUnlisted(
    group: GroupName,
    listing: 'not_found' | 'failed',
    why: { readonly code: string; readonly message: string },
  ): void;
  /** UIDs that are banned from a listed group. */
  recordBanned(group: GroupName, uids: Iterable<string>): void;
  /** The UID that owns the group; empty where it has no owner. */
  recordOwner(group: GroupName, owner: string): void;
  /** Missing groups to which rows of the staged file would add users; with their numbers in that file. */
  groupsToCreate(desired: string): (GroupName & { readonly id: number })[];
  /** The group is created before users are added. */
  recordCreates(group: number, as: NonNullable<PlanGroup['creates']>): void;
  recordCannotCreate(group: number, why: { readonly code: string; readonly message: string }): void;
  /** Users who would be added and may not exist: of the plan as it was made last, and those who were added here. */
  newcomers(): { readonly region: Region; readonly uid: string }[];
  /** Unless the user is in a group that was listed. */
  addNewcomer(region: Region, uid: string): void;
  recordCreating(creating: PlanCreating): void;
  /** Replaces notes with the same codes. */
  addNotes(notes: readonly IntakeNote[]): void;
  /** Replaces the findings. */
  recordFindings(findings: readonly Finding[]): void;
}

/** Opens the file of a plan at `path`, a new one where there is none. Throws LedgerError when it cannot be used. */
export function openPlanLedger(path: string): PlanLedger {
  const database = openForWriting(path, PLAN_SCHEMA, 'soon');
  const sql = statementsOf(database, new URL('plan-ledger.sql', import.meta.url));
  const reader = planReader(database);
  const addNotes = (added: readonly IntakeNote[]) => {
    const others = reader.facts().notes.filter(({ code }) => !added.some((one) => one.code === code));
    sql('set_notes').run({ notes: JSON.stringify([...others, ...added]) });
  };
  return {
    ...reader,
    database,
    addNotes,
    begin: (desired, source) =>
      withAttached(database, desired, 'desired', () => {
        sql('set_source').run({ ...source });
        sql('set_groups').run();
        addNotes(
          LOOKUP_NAMES.flatMap((name) => notFoundNote(name, sql('not_found').get({ code: LOOKUPS[name].unknownCode }))),
        );
      }),
    beginUndo: (undone, source) =>
      withAttached(database, undone, 'undone', () => {
        sql('set_undone_source').run({ ...source });
        sql('set_undone_groups').run();
      }),
    groupsToList: () => sql<GroupName>('groups_to_list').all(),
    recordListed: (name, members) =>
      inTransaction(database, () => {
        const group = idOf(sql, name);
        const add = sql('add_live');
        sql('forget_live').run({ group });
        for (const member of members) {
          const { uid, scope, banned = false, joinedAt } = member;
          if (!isScope(scope) || scope === 'ban') throw new UnknownScope(member);
          add.run({ group, uid, scope: scopeId(scope), banned: banned ? 1 : 0, joined_at: joinedAt });
        }
        close(sql, group, 'listed', '', '');
      }),
    recordUnlisted: (name, listing, { code, message }) =>
      inTransaction(database, () => {
        const group = idOf(sql, name);
        sql('forget_live').run({ group });
        close(sql, group, listing, code, message);
      }),
    recordBanned: (name, uids) =>
      inTransaction(database, () => {
        const group = idOf(sql, name);
        for (const uid of uids) sql('add_banned').run({ group, uid });
        sql('close_bans').run({ group });
        sql('count_members').run({ group });
      }),
    recordOwner: (name, owner) => {
      sql('set_owner').run({ group: idOf(sql, name), owner });
    },
    groupsToCreate: (desired) =>
      withAttached(database, desired, 'desired', () =>
        sql<GroupName & { readonly id: number }>('groups_to_create').all({ ban: scopeId('ban') }),
      ),
    recordCreates: (group, as) => {
      sql('create_group').run({ group, creates: JSON.stringify(as) });
    },
    recordCannotCreate: (group, { code, message }) => {
      sql('cannot_create').run({ group, code, message });
    },
    newcomers: () => sql<{ readonly region: Region; readonly uid: string }>('newcomers').all(),
    addNewcomer: (region, uid) => {
      sql('add_newcomer').run({ region, uid });
    },
    recordCreating: (creating) => {
      sql('set_creating').run({ creating: JSON.stringify(creating) });
    },
    // The last step: what people approve is on the disk.
    recordFindings: (findings) =>
      durably(database, () =>
        inTransaction(database, () => {
          sql('forget_findings').run();
          for (const { limit, ...finding } of findings) sql('add_finding').run({ ...finding, allowed: limit });
        }),
      ),
  };
}

function idOf(sql: Statements, { region, guid }: GroupName): number {
  const id = sql('group_id').get({ region, guid })?.['id'];
  if (id === undefined) throw new Error(`the plan does not concern the group ${guid} in ${region}`);
  return Number(id);
}

function close(sql: Statements, group: number, listing: string, code: string, message: string): void {
  sql('close_listing').run({ group, listing, code, message });
  sql('count_members').run({ group });
  sql('forget_actions_of').run({ group });
}

/**
 * Does `work` in one transaction with another ledger's file at hand under `name`; it is only read.
 * Throws LedgerError when that file is damaged, and an Error naming it when it is missing.
 */
export function withAttached<Result>(
  database: PlanDatabase,
  path: string,
  name: 'desired' | 'undone' | 'later' | 'newer',
  work: () => Result,
): Result {
  if (!existsSync(path)) throw new Error(`${path} is missing: a plan is made and compared with it`);
  attachForReading(database, path, name, name === 'newer' ? PLAN_SCHEMA : IMPORT_SCHEMA);
  try {
    return inTransaction(database, work);
  } finally {
    database.exec(`detach ${name}`);
  }
}

/** Rows whose user or group is not in the file where it is looked up: nothing is planned for them. */
function notFoundNote(name: LookupName, found: Readonly<Record<string, unknown>> | undefined): IntakeNote[] {
  const [rows, keys] = [Number(found?.['rows']), Number(found?.['keys'])];
  if (rows === 0) return [];
  const { field, file, unknownCode, unknown } = LOOKUPS[name];
  const names = counted(keys, field === 'uid' ? 'user' : 'group');
  const text = `${counted(rows, 'row')} ${rows === 1 ? 'names' : 'name'} ${names} that the ${file} does not have, and ${rows === 1 ? 'is' : 'are'} left out: ${unknown} beside the plan lists them`;
  return [{ code: unknownCode, text }];
}
