import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sentTo } from '../../api/fields.ts';
import { type GroupFacts, groupFacts, type ListedMember, type UserFacts, userFacts } from '../../chat/replies.ts';
import { type ListStore, tableStore } from '../../chat/whole-lists.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import { inTransaction, openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import type { ExportTotals } from './api.ts';

/** Scope of an export. Stored with it, so that it continues in the same way after an interruption. */
export const exportOptions = z.strictObject({
  /** Not given: all groups of the regions. */
  groups: z.array(z.string().min(1)).min(1).optional(),
  regions: z.array(z.enum(REGIONS)).min(1),
  /** Users with their fields, as a list of their own. */
  users: z.boolean().default(false),
  /** Groups with their fields, and no members. */
  groupsOnly: z.boolean().default(false),
  /** Read from a sandbox: it must not continue against the service itself. */
  sandbox: z.boolean().default(false),
  /** The target that is read. */
  target: sentTo.optional(),
});
export type ExportOptions = z.infer<typeof exportOptions>;

const EXPORT_STATES = [
  'running', // being read; after an interruption it can continue
  'completed', // everything that was asked for has been read
  'incomplete', // some groups could not be read
  'stopped', // a region refused every call, or a list could not be trusted; it can continue
] as const;
type ExportState = (typeof EXPORT_STATES)[number];

/** There is no export with this id. */
export class UnknownExport extends RollcallError {
  constructor(id: string) {
    super('UNKNOWN_EXPORT', `no export has the id ${JSON.stringify(id)}`, {
      remedy: 'an export that was completed is removed once its files are written; begin a new one',
      facts: { id },
    });
  }
}

const SCHEMA = new URL('export-schema.sql', import.meta.url);
const STATEMENTS = new URL('export-store.sql', import.meta.url);

/** The file of an export, in its folder. */
export function exportFile(folder: string): string {
  return join(folder, 'export.sqlite');
}

interface ExportRecord {
  readonly options: ExportOptions;
  readonly state: ExportState;
  /** A sentence; empty while it runs and when it is completed. */
  readonly reason: string;
  /** Pages and groups that were asked for so far. */
  readonly calls: number;
  /** Times are ms since 1970. */
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

export interface ExportedMember {
  readonly region: Region;
  readonly guid: string;
  readonly uid: string;
  /** The scope in the service's words, `ban` for a banned user. */
  readonly scope: string;
  /** Empty where the service does not say it. */
  readonly name: string;
  /** Seconds since 1970. */
  readonly joinedAt: number | null;
  readonly group: GroupFacts | null;
}

/** An export's file, open for anyone to read. */
export interface ExportReader {
  record(): ExportRecord;
  totals(): ExportTotals;
  /** In the order of region, GUID and UID, one at a time. */
  members(): IteratorObject<ExportedMember>;
  groups(): IteratorObject<GroupFacts & { readonly region: Region }>;
  users(): IteratorObject<UserFacts & { readonly region: Region }>;
  close(): void;
}

export interface GroupToRead {
  readonly id: number;
  readonly region: Region;
  readonly guid: string;
  /** Whether its fields are known. */
  readonly known: boolean;
}

/** An export's file, open for writing. */
export interface ExportStore extends ExportReader {
  move(state: ExportState, reason: string): void;
  countCalls(calls: number): void;
  isListDone(region: Region, list: 'groups' | 'users'): boolean;
  listDone(region: Region, list: 'groups' | 'users'): void;
  /** Notes groups that must be read, by their names. */
  nameGroups(region: Region, guids: readonly string[]): void;
  setFacts(region: Region, facts: GroupFacts): void;
  countToRead(): number;
  /** Returns groups of a region in the order of their numbers, after the one given. */
  groupsToRead(region: Region, after: number, limit: number): GroupToRead[];
  closeGroup(id: number, state: 'read' | 'not_found' | 'failed', why?: { code: string; message: string }): void;
  /** Lists are read into these, page by page. */
  groupList(region: Region): ListStore<GroupFacts>;
  memberList(group: number): ListStore<ListedMember>;
  bannedList(group: number): ListStore<string>;
  userList(region: Region): ListStore<UserFacts>;
}

export function createExportStore(folder: string, options: ExportOptions): ExportStore {
  const database = openForWriting(exportFile(folder), SCHEMA, 'soon');
  statementsOf(database, STATEMENTS)('begin').run({ options: JSON.stringify(options), at: Date.now() });
  return storeOf(database);
}

/** @throws UnknownExport */
export function openExportStore(folder: string, id: string): ExportStore {
  if (!existsSync(exportFile(folder))) throw new UnknownExport(id);
  return storeOf(openForWriting(exportFile(folder), SCHEMA, 'soon'));
}

/** @throws UnknownExport */
export function openExportReader(folder: string, id: string): ExportReader {
  if (!existsSync(exportFile(folder))) throw new UnknownExport(id);
  return readerOf(openForReading(exportFile(folder), SCHEMA));
}

type Database = ReturnType<typeof openForWriting>;

function readerOf(database: Database): ExportReader {
  const sql = statementsOf(database, STATEMENTS);
  const rows = (name: string) => Iterator.from(sql(name).iterate());
  return {
    record: () => {
      const row = sql('export').get();
      if (row === undefined) throw new Error('this export was never begun');
      return {
        options: exportOptions.parse(JSON.parse(String(row['options']))),
        state: row['state'] as ExportState,
        reason: String(row['reason']),
        calls: Number(row['calls']),
        createdAt: Number(row['created_at']),
        finishedAt: row['finished_at'] as number | null,
      };
    },
    totals: () => {
      const groups = new Map(
        sql('count_groups')
          .all()
          .map(({ state, n }) => [state, Number(n)]),
      );
      const members = sql('count_members').get();
      const banned = Number(members?.['banned']);
      return {
        groups: groups.get('read') ?? 0,
        pending: groups.get('pending') ?? 0,
        members: Number(members?.['members']) - banned,
        banned,
        users: Number(sql('count_users').get()?.['n']),
        unknownScopes: Number(members?.['odd']),
        missing: sql<ExportTotals['missing'][number]>('missing_everywhere').all(),
        failed: sql<ExportTotals['failed'][number]>('failed').all(),
      };
    },
    members: () => {
      // Members of one group come one after another.
      let text: unknown;
      let group: GroupFacts | null = null;
      return rows('members').map((row) => {
        if (row['facts'] !== text) {
          text = row['facts'];
          group = text === null ? null : groupFacts.parse(JSON.parse(String(text)));
        }
        return {
          region: row['region'] as Region,
          guid: String(row['guid']),
          uid: String(row['uid']),
          scope: String(row['scope']),
          name: String(row['name']),
          joinedAt: row['joined_at'] as number | null,
          group,
        };
      });
    },
    groups: () =>
      rows('groups').map((row) => ({
        region: row['region'] as Region,
        ...groupFacts.parse(JSON.parse(String(row['facts']))),
      })),
    users: () =>
      rows('users').map((row) => ({
        region: row['region'] as Region,
        ...userFacts.parse(JSON.parse(String(row['facts']))),
      })),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

function storeOf(database: Database): ExportStore {
  const sql = statementsOf(database, STATEMENTS);
  const transaction = (work: () => void) => inTransaction(database, work);
  return {
    ...readerOf(database),
    move: (state, reason) => {
      sql('move').run({ state, reason, at: state === 'running' ? null : Date.now() });
    },
    countCalls: (calls) => {
      sql('count_calls').run({ calls });
    },
    isListDone: (region, list) => sql('is_list_done').get({ region, list }) !== undefined,
    listDone: (region, list) => {
      sql('list_done').run({ region, list });
    },
    nameGroups: (region, guids) =>
      transaction(() => {
        for (const guid of guids) sql('name_group').run({ region, guid });
      }),
    setFacts: (region, facts) => {
      sql('add_group').run({ region, guid: facts.guid, facts: JSON.stringify(facts) });
    },
    countToRead: () => Number(sql('count_to_read').get()?.['n']),
    groupsToRead: (region, after, limit) =>
      sql('groups_to_read')
        .all({ region, after, limit })
        .map(({ id, guid, known }) => ({
          id: Number(id),
          region,
          guid: String(guid),
          known: known === 1,
        })),
    closeGroup: (group, state, { code, message } = { code: '', message: '' }) => {
      if (state !== 'read') sql('forget_members').run({ group });
      sql('close_group').run({ group, state, code, message });
    },
    groupList: (region) =>
      tableStore(
        transaction,
        () => sql('forget_groups').run({ region }),
        (guid) => sql('has_group').get({ region, guid }) !== undefined,
        (guid, facts) => sql('add_group').run({ region, guid, facts: JSON.stringify(facts) }),
      ),
    memberList: (group) =>
      tableStore(
        transaction,
        () => sql('forget_members').run({ group }),
        (uid) => sql('has_member').get({ group, uid }) !== undefined,
        (uid, { scope, joinedAt, name = '' }) =>
          sql('put_member').run({ group, uid, scope, joined_at: wholeSeconds(joinedAt), name }),
      ),
    bannedList: (group) =>
      tableStore(
        transaction,
        () => {
          sql('forget_banned_only').run({ group });
          sql('forget_bans').run({ group });
        },
        (uid) => sql('has_member').get({ group, uid })?.['banned'] === 1,
        (uid) => sql('put_banned').run({ group, uid }),
      ),
    userList: (region) =>
      tableStore(
        transaction,
        () => sql('forget_users').run({ region }),
        (uid) => sql('has_user').get({ region, uid }) !== undefined,
        (uid, facts) => sql('put_user').run({ region, uid, facts: JSON.stringify(facts) }),
      ),
  };
}

function wholeSeconds(seconds: number | null): number | null {
  return seconds === null || !Number.isFinite(seconds) ? null : Math.trunc(seconds);
}
