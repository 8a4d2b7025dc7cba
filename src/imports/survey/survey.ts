import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { callsByRegion } from '../../api/fields.ts';
import type { ListEntry } from '../../chat/list-client.ts';
import type { GroupFacts, ListedMember } from '../../chat/replies.ts';
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

type RunRow<End extends string> = Omit<SurveyRecord<End>, 'price' | 'notes'> & {
  readonly price: string | null;
  readonly notes: string;
};

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

export type Directory = 'groups' | 'users' | 'deactivated';

const STATEMENTS = new URL('survey.sql', import.meta.url);
const sentences = z.array(z.string());

/** The statement that applies a list, by the list. */
const TAKES = { groups: 'take_groups', users: 'take_users', deactivated: 'take_deactivated' } as const;

/** A survey of the service: tables that the crawler fills, in the file of what is made from them. */
export class Survey<End extends string = string> {
  readonly database: DatabaseSync;
  /** Lists are kept as a whole, with the names of members and the fields of users. Otherwise, only what is asked about. */
  readonly keepsAll: boolean;
  /** Statements on the survey, by name (survey.sql). */
  readonly sql: Statements;

  constructor(database: DatabaseSync, { keepsAll = false } = {}) {
    this.database = database;
    this.keepsAll = keepsAll;
    this.sql = statementsOf(database, STATEMENTS);
  }

  /** Once, in a new file. */
  begin(options: object | null = null) {
    this.sql('begin').run({ options: options && JSON.stringify(options), at: Date.now() });
  }

  record(): SurveyRecord<End> {
    const row = this.sql<RunRow<End>>('run').get();
    if (row === undefined) throw new Error('this survey was never begun');
    const { price, notes, ...run } = row;
    return {
      ...run,
      price: price === null ? null : callsByRegion.parse(JSON.parse(price)),
      notes: sentences.parse(JSON.parse(notes)),
    };
  }

  move(state: SurveyState<End>, reason = '', price: CallsByRegion | null = null) {
    const at = state === 'running' ? null : Date.now();
    this.sql('move').run({ state, reason, price: price && JSON.stringify(price), at });
  }

  note(sentence: string) {
    const { notes } = this.record();
    if (!notes.includes(sentence)) this.sql('set_notes').run({ notes: JSON.stringify([...notes, sentence]) });
  }

  regions() {
    return this.sql<{ readonly region: Region }>('regions')
      .all()
      .map(({ region }) => region);
  }

  openCount(region: Region, wanted: WantedParts) {
    return this.count('count_open', { region, ...asked(wanted) });
  }

  /** In the order of their numbers, after one of them. */
  openGroups(region: Region, wanted: WantedParts, after: number, limit: number) {
    return this.sql<OpenGroup>('open_groups').all({ region, ...asked(wanted), after, limit });
  }

  /** Calls that reading these parts takes, as far as the lengths of the lists are known. */
  priceOf(wanted: WantedParts) {
    const prices = this.sql('price').all({ ...asked(wanted), page: MAX_PER_PAGE });
    return new Map(prices.map(({ region, calls }) => [region as Region, Number(calls)]));
  }

  /** @param facts empty where the service does not say them */
  setFacts(group: number, facts: GroupFacts | Record<string, never>) {
    this.sql('set_facts').run({ group, facts: JSON.stringify(facts) });
  }

  closeGroup(group: number, { members, banned }: Pick<OpenGroup, 'members' | 'banned'>) {
    inTransaction(this.database, () => {
      this.sql('asked_exist').run({ group });
      this.sql('forget_others').run({ group });
      this.sql('close_group').run({ group, members, banned });
    });
  }

  /** Neither members nor banned users of it are known. */
  failGroup(
    group: number,
    state: 'missing' | 'failed',
    { code, message }: { readonly code: string; readonly message: string },
  ) {
    inTransaction(this.database, () => {
      this.sql('forget_members').run({ group });
      this.sql('fail_group').run({ group, state, code, message });
    });
  }

  memberList(group: number): ListStore<ListedMember> {
    return tableStore(
      (work) => inTransaction(this.database, work),
      () => this.sql('forget_members').run({ group }),
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
        this.sql('forget_banned').run({ group });
        this.sql('forget_bans').run({ group });
      },
      (uid) => this.sql('ban_member').run({ group, uid }).changes === 1,
    );
  }

  /** @param scope as the service says it; null: not in the group */
  setMember(group: number, { id: user, uid }: OpenUser, scope: string | null) {
    inTransaction(this.database, () => {
      this.#put('add_member', 'set_member', { group, uid, scope, joined_at: null, name: '' });
      this.sql('user_exists').run({ user });
    });
  }

  /** A list of a region while it is read: `take` applies it. */
  directory(region: Region, list: Directory): ListStore<ListEntry<Directory>> {
    return tableStore(
      (work) => inTransaction(this.database, work),
      () => this.sql('forget_listed').run({ list, region }),
      (id, facts) => {
        const state = 'deactivatedAt' in facts ? (facts.deactivatedAt === null ? 'exists' : 'deactivated') : null;
        const kept = state === null || this.keepsAll ? JSON.stringify(facts) : null;
        return this.#put('add_listed', 'set_listed', { list, region, id, state, facts: kept });
      },
    );
  }

  /** Applies a list that was read as a whole. */
  take(region: Region, list: Directory) {
    inTransaction(this.database, () => {
      const all = list === 'deactivated' ? {} : { all: this.keepsAll ? 1 : 0 };
      this.sql(TAKES[list]).run({ region, list, ...all });
      this.sql('forget_listed').run({ list, region });
      this.sql('list_done').run({ region, list });
    });
  }

  close() {
    this.database[Symbol.dispose]();
  }

  [Symbol.dispose]() {
    this.close();
  }

  /** Whether the entry is a new one. */
  #put(add: string, set: string, entry: Readonly<Record<string, string | number | null>>) {
    if (this.sql(add).run(entry).changes === 1) return true;
    this.sql(set).run(entry);
    return false;
  }

  count(name: string, given: Readonly<Record<string, string | number | null>>) {
    return Number(this.sql(name).get(given)?.['n']);
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

function wholeSeconds(seconds: number | null) {
  return seconds === null || !Number.isFinite(seconds) ? null : Math.trunc(seconds);
}
