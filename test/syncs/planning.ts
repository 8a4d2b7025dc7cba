import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type PlanFlags, planFlags } from '../../src/api/sync-entry.ts';
import { makePlan } from '../../src/features/sync/plan/make-plan.ts';
import { openPlanLedger, type PlanLedger } from '../../src/features/sync/plan/plan-ledger.ts';
import type { InputDescription } from '../../src/imports/read/notes.ts';
import { IMPORT_SCHEMA } from '../../src/imports/schemas.ts';
import { cut } from '../../src/imports/stage/cut.ts';
import { rowInserter } from '../../src/imports/stage/row-writer.ts';
import type { Action, Region, Scope } from '../../src/membership/membership.ts';
import type { Place } from '../../src/membership/plan-reasons.ts';
import { CHANGES } from '../../src/membership/plan-words.ts';
import { inTransaction, openForStaging } from '../../src/platform/sqlite.ts';
import { tempDir } from '../temp-dir.ts';

/** Without a choice no one loses anything. */
export const DEFAULT_FLAGS: PlanFlags = planFlags.parse({});

/** A row of the file; `invalid` rows name no one. */
export interface FileRow {
  readonly region?: Region;
  readonly guid?: string;
  readonly uid?: string;
  readonly scope?: Scope;
  readonly invalid?: boolean;
  /** Default: add. */
  readonly action?: Action;
  /** Cells of the row as the input has them. */
  readonly cells?: readonly string[];
}

export const CSV: InputDescription = {
  format: 'csv',
  delimiter: ',',
  columns: ['guid', 'uid', 'scope'],
  recognised: { guid: 'guid', uid: 'uid', scope: 'scope' },
};

/** Stages rows as an import does, without its thread. Row 1 is in line 2. */
export function stage(
  path: string,
  fileRows: readonly FileRow[],
  input: InputDescription = CSV,
  isSilent = false,
): string {
  const database = openForStaging(path, IMPORT_SCHEMA);
  const inserter = rowInserter(database, isSilent);
  const sent = inTransaction(database, () => {
    for (const [
      index,
      { region = 'us', guid = 'team', uid = '', scope = 'participant', action = 'add', invalid = false, cells },
    ] of fileRows.entries()) {
      const original = JSON.stringify(cells ?? [guid, uid, scope]);
      const problems = invalid
        ? [{ column: 'uid', value: '', code: 'EMPTY' as const, reason: 'the uid is empty' }]
        : [];
      const named = invalid ? { guid: '', uid: '' } : { guid, uid };
      inserter.insert([{ line: index + 2, region, ...named, scope, action, onBehalfOf: '', original, problems }]);
    }
    return inserter.finish();
  });
  cut(database, input, sent);
  // Without the care for a crash that closeStaged takes: a test makes hundreds of these.
  database.close();
  return path;
}

/** The present members of a group; an unlisted group names the failure of its listing. */
export interface LiveGroup {
  readonly region?: Region;
  readonly owner?: string | null;
  readonly members?: Readonly<Record<string, Exclude<Place, ''>>>;
  readonly listing?: 'not_found' | 'failed';
}
export type Live = Readonly<Record<string, LiveGroup>>;

export interface Planned {
  readonly plan: PlanLedger;
  readonly path: string;
  readonly desired: string;
}

export function people(
  count: number,
  scope: Exclude<Place, ''> = 'participant',
  from = 1,
): Record<string, Exclude<Place, ''>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`u${index + from}`, scope]));
}

export function fileRows(
  group: Readonly<Record<string, Exclude<Place, ''>>>,
  guid = 'team',
  region: Region = 'us',
): FileRow[] {
  return Object.entries(group).map(([uid, scope]) => ({ region, guid, uid, scope }));
}

type Group = Readonly<{ region: Region; guid: string }>;
const TEAM: Group = { region: 'us', guid: 'team' };

function idOf(plan: PlanLedger, { region, guid }: Group): number {
  return Number(plan.database.prepare('select id from groups where region = ? and guid = ?').get(region, guid)?.['id']);
}

/** The service says who is in a group, a page for each of these. */
export function listed(
  plan: PlanLedger,
  group: Group,
  ...pages: readonly Readonly<Record<string, Exclude<Place, ''>>>[]
): void {
  const id = idOf(plan, group);
  const list = plan.survey.memberList(id);
  list.clear();
  for (const page of pages) {
    const members = Object.entries(page).map(([uid, place]) => {
      const scope = place === 'ban' ? 'participant' : place;
      return { uid, scope, joinedAt: null };
    });
    list.put(members);
    const banned = Object.keys(page).filter((uid) => page[uid] === 'ban');
    plan.survey.bannedList(id).put(banned.map((uid) => ({ uid })));
  }
  plan.survey.closeGroup(id, { members: 1, banned: 0 });
  plan.settle();
}

/** A group cannot be listed. */
export function unlisted(
  plan: PlanLedger,
  group: Group,
  state: 'missing' | 'failed',
  why: { readonly code: string; readonly message: string },
): void {
  plan.survey.failGroup(idOf(plan, group), state, why);
  plan.settle();
}

/** The service says who owns a group. */
export function owned(plan: PlanLedger, owner: string, group = TEAM): void {
  plan.database.prepare('update groups set facts = ? where id = ?').run(JSON.stringify({ owner }), idOf(plan, group));
}

/** The service says who is banned from a group. */
export function banned(plan: PlanLedger, uids: readonly string[], group = TEAM): void {
  const id = idOf(plan, group);
  plan.survey.bannedList(id).put(uids.map((uid) => ({ uid })));
  plan.survey.closeGroup(id, { members: 0, banned: 1 });
  plan.settle();
}

/** Lists the groups that the plan asks for: a group that `live` does not have is not found. No one owns one unless said. */
export function list(plan: PlanLedger, live: Live): void {
  for (const group of plan.groups()) {
    const [, found] =
      Object.entries(live).find(
        ([guid, { region = 'us' }]) => region === group.region && guid.toLowerCase() === group.guid.toLowerCase(),
      ) ?? [];
    if (found === undefined) unlisted(plan, group, 'missing', { code: 'ERR_GUID_NOT_FOUND', message: 'no such group' });
    else if (found.listing !== undefined) {
      const why = { code: 'CUT_OFF', message: 'page 2 of 3 failed' };
      unlisted(plan, group, found.listing === 'failed' ? 'failed' : 'missing', why);
    } else {
      listed(plan, group, found.members ?? {});
      if (found.owner !== null) owned(plan, found.owner ?? '', group);
    }
  }
}

/** A plan made from the ground up; closed when the test is over. */
export function planned(
  file: readonly FileRow[],
  live: Live,
  flags: Partial<PlanFlags> = {},
  input: InputDescription = CSV,
): Planned {
  const dir = tempDir();
  const path = join(dir, 'plan.sqlite');
  const desired = stage(join(dir, 'desired.sqlite'), file, input);
  const plan = openPlanLedger(path);
  plan.database.exec('pragma synchronous = off');
  onTestFinished(() => plan.close());
  plan.begin('desired', desired, { file: 'members.csv', hash: JSON.stringify(file), size: 100 });
  list(plan, live);
  makePlan({ path, kind: 'file', from: desired, flags: { ...DEFAULT_FLAGS, ...flags } });
  return { plan, path, desired };
}

/** Actions as "uid: action from>to", those that send something or all. */
export function actionsOf({ plan }: { readonly plan: PlanLedger }, all = false): string[] {
  return plan
    .actions(all ? undefined : CHANGES)
    .map(({ uid, action, from, to }) => `${uid}: ${action} ${from}>${to}`)
    .toArray();
}

/** Live groups after the plan's changes were carried out. */
export function applied(plan: PlanLedger, live: Live): Live {
  const after = structuredClone(live) as Record<string, { members?: Record<string, Exclude<Place, ''>> }>;
  for (const { guid, uid, to } of plan.actions(CHANGES)) {
    const [, group] = Object.entries(after).find(([name]) => name.toLowerCase() === guid.toLowerCase()) ?? [];
    if (group === undefined) throw new Error(`a change in ${guid}, which is not there`);
    group.members ??= {};
    if (to === '') delete group.members[uid];
    else group.members[uid] = to;
  }
  return after as Live;
}
