import { existsSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { type GroupFacts, groupFacts } from '../../chat/directory-operations.ts';
import type { ListStore } from '../../chat/member-list.ts';
import { MAX_PER_PAGE } from '../../chat/service/limits.ts';
import { checkFiles } from '../../imports/check-paths.ts';
import { IMPORT_MIGRATIONS } from '../../imports/schemas.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import {
  attachForReading,
  inTransaction,
  openForReading,
  openForWriting,
  type Statements,
  statementsOf,
} from '../../platform/sqlite.ts';
import { callsByRegion } from './api.ts';
import { BANNED, OTHER_SCOPE, OUTSIDE, placeOf } from './places.ts';

const CHECK_MIGRATIONS = new URL('migrations/', import.meta.url);
const STATEMENTS = new URL('check-ledger.sql', import.meta.url);
const sentences = z.array(z.string());

/** `running`: being asked, or interrupted; `priced`: waits until its calls are allowed; `stopped`: refused by the service. */
type CheckState = 'running' | 'priced' | 'done' | 'stopped';

export interface CheckRecord {
  readonly state: CheckState;
  /** The reason for its wait or stop, in a sentence; empty otherwise. */
  readonly reason: string;
  /** Calls so far. */
  readonly calls: number;
  /** Calls that are still to be made by region, at most; null where that is not known yet. */
  readonly price: CallsByRegion | null;
  /** Unknown facts, in sentences. */
  readonly notes: string[];
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

export type CallsByRegion = Readonly<Partial<Record<Region, number>>>;

export interface CheckedGroup {
  readonly id: number;
  readonly guid: string;
}

export interface CheckedUser {
  readonly id: number;
  readonly uid: string;
}

type Database = ReturnType<typeof openForWriting>;
type List = 'members' | 'banned' | 'users' | 'deactivated' | 'groups';

/** The file of a check, open for writing. The ledger of the import is attached as `staged`. */
export interface CheckLedger {
  /** For the statements of a check's end. */
  readonly sql: Statements;
  record(): CheckRecord;
  move(state: CheckState, reason: string, price?: CallsByRegion | null): void;
  called(): void;
  note(sentence: string): void;
  regions(): Region[];
  pendingCount(region: Region): number;
  /** In the order of their numbers, after one of them. */
  pendingGroups(region: Region, after: number, limit: number): (CheckedGroup & { readonly wanted: number })[];
  found(group: number, facts: GroupFacts): void;
  notFound(group: number, state: 'missing' | 'failed', why: { readonly code: string; readonly message: string }): void;
  /** Marks the groups in the list that was just read as found; the others stay pending. */
  takeGroupList(region: Region): void;
  chooseWays(): void;
  priceOfMembers(): Map<Region, number>;
  openGroupCount(region: Region): number;
  openGroups(region: Region, after: number, limit: number): (CheckedGroup & { readonly way: 'list' | 'ask' })[];
  takeMemberList(group: number): void;
  takeBannedList(group: number, region: Region): void;
  placesToAsk(group: number): CheckedUser[];
  /** Scope as the service says it; null: not in the group. */
  setPlace(group: number, user: number, scope: string | null): void;
  closeGroup(group: number): void;
  openUserCount(region: Region): number;
  openUsers(region: Region, after: number, limit: number): CheckedUser[];
  someOpenUsers(region: Region, limit: number): CheckedUser[];
  setUser(user: number, state: 'exists' | 'unknown' | 'deactivated'): void;
  takeUserList(region: Region): void;
  restIsUnknown(region: Region): void;
  takeDeactivatedList(region: Region): void;
  /** Counts the users that were not found, and returns the UIDs of some. */
  missingUsers(limit: number): { readonly unknown: number; readonly deactivated: number; readonly first: string[] };
  /** Stores a list page by page, before it is used. */
  list<Entry>(list: List, owner: number | Region, factOf: (entry: Entry) => string | null): ListStore<Entry>;
  transaction<Result>(work: () => Result): Result;
  close(): void;
}

/** Starts a new check, beside the ledger of a staged import; `fillCheck` adds what it asks about. */
export async function createCheckLedger(folder: string): Promise<CheckLedger> {
  const { check } = checkFiles(folder);
  for (const ending of ['', '-wal', '-shm']) await rm(`${check}${ending}`, { force: true });
  const ledger = openCheckLedger(folder);
  ledger.sql('begin').run({ at: Date.now() });
  return ledger;
}

export function openCheckLedger(folder: string): CheckLedger {
  const database = openForWriting(checkFiles(folder).check, CHECK_MIGRATIONS);
  attach(database, folder);
  return ledgerOf(database);
}

/** A check of users only, not tied to an import; the file is new. */
export function openUserCheck(
  path: string,
  users: readonly { readonly region: Region; readonly uid: string }[],
): CheckLedger {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
  const ledger = ledgerOf(openForWriting(path, CHECK_MIGRATIONS));
  ledger.transaction(() => {
    ledger.sql('begin').run({ at: Date.now() });
    for (const { region, uid } of users) ledger.sql('ask_about').run({ region, uid });
  });
  return ledger;
}

/** Results of a check; undefined if there is none. */
export function readCheck<Result>(
  folder: string,
  read: (ledger: Pick<CheckLedger, 'record' | 'sql'>) => Result,
): Result | undefined {
  const { check } = checkFiles(folder);
  if (!existsSync(check)) return undefined;
  const database = openForReading(check, CHECK_MIGRATIONS);
  try {
    attach(database, folder);
    return read(ledgerOf(database));
  } finally {
    database.close();
  }
}

function attach(database: Database, folder: string): void {
  const { ledger } = checkFiles(folder);
  attachForReading(database, ledger, 'staged', IMPORT_MIGRATIONS);
}

function ledgerOf(database: Database): CheckLedger {
  const sql = statementsOf(database, STATEMENTS);
  const count = (name: string, given: Record<string, string>) => Number(sql(name).get(given)?.['n']);
  const transaction = <Result>(work: () => Result): Result => inTransaction(database, work);
  const ownerId = (owner: number | Region) => (typeof owner === 'number' ? owner : REGIONS.indexOf(owner));
  const forget = (list: List, owner: number | Region) => sql('forget_listed').run({ list, owner: ownerId(owner) });
  /** Applies a list that was read, then deletes it. */
  const taken = (list: List, owner: number | Region, use: () => void) =>
    transaction(() => {
      use();
      forget(list, owner);
    });
  const found = (group: number, { name, type, owner, membersCount }: GroupFacts): void => {
    sql('set_group').run({ group, name, type, owner, members: membersCount });
  };

  return {
    sql,
    transaction,
    record: () => {
      const row = sql('run').get();
      if (row === undefined) throw new Error('this check was never begun');
      return {
        state: row['state'] as CheckState,
        reason: String(row['reason']),
        calls: Number(row['calls']),
        price: row['price'] === null ? null : callsByRegion.parse(JSON.parse(String(row['price']))),
        notes: sentences.parse(JSON.parse(String(row['notes']))),
        createdAt: Number(row['created_at']),
        finishedAt: row['finished_at'] as number | null,
      };
    },
    move: (state, reason, price = null) => {
      const at = state === 'running' ? null : Date.now();
      sql('move').run({ state, reason, price: price === null ? null : JSON.stringify(price), at });
    },
    called: () => {
      sql('count_calls').run({ calls: 1 });
    },
    note: (sentence) => {
      const notes = sentences.parse(JSON.parse(String(sql('run').get()?.['notes'])));
      if (!notes.includes(sentence)) sql('set_notes').run({ notes: JSON.stringify([...notes, sentence]) });
    },
    regions: () =>
      sql('regions')
        .all()
        .map(({ region }) => region as Region),
    pendingCount: (region) => count('count_pending', { region }),
    pendingGroups: (region, after, limit) =>
      sql<CheckedGroup & { readonly wanted: number }>('pending_groups').all({ region, after, limit }),
    found,
    notFound: (group, state, { code, message }) => {
      sql('fail_group').run({ group, state, code, message });
    },
    takeGroupList: (region) =>
      taken('groups', region, () => {
        for (const { id, fact } of sql('groups_from_list').all({ region, owner: ownerId(region) })) {
          found(Number(id), groupFacts.parse(JSON.parse(String(fact))));
        }
      }),
    chooseWays: () => {
      sql('choose_ways').run({ page: MAX_PER_PAGE });
    },
    priceOfMembers: () =>
      new Map(
        sql('price_of_members')
          .all({ page: MAX_PER_PAGE })
          .map(({ region, calls }) => [region as Region, Number(calls)]),
      ),
    openGroupCount: (region) => count('count_open_groups', { region }),
    openGroups: (region, after, limit) =>
      sql<CheckedGroup & { readonly way: 'list' | 'ask' }>('open_groups').all({ region, after, limit }),
    takeMemberList: (group) =>
      taken('members', group, () => {
        sql('places_from_list').run({ group, ban: BANNED, outside: OUTSIDE, other: OTHER_SCOPE });
      }),
    takeBannedList: (group, region) =>
      taken('banned', group, () => {
        sql('bans_from_list').run({ group, region, ban: BANNED });
      }),
    placesToAsk: (group) => sql<CheckedUser>('places_to_ask').all({ group }),
    setPlace: (group, user, scope) =>
      transaction(() => {
        sql('set_place').run({ group, user, place: placeOf(scope) });
        sql('user_exists').run({ user });
      }),
    closeGroup: (group) =>
      transaction(() => {
        sql('members_exist').run({ group, outside: OUTSIDE });
        sql('group_done').run({ group });
      }),
    openUserCount: (region) => count('count_open_users', { region }),
    openUsers: (region, after, limit) => sql<CheckedUser>('open_users').all({ region, after, limit }),
    someOpenUsers: (region, limit) => sql<CheckedUser>('some_open_users').all({ region, limit }),
    setUser: (user, state) => {
      sql('set_user').run({ user, state });
    },
    takeUserList: (region) =>
      taken('users', region, () => {
        sql('users_from_list').run({ region, owner: ownerId(region) });
      }),
    restIsUnknown: (region) => {
      sql('rest_is_unknown').run({ region });
    },
    takeDeactivatedList: (region) =>
      taken('deactivated', region, () => {
        sql('deactivated_from_list').run({ region, owner: ownerId(region) });
      }),
    missingUsers: (limit) => {
      const found = sql('count_missing_users').get();
      const first = sql('first_unknown_users').all({ limit });
      return {
        unknown: Number(found?.['unknown']),
        deactivated: Number(found?.['deactivated']),
        first: first.map(({ uid }) => String(uid)),
      };
    },
    list: (list, of, factOf) => {
      const owner = ownerId(of);
      let size = 0;
      return {
        clear: () => {
          size = 0;
          forget(list, owner);
        },
        put: (entries) =>
          transaction(() => {
            for (const [id, entry] of entries) {
              if (sql('has_listed').get({ list, owner, id }) === undefined) size += 1;
              sql('put_listed').run({ list, owner, id, fact: factOf(entry) });
            }
          }),
        size: () => size,
      };
    },
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}
