import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { callsByRegion } from '../../api/fields.ts';
import type { ListEntry } from '../../chat/list-client.ts';
import type { GroupFacts, ListedMember } from '../../chat/replies.ts';
import { MAX_PER_PAGE } from '../../chat/service/limits.ts';
import { tableStore } from '../../chat/whole-lists.ts';
import type { Region } from '../../membership/membership.ts';
import { ledgerContradiction } from '../../platform/database-errors.ts';
import { inTransaction, type Statements, statementsOf } from '../../platform/sqlite.ts';

export type CallsByRegion = Readonly<Partial<Record<Region, number>>>;

export type Part = 'facts' | 'members' | 'banned';

/** Groups of which parts are read; without numbers, all of them. */
export interface WantedParts {
  readonly parts: readonly Part[];
  readonly ids?: readonly number[] | undefined;
}

/** A survey as it is stored. `End`: its ends, beside the ways in which every survey may wait. */
interface RunRow<End extends string> {
  /** `running`: being read, or interrupted; `priced`: waits until its calls are allowed; `stopped`: refused by the service. */
  readonly state: 'running' | 'priced' | 'stopped' | End;
  /** The reason for its wait or stop, in a sentence; empty otherwise. */
  readonly reason: string;
  /** Calls so far. */
  readonly calls: number;
  /** JSON of the calls that are still to be made by region, at most; null where that is not known yet. */
  readonly price: string | null;
  /** JSON of sentences: unknown facts. */
  readonly notes: string;
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

export type Directory = 'groups' | 'users' | 'deactivated';

const STATEMENTS = new URL('survey.sql', import.meta.url);
/** Statements that apply a list. */
const TAKES = { groups: 'take_groups', users: 'take_users', deactivated: 'take_deactivated' } as const;

const sentences = z.array(z.string());

/** A survey of the service: tables that the crawler fills, in the file of what is made from them. */
export type Survey<End extends string = string> = ReturnType<typeof surveyOf<End>>;

interface SurveyChoices {
  /** Lists are kept as a whole, with the names of members and the fields of users. Otherwise, only what is asked about. */
  readonly keepsAll?: boolean;
  /** Files with statements of its user. */
  readonly statements?: readonly URL[];
}

export function surveyOf<End extends string>(
  database: DatabaseSync,
  { keepsAll = false, statements = [] }: SurveyChoices = {},
) {
  const sql = statementsOf(database, [STATEMENTS, ...statements]);
  const inOne = (work: () => void) => inTransaction(database, work);
  /** By region: groups of which such parts are still to be read, and the calls for them. */
  const openWork = (wanted: WantedParts) =>
    sql<{ readonly region: Region } & Readonly<Record<'groups' | 'calls', number>>>('open_work').all({
      ...asked(wanted),
      page: MAX_PER_PAGE,
    });
  const close = () => database[Symbol.dispose]();
  return {
    database,
    /** Statements on the survey, by name: those of survey.sql, and its user's own. */
    sql,
    /** Once, in a new file. */
    begin(options: object | null = null) {
      sql('begin').run({ options: options && JSON.stringify(options), at: Date.now() });
    },
    record() {
      const row = sql<RunRow<End>>('run').get();
      // The process was killed in between.
      if (row === undefined) throw ledgerContradiction('it was opened, and never begun');
      return {
        ...row,
        price: row.price === null ? null : callsByRegion.parse(JSON.parse(row.price)),
        notes: sentences.parse(JSON.parse(row.notes)),
      };
    },
    move(state: RunRow<End>['state'], reason = '', price: CallsByRegion | null = null) {
      const at = state === 'running' ? null : Date.now();
      sql('move').run({ state, reason, price: price && JSON.stringify(price), at });
    },
    note(sentence: string) {
      sql('note').run({ sentence });
    },
    regions: () =>
      sql<{ readonly region: Region }>('regions')
        .all()
        .map(({ region }) => region),
    count: (name: string, region: Region) => Number(sql(name).get({ region })?.['n']),
    /** In the order of their numbers, after one of them. */
    openGroups: (region: Region, wanted: WantedParts, after: number, limit: number) =>
      sql<OpenGroup>('open_groups').all({ region, ...asked(wanted), after, limit }),
    openWork,
    /** Calls that reading these parts takes, as far as the lengths of the lists are known. */
    priceOf: (wanted: WantedParts) => new Map(openWork(wanted).map(({ region, calls }) => [region, calls])),
    /** @param facts empty where the service does not say them */
    setFacts(group: number, facts: GroupFacts | Record<string, never>) {
      sql('set_facts').run({ group, facts: JSON.stringify(facts) });
    },
    closeGroup: (group: number, { members, banned }: Pick<OpenGroup, 'members' | 'banned'>) =>
      inOne(() => {
        sql('asked_exist').run({ group });
        sql('forget_others').run({ group });
        sql('close_group').run({ group, members, banned });
      }),
    failGroup: (
      group: number,
      state: 'missing' | 'failed',
      { code, message }: { readonly code: string; readonly message: string },
    ) =>
      inOne(() => {
        sql('forget_members').run({ group });
        sql('fail_group').run({ group, state, code, message });
      }),
    ...listsOf(sql, inOne, keepsAll),
    close,
    [Symbol.dispose]: close,
  };
}

/** Lists of the service, while they are read. */
function listsOf(sql: Statements, inOne: (work: () => void) => void, keepsAll: boolean) {
  /** Whether the entry is a new one. */
  const put = (add: string, set: string, entry: Readonly<Record<string, string | number | null>>) => {
    if (sql(add).run(entry).changes === 1) return true;
    sql(set).run(entry);
    return false;
  };
  return {
    memberList: (group: number) =>
      tableStore(
        inOne,
        () => sql('forget_members').run({ group }),
        (uid, { scope, joinedAt, name = '' }: ListedMember) => {
          const kept = keepsAll ? name : '';
          return put('add_member', 'set_member', { group, uid, scope, joined_at: wholeSeconds(joinedAt), name: kept });
        },
      ),
    bannedList: (group: number) =>
      tableStore(
        inOne,
        () => {
          sql('forget_banned').run({ group });
          sql('forget_bans').run({ group });
        },
        (uid, _: { readonly uid: string }) => sql('ban_member').run({ group, uid }).changes === 1,
      ),
    /** @param scope as the service says it; null: not in the group */
    setMember: (group: number, { id: user, uid }: OpenUser, scope: string | null) =>
      inOne(() => {
        put('add_member', 'set_member', { group, uid, scope, joined_at: null, name: '' });
        sql('set_user').run({ user, state: 'exists' });
      }),
    /** A list of a region while it is read: `take` applies it. */
    directory: (region: Region, list: Directory) =>
      tableStore(
        inOne,
        () => sql('forget_listed').run({ list, region }),
        (id, facts: ListEntry<Directory>) => {
          const state = 'deactivatedAt' in facts ? (facts.deactivatedAt === null ? 'exists' : 'deactivated') : null;
          const kept = state === null || keepsAll ? JSON.stringify(facts) : null;
          return put('add_listed', 'set_listed', { list, region, id, state, facts: kept });
        },
      ),
    /** Applies a list that was read as a whole. */
    take: (region: Region, list: Directory) =>
      inOne(() => {
        const all = list === 'deactivated' ? {} : { all: keepsAll ? 1 : 0 };
        sql(TAKES[list]).run({ region, list, ...all });
        sql('forget_listed').run({ list, region });
        sql('list_done').run({ region, list });
      }),
  };
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
