import { existsSync } from 'node:fs';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import type { IntakeNote } from '../../../imports/read/notes.ts';
import { scopeId } from '../../../imports/record/enum-ids.ts';
import { IMPORT_SCHEMA } from '../../../imports/schemas.ts';
import { Survey } from '../../../imports/survey/survey.ts';
import type { Region } from '../../../membership/membership.ts';
import { LOOKUP_NAMES, LOOKUPS, type LookupName } from '../../../options/lookups.ts';
import { attachForReading, durably, inTransaction, openForWriting, statementsOf } from '../../../platform/sqlite.ts';
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

interface UnknownMember {
  readonly id: number;
  readonly uid: string;
  readonly scope: string;
}

/** The file as it was read. */
type PlanSource = Pick<PlanFacts, 'file' | 'hash' | 'size'>;

/** A plan's file, open for the planner. */
export interface PlanLedger extends PlanReader {
  /** For the planner in this folder. */
  readonly database: PlanDatabase;
  /** The groups, their members, and users who may not exist. */
  readonly survey: Survey;
  /** Notes the groups that a staged file (its import ledger at `desired`) has members for. Once, at the beginning. */
  begin(desired: string, source: PlanSource): void;
  /** Notes the groups in which an import (its ledger at `undone`) may have done something. Instead of `begin`. */
  beginUndo(undone: string, source: PlanSource): void;
  /** Groups that have not been listed yet, in the order of the file. */
  groupsToList(): GroupName[];
  /** After groups were read: counts the members, and refuses groups with a scope that rollcall does not know. */
  settle(): void;
  /** Missing groups to which rows of the staged file would add users; with their numbers in that file. */
  groupsToCreate(desired: string): (GroupName & { readonly id: number })[];
  /** The group is created before users are added. */
  recordCreates(group: number, as: NonNullable<PlanGroup['creates']>): void;
  recordCannotCreate(group: number, why: { readonly code: string; readonly message: string }): void;
  /** A user who may not exist, beside those who would be added, unless the user is in a group that was listed. */
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
  const survey = new Survey(database);
  const addNotes = (added: readonly IntakeNote[]) => {
    const others = reader.facts().notes.filter(({ code }) => !added.some((one) => one.code === code));
    sql('set_notes').run({ notes: JSON.stringify([...others, ...added]) });
  };
  return {
    ...reader,
    database,
    survey,
    addNotes,
    begin: (desired, source) =>
      withAttached(database, desired, 'desired', () => {
        survey.begin();
        sql('set_source').run({ ...source });
        sql('set_groups').run();
        addNotes(
          LOOKUP_NAMES.flatMap((name) => notFoundNote(name, sql('not_found').get({ code: LOOKUPS[name].unknownCode }))),
        );
      }),
    beginUndo: (undone, source) =>
      withAttached(database, undone, 'undone', () => {
        survey.begin();
        sql('set_undone_source').run({ ...source });
        sql('set_undone_groups').run();
      }),
    groupsToList: () => sql<GroupName>('groups_to_list').all(),
    settle: () => {
      for (const { id, ...member } of sql<UnknownMember>('unknown_scopes').all()) {
        survey.failGroup(id, 'failed', new RollcallError('UNKNOWN_SCOPE', { uid: member.uid, scope: member.scope }));
      }
      sql('count_members').run();
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
