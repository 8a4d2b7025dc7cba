import { existsSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { type GroupFacts, groupFacts } from '../../chat/replies.ts';
import { MAX_PER_PAGE } from '../../chat/service/limits.ts';
import { type ListStore, tableStore } from '../../chat/whole-lists.ts';
import { checkFiles } from '../../imports/predictions/check-paths.ts';
import { CHECK_SCHEMA } from '../../imports/predictions/row-check.ts';
import { scopeId, scopeOf } from '../../imports/record/enum-ids.ts';
import { IMPORT_SCHEMA } from '../../imports/schemas.ts';
import { REGIONS, type Region, SCOPES } from '../../membership/membership.ts';
import {
  attachForReading,
  inTransaction,
  openForReading,
  openForWriting,
  type Statements,
  statementsOf,
} from '../../platform/sqlite.ts';
import { callsByRegion } from './api.ts';

/** A user's place in a group, as a number: that of the scope in the ledger, or one of these. */
export const BANNED = scopeId('ban');
export const OUTSIDE = 0;
export const OTHER_SCOPE = 9;

/** @param scope as the service says it; null: not in the group */
function placeOf(scope: string | null): number {
  if (scope === null) return OUTSIDE;
  const known = SCOPES.find((one) => one !== 'ban' && one === scope.toLowerCase());
  return known === undefined ? OTHER_SCOPE : scopeId(known);
}

/** In words, for people. */
export function placeWord(place: number): string {
  if (place === OUTSIDE) return 'not a member';
  if (place === BANNED) return 'banned';
  return place === OTHER_SCOPE ? 'another scope' : scopeOf(place);
}

const CHECK_STATEMENTS = new URL('check-ledger.sql', import.meta.url);
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
export class CheckLedger {
  /** For the statements of a check's end. */
  readonly sql: Statements;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.sql = statementsOf(database, CHECK_STATEMENTS);
  }

  record(): CheckRecord {
    const row = this.sql('run').get();
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
  }

  move(state: CheckState, reason: string, price: CallsByRegion | null = null): void {
    const at = state === 'running' ? null : Date.now();
    this.sql('move').run({ state, reason, price: price === null ? null : JSON.stringify(price), at });
  }

  called(): void {
    this.sql('count_calls').run({ calls: 1 });
  }

  note(sentence: string): void {
    const notes = sentences.parse(JSON.parse(String(this.sql('run').get()?.['notes'])));
    if (!notes.includes(sentence)) this.sql('set_notes').run({ notes: JSON.stringify([...notes, sentence]) });
  }

  regions(): Region[] {
    return this.sql<{ readonly region: Region }>('regions')
      .all()
      .map(({ region }) => region);
  }

  pendingCount(region: Region): number {
    return this.#count('count_pending', region);
  }

  /** In the order of their numbers, after one of them. */
  pendingGroups(region: Region, after: number, limit: number): (CheckedGroup & { readonly wanted: number })[] {
    return this.sql<CheckedGroup & { readonly wanted: number }>('pending_groups').all({ region, after, limit });
  }

  found(group: number, { name, type, owner, membersCount }: GroupFacts): void {
    this.sql('set_group').run({ group, name, type, owner, members: membersCount });
  }

  notFound(
    group: number,
    state: 'missing' | 'failed',
    { code, message }: { readonly code: string; readonly message: string },
  ): void {
    this.sql('fail_group').run({ group, state, code, message });
  }

  /** Marks the groups in the list that was just read as found; the others stay pending. */
  takeGroupList(region: Region): void {
    this.#take('groups', region, (owner) => {
      for (const { id, fact } of this.sql('groups_from_list').all({ region, owner })) {
        this.found(Number(id), groupFacts.parse(JSON.parse(String(fact))));
      }
    });
  }

  chooseWays(): void {
    this.sql('choose_ways').run({ page: MAX_PER_PAGE });
  }

  priceOfMembers(): Map<Region, number> {
    const prices = this.sql('price_of_members').all({ page: MAX_PER_PAGE });
    return new Map(prices.map(({ region, calls }) => [region as Region, Number(calls)]));
  }

  openGroupCount(region: Region): number {
    return this.#count('count_open_groups', region);
  }

  openGroups(region: Region, after: number, limit: number): (CheckedGroup & { readonly way: 'list' | 'ask' })[] {
    return this.sql<CheckedGroup & { readonly way: 'list' | 'ask' }>('open_groups').all({ region, after, limit });
  }

  takeMemberList(group: number): void {
    this.#take('members', group, () => {
      this.sql('places_from_list').run({ group, ban: BANNED, outside: OUTSIDE, other: OTHER_SCOPE });
    });
  }

  takeBannedList(group: number, region: Region): void {
    this.#take('banned', group, () => {
      this.sql('bans_from_list').run({ group, region, ban: BANNED });
    });
  }

  placesToAsk(group: number): CheckedUser[] {
    return this.sql<CheckedUser>('places_to_ask').all({ group });
  }

  /** Scope as the service says it; null: not in the group. */
  setPlace(group: number, user: number, scope: string | null): void {
    this.transaction(() => {
      this.sql('set_place').run({ group, user, place: placeOf(scope) });
      this.sql('user_exists').run({ user });
    });
  }

  closeGroup(group: number): void {
    this.transaction(() => {
      this.sql('members_exist').run({ group, outside: OUTSIDE });
      this.sql('group_done').run({ group });
    });
  }

  openUserCount(region: Region): number {
    return this.#count('count_open_users', region);
  }

  openUsers(region: Region, after: number, limit: number): CheckedUser[] {
    return this.sql<CheckedUser>('open_users').all({ region, after, limit });
  }

  someOpenUsers(region: Region, limit: number): CheckedUser[] {
    return this.sql<CheckedUser>('some_open_users').all({ region, limit });
  }

  setUser(user: number, state: 'exists' | 'unknown' | 'deactivated'): void {
    this.sql('set_user').run({ user, state });
  }

  takeUserList(region: Region): void {
    this.#take('users', region, (owner) => {
      this.sql('users_from_list').run({ region, owner });
    });
  }

  restIsUnknown(region: Region): void {
    this.sql('rest_is_unknown').run({ region });
  }

  takeDeactivatedList(region: Region): void {
    this.#take('deactivated', region, (owner) => {
      this.sql('deactivated_from_list').run({ region, owner });
    });
  }

  /** Counts the users that were not found, and returns the UIDs of some. */
  missingUsers(limit: number): { readonly unknown: number; readonly deactivated: number; readonly first: string[] } {
    const found = this.sql('count_missing_users').get();
    const first = this.sql('first_unknown_users').all({ limit });
    return {
      unknown: Number(found?.['unknown']),
      deactivated: Number(found?.['deactivated']),
      first: first.map(({ uid }) => String(uid)),
    };
  }

  /** Stores a list page by page, before it is used. */
  list<Entry>(list: List, of: number | Region, factOf: (entry: Entry) => string | null): ListStore<Entry> {
    const owner = ownerId(of);
    return tableStore(
      (work) => this.transaction(work),
      () => this.sql('forget_listed').run({ list, owner }),
      (id) => this.sql('has_listed').get({ list, owner, id }) !== undefined,
      (id, entry) => this.sql('put_listed').run({ list, owner, id, fact: factOf(entry) }),
    );
  }

  transaction<Result>(work: () => Result): Result {
    return inTransaction(this.#database, work);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #count(name: string, region: Region): number {
    return Number(this.sql(name).get({ region })?.['n']);
  }

  /** Applies a list that was read, then deletes it. */
  #take(list: List, of: number | Region, use: (owner: number) => void): void {
    const owner = ownerId(of);
    this.transaction(() => {
      use(owner);
      this.sql('forget_listed').run({ list, owner });
    });
  }
}

const ownerId = (owner: number | Region) => (typeof owner === 'number' ? owner : REGIONS.indexOf(owner));

/** Starts a new check, beside the ledger of a staged import; `fillCheck` adds what it asks about. */
export async function createCheckLedger(folder: string): Promise<CheckLedger> {
  const { check } = checkFiles(folder);
  for (const ending of ['', '-wal', '-shm']) await rm(`${check}${ending}`, { force: true });
  const ledger = openCheckLedger(folder);
  ledger.sql('begin').run({ at: Date.now() });
  return ledger;
}

export function openCheckLedger(folder: string): CheckLedger {
  const database = openForWriting(checkFiles(folder).check, CHECK_SCHEMA, 'soon');
  attach(database, folder);
  return new CheckLedger(database);
}

/** A check of users only, not tied to an import; the file is new. */
export function openUserCheck(
  path: string,
  users: readonly { readonly region: Region; readonly uid: string }[],
): CheckLedger {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
  const ledger = new CheckLedger(openForWriting(path, CHECK_SCHEMA, 'soon'));
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
  const database = openForReading(check, CHECK_SCHEMA);
  try {
    attach(database, folder);
    const ledger = new CheckLedger(database);
    // A process that was killed at the beginning leaves a file without one.
    return ledger.sql('run').get() === undefined ? undefined : read(ledger);
  } finally {
    database.close();
  }
}

function attach(database: Database, folder: string): void {
  const { ledger } = checkFiles(folder);
  attachForReading(database, ledger, 'staged', IMPORT_SCHEMA);
}
