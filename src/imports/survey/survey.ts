import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { callsByRegion } from '../../api/fields.ts';
import type { GroupFacts, ListedMember, UserFacts } from '../../chat/replies.ts';
import { MAX_PER_PAGE } from '../../chat/service/limits.ts';
import { type ListStore, tableStore } from '../../chat/whole-lists.ts';
import type { Region } from '../../membership/membership.ts';
import { inTransaction, type Statements, statementsOf } from '../../platform/sqlite.ts';

export type CallsByRegion = Readonly<Partial<Record<Region, number>>>;

/** Parts of a group that can be read. */
export type Part = 'facts' | 'members' | 'banned';

/** Groups of which parts are read; without numbers, all of them. */
export interface WantedParts {
  readonly parts: readonly Part[];
  readonly ids?: readonly number[] | undefined;
}

/** Ways in which every survey may end or wait; its user adds ends of its own. */
type SurveyState<End extends string> = 'running' | 'priced' | 'stopped' | End;

/** A survey as it is stored. */
export interface SurveyRecord<End extends string> {
  /** `running`: being read, or interrupted; `priced`: waits until its calls are allowed; `stopped`: refused by the service. */
  readonly state: SurveyState<End>;
  /** The reason for its wait or stop, in a sentence; empty otherwise. */
  readonly reason: string;
  /** Calls so far. */
  readonly calls: number;
  /** Calls that are still to be made by region, at most; null where that is not known yet. */
  readonly price: CallsByRegion | null;
  /** Unknown facts, in sentences. */
  readonly notes: readonly string[];
  /** JSON; null: none. */
  readonly options: string | null;
  /** Times are ms since 1970. */
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** A group with parts that are still to be read: 1 or 0 each. */
export interface OpenGroup extends Readonly<Record<Part, number>> {
  readonly id: number;
  readonly guid: string;
  readonly way: 'list' | 'ask' | null;
  /** 1 where its members are known. */
  readonly listed: number;
}

export interface OpenUser {
  readonly id: number;
  readonly uid: string;
}

type Directory = 'groups' | 'users' | 'deactivated';

const STATEMENTS = new URL('survey.sql', import.meta.url);
const sentences = z.array(z.string());

/** The statement that applies a list, by the list. */
const TAKES = { groups: 'take_groups', users: 'take_users', deactivated: 'take_deactivated' } as const;

/** A survey of the service: tables that the crawler fills, in the file of what is made from them. */
export class Survey<End extends string = string> {
  readonly database: DatabaseSync;
  /** Lists are kept as a whole, with the names of members and the fields of users. Otherwise, only what is asked about. */
  readonly keepsAll: boolean;
  readonly #sql: Statements;

  constructor(database: DatabaseSync, { keepsAll = false } = {}) {
    this.database = database;
    this.keepsAll = keepsAll;
    this.#sql = statementsOf(database, STATEMENTS);
  }

  /** Once, in a new file. */
  begin(options: object | null = null): void {
    this.#sql('begin').run({ options: options && JSON.stringify(options), at: Date.now() });
  }

  /** Whether it was begun: a process that was killed at the beginning leaves a file without a survey. */
  hasBegun(): boolean {
    return this.#sql('run').get() !== undefined;
  }

  record(): SurveyRecord<End> {
    const row = this.#sql('run').get();
    if (row === undefined) throw new Error('this survey was never begun');
    return {
      state: row['state'] as SurveyState<End>,
      reason: String(row['reason']),
      calls: Number(row['calls']),
      price: row['price'] === null ? null : callsByRegion.parse(JSON.parse(String(row['price']))),
      notes: sentences.parse(JSON.parse(String(row['notes']))),
      options: row['options'] as string | null,
      createdAt: Number(row['created_at']),
      finishedAt: row['finished_at'] as number | null,
    };
  }

  move(state: SurveyState<End>, reason = '', price: CallsByRegion | null = null): void {
    const at = state === 'running' ? null : Date.now();
    this.#sql('move').run({ state, reason, price: price && JSON.stringify(price), at });
  }

  setOptions(options: string): void {
    this.#sql('set_options').run({ options });
  }

  called(): void {
    this.#sql('count_call').run();
  }

  note(sentence: string): void {
    const notes = sentences.parse(JSON.parse(String(this.#sql('run').get()?.['notes'])));
    if (!notes.includes(sentence)) this.#sql('set_notes').run({ notes: JSON.stringify([...notes, sentence]) });
  }

  regions(): Region[] {
    return this.#sql<{ readonly region: Region }>('regions')
      .all()
      .map(({ region }) => region);
  }

  addGroups(region: Region, guids: readonly string[]): void {
    inTransaction(this.database, () => {
      for (const guid of guids) this.#sql('add_group').run({ region, guid });
    });
  }

  addUser(region: Region, uid: string): void {
    this.#sql('add_user').run({ region, uid });
  }

  /** Groups of which nothing is known. */
  pendingCount(region: Region): number {
    return this.#count('count_pending', { region });
  }

  openCount(region: Region, wanted: WantedParts): number {
    return this.#count('count_open', { region, ...asked(wanted) });
  }

  /** In the order of their numbers, after one of them. */
  openGroups(region: Region, wanted: WantedParts, after: number, limit: number): OpenGroup[] {
    return this.#sql<OpenGroup>('open_groups').all({ region, ...asked(wanted), after, limit });
  }

  /** Calls that reading these parts takes, as far as the lengths of the lists are known. */
  priceOf(wanted: WantedParts): Map<Region, number> {
    const prices = this.#sql('price').all({ ...asked(wanted), page: MAX_PER_PAGE });
    return new Map(prices.map(({ region, calls }) => [region as Region, Number(calls)]));
  }

  /** Chooses how members are found out, where only some users are asked about. */
  chooseWays(): void {
    this.#sql('choose_ways').run({ page: MAX_PER_PAGE });
  }

  /** @param facts empty where the service does not say them */
  setFacts(group: number, facts: GroupFacts | Record<string, never>): void {
    this.#sql('set_facts').run({ group, facts: JSON.stringify(facts) });
  }

  closeGroup(group: number, { members, banned }: Pick<OpenGroup, 'members' | 'banned'>): void {
    inTransaction(this.database, () => {
      this.#sql('asked_exist').run({ group });
      this.#sql('forget_others').run({ group });
      this.#sql('close_group').run({ group, members, banned });
    });
  }

  /** Neither members nor banned users of it are known. */
  failGroup(
    group: number,
    state: 'missing' | 'failed',
    { code, message }: { readonly code: string; readonly message: string },
  ): void {
    inTransaction(this.database, () => {
      this.#sql('forget_members').run({ group });
      this.#sql('fail_group').run({ group, state, code, message });
    });
  }

  memberList(group: number): ListStore<ListedMember> {
    return tableStore(
      (work) => inTransaction(this.database, work),
      () => this.#sql('forget_members').run({ group }),
      (uid, { scope, joinedAt, name = '' }) => {
        const kept = this.keepsAll ? name : '';
        const member = { group, uid, scope, joined_at: wholeSeconds(joinedAt), name: kept };
        return this.#put('add_member', 'set_member', member);
      },
    );
  }

  bannedList(group: number): ListStore<{ readonly uid: string }> {
    return tableStore(
      (work) => inTransaction(this.database, work),
      () => {
        this.#sql('forget_banned').run({ group });
        this.#sql('forget_bans').run({ group });
      },
      (uid) => this.#sql('ban_member').run({ group, uid }).changes === 1,
    );
  }

  usersToAsk(group: number): OpenUser[] {
    return this.#sql<OpenUser>('users_to_ask').all({ group });
  }

  /** @param scope as the service says it; null: not in the group */
  setMember(group: number, { id: user, uid }: OpenUser, scope: string | null): void {
    inTransaction(this.database, () => {
      this.#put('add_member', 'set_member', { group, uid, scope, joined_at: null, name: '' });
      this.#sql('user_exists').run({ user });
    });
  }

  openUserCount(region: Region): number {
    return this.#count('count_open_users', { region });
  }

  openUsers(region: Region, after: number, limit: number): OpenUser[] {
    return this.#sql<OpenUser>('open_users').all({ region, after, limit });
  }

  someOpenUsers(region: Region, limit: number): OpenUser[] {
    return this.#sql<OpenUser>('some_open_users').all({ region, limit });
  }

  setUser(user: number, state: 'exists' | 'unknown' | 'deactivated'): void {
    this.#sql('set_user').run({ user, state });
  }

  restIsUnknown(region: Region): void {
    this.#sql('rest_is_unknown').run({ region });
  }

  /** Counts the users that were not found, and returns the UIDs of some. */
  missingUsers(limit: number): { readonly unknown: number; readonly deactivated: number; readonly first: string[] } {
    const found = this.#sql('count_missing_users').get();
    const first = this.#sql('first_unknown_users').all({ limit });
    return {
      unknown: Number(found?.['unknown']),
      deactivated: Number(found?.['deactivated']),
      first: first.map(({ uid }) => String(uid)),
    };
  }

  isListDone(region: Region, list: Directory): boolean {
    return this.#sql('is_list_done').get({ region, list }) !== undefined;
  }

  groupList(region: Region): ListStore<GroupFacts> {
    return this.#directory(region, 'groups', (facts) => ({ state: null, facts: JSON.stringify(facts) }));
  }

  userList(region: Region, list: 'users' | 'deactivated'): ListStore<UserFacts> {
    return this.#directory(region, list, (facts) => ({
      state: facts.deactivatedAt === null ? 'exists' : 'deactivated',
      facts: this.keepsAll ? JSON.stringify(facts) : null,
    }));
  }

  /** Applies a list that was read as a whole. */
  take(region: Region, list: Directory): void {
    inTransaction(this.database, () => {
      const all = list === 'deactivated' ? {} : { all: this.keepsAll ? 1 : 0 };
      this.#sql(TAKES[list]).run({ region, list, ...all });
      this.#sql('forget_listed').run({ list, region });
      this.#sql('list_done').run({ region, list });
    });
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
  }

  #directory<Facts extends GroupFacts | UserFacts>(
    region: Region,
    list: Directory,
    kept: (facts: Facts) => { readonly state: string | null; readonly facts: string | null },
  ): ListStore<Facts> {
    return tableStore(
      (work) => inTransaction(this.database, work),
      () => this.#sql('forget_listed').run({ list, region }),
      (id, facts) => this.#put('add_listed', 'set_listed', { list, region, id, ...kept(facts) }),
    );
  }

  /** Whether the entry is a new one. */
  #put(add: string, set: string, entry: Readonly<Record<string, string | number | null>>): boolean {
    if (this.#sql(add).run(entry).changes === 1) return true;
    this.#sql(set).run(entry);
    return false;
  }

  #count(name: string, given: Readonly<Record<string, string | number | null>>): number {
    return Number(this.#sql(name).get(given)?.['n']);
  }
}

function asked({ parts, ids }: WantedParts) {
  const wanted = (part: Part) => (parts.includes(part) ? 1 : 0);
  return {
    facts: wanted('facts'),
    members: wanted('members'),
    banned: wanted('banned'),
    ids: ids === undefined ? null : JSON.stringify(ids),
  };
}

function wholeSeconds(seconds: number | null): number | null {
  return seconds === null || !Number.isFinite(seconds) ? null : Math.trunc(seconds);
}
