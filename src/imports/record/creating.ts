import type { DatabaseSync } from 'node:sqlite';
import { USER_MISSING } from '../../chat/service/codes.ts';
import { MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import type { Words } from '../../errors/named-options.ts';
import { foldId } from '../../membership/membership.ts';
import type { CreateField, CreateOptions } from '../../options/create-options.ts';
import { inTransaction, type Statements } from '../../platform/sqlite.ts';
import { isObject, storedJson } from '../../platform/stored-json.ts';
import { createLimit, DEFAULT_MAX_CREATE } from '../create-limit.ts';
import { columnsOf } from '../input-columns.ts';
import { ownerIn } from './created.ts';
import { actionId, outcomeId, scopeId } from './enum-ids.ts';
import {
  type Cells,
  cellsOf,
  firstCells,
  type GroupProfile,
  groupProfile,
  NAMELESS_USER,
  nameObstacle,
  profileColumns,
  type Unfit,
  type UserProfile,
  userProfile,
} from './profile.ts';
import type { BatchState } from './recorded-batch.ts';

/** What a batch looks for, creates or reactivates. */
export type CreationToSend =
  | { readonly what: 'look' }
  | { readonly what: 'user'; readonly profile: UserProfile }
  | { readonly what: 'group'; readonly profile: GroupProfile }
  | { readonly what: 'reactivate'; readonly uids: readonly string[] };

/** More users or groups are missing than may be created. */
export interface OverLimit {
  readonly kind: 'user' | 'group';
  readonly missing: number;
  readonly limit: number;
}

/** The next step when nothing of an import is in flight: send batches, ask a person, or nothing. */
type NextStep =
  | { readonly kind: 'send' }
  | { readonly kind: 'held'; readonly over: readonly OverLimit[] }
  | { readonly kind: 'none' };

/**
 * What an import creates, step by step; each step begins when the one before has its results. First groups are checked, and
 * users whom the service did not find are collected while everything else is sent. Then it is known how many are missing
 * and whether they may be created. Nothing is created before that.
 */
export interface Creating {
  /** Why nothing can be created from this input, and what to do; undefined if it can. */
  obstacle(options: CreateOptions): { readonly what: string; readonly remedy: Words } | undefined;
  /** Lets every row that is sent now wait until its group is checked. Once for each group, before anything is sent to it. */
  begin(options: CreateOptions): void;
  next(options: CreateOptions): NextStep;
  /** Limits that this many missing users and groups would exceed. */
  over(options: CreateOptions, missing: Readonly<Record<'users' | 'groups', number>>): OverLimit[];
  /** What a batch creates or checks; undefined for one that only sends rows. */
  toSend(batch: number): CreationToSend | undefined;
  /** Number of batches that wait for their groups or users. */
  waiting(): number;
  /** Fails rows that wait for their users, as the service refused them; returns how many, by region. */
  giveUp(): readonly { readonly region: number; readonly rows: number }[];
}

const ADD = actionId('add');
const BAN = scopeId('ban');

interface Open {
  readonly id: number;
  readonly kind: 'user' | 'group';
  readonly region_id: number;
  readonly name: string;
  readonly group_id: number | null;
  readonly row_id: number | null;
  readonly alone: number;
}

interface WaitingRow {
  readonly call_group_id: number;
  readonly region_id: number;
  readonly batch: number;
  readonly uncertainty: string | null;
  readonly calls: number;
  readonly http_status: number | null;
  readonly row_id: number;
  readonly scope_id: number;
  /** UID in lower case. */
  readonly name: string;
}

/**
 * @param sql statements of creating.sql, importSql those of import.sql on the same file
 * @param settleGroup gives the pending rows of a refused group its refusal
 */
export function creatingOf(
  database: DatabaseSync,
  sql: Statements,
  importSql: Statements,
  settleGroup: (group: number) => void,
): Creating {
  const open = (step: string) => sql<Open>('open').all({ step });
  const number = (name: string, values: Record<string, string | number> = {}) => Number(sql(name).get(values)?.['n']);

  const input = (): { columns: string[]; places: (options: CreateOptions) => ReadonlyMap<CreateField, number> } => {
    const columns = columnsOf(importSql('input').get());
    return { columns, places: (options) => profileColumns(columns, options.columns) };
  };

  /** Adds a batch without rows; it needs a call group, any one of the group or row. */
  const addBatch = ({ group_id, row_id, region_id }: Open): number => {
    const callGroup =
      group_id === null
        ? sql('call_group_of_row').get({ row: row_id })
        : sql('call_group_of_group').get({ group: group_id });
    return Number(
      sql('add_creating_batch').run({ call_group: Number(callGroup?.['id']), region: region_id }).lastInsertRowid,
    );
  };

  const refuse = (id: number, { code, message }: Unfit): void => {
    sql('finish').run({ id, outcome: 'refused', code, message, at: Date.now() });
  };

  const send = (creation: Open, body: CreationToSend, batch = addBatch(creation)): number => {
    sql('begin').run({ id: creation.id, batch, body: JSON.stringify(body) });
    return batch;
  };

  const overLimit = (options: CreateOptions, kind: OverLimit['kind'], missing: number): OverLimit[] => {
    const limit = createLimit(options.max[`${kind}s`] ?? DEFAULT_MAX_CREATE[`${kind}s`], () =>
      number(`count_${kind}s`),
    );
    return missing > limit ? [{ kind, missing, limit }] : [];
  };

  const overLimits = (options: CreateOptions): OverLimit[] =>
    (['user', 'group'] as const).flatMap((kind) => {
      const counted = sql('count_missing').get({ kind });
      const missing = Number(counted?.['n']);
      return Number(counted?.['open']) === 0 ? [] : overLimit(options, kind, missing);
    });

  const createUsers = (options: CreateOptions): number => {
    const users = open('create');
    const { columns, places } = input();
    const found = places(options);
    let sent = 0;
    for (const user of users) {
      if (user.kind !== 'user') continue;
      if (!options.users) {
        sql('set_step').run({ id: user.id, step: 'reactivate', alone: 0, missing: 1 });
        continue;
      }
      const row = user.row_id === null ? undefined : sql('original').get({ row: user.row_id });
      const cells: Cells = row === undefined ? () => '' : cellsOf(String(row['original']), columns, found);
      // The owner of a group may not have a row: then this row is one of the group's.
      const own = foldId(String(row?.['uid'] ?? '')) === user.name;
      const profile = userProfile(own ? String(row?.['uid']) : user.name, own ? cells : () => '', options);
      // Reactivating needs no name, and this user may be deactivated.
      if (profile === NAMELESS_USER && options.reactivate)
        sql('set_step').run({ id: user.id, step: 'reactivate', alone: 1, missing: 1 });
      else if ('code' in profile) refuse(user.id, profile);
      else {
        send(user, { what: 'user', profile });
        sent += 1;
      }
    }
    return sent;
  };

  const reactivateUsers = (): number => {
    const users = open('reactivate');
    for (const region of new Set(users.map(({ region_id }) => region_id))) {
      const there = users.filter(({ region_id }) => region_id === region);
      for (let from = 0; from < there.length; from += MAX_UIDS_PER_CALL) {
        const together = there.slice(from, from + MAX_UIDS_PER_CALL);
        const body: CreationToSend = { what: 'reactivate', uids: together.map(({ name }) => name) };
        let batch: number | undefined;
        for (const user of together) batch = send(user, body, batch);
      }
    }
    return users.length;
  };

  const createGroups = (options: CreateOptions): number => {
    const { columns, places } = input();
    const found = places(options);
    let sent = 0;
    for (const group of open('create')) {
      if (group.kind !== 'group' || group.group_id === null) continue;
      const rows = sql('rows_of_group').all({ group: group.group_id });
      const guid = String(importSql('group').get({ group: group.group_id })?.['guid']);
      const cells = firstCells(rows.map((row) => cellsOf(String(row['original']), columns, found)));
      const profile = groupProfile(guid, cells, options);
      if ('code' in profile) {
        refuse(group.id, profile);
        continue;
      }
      const isAlone = !options.membersWithGroup || group.alone === 1;
      const first = isAlone ? undefined : sql('first_parked').get({ group: group.group_id, add: ADD })?.['id'];
      if (first !== undefined) sql('unpark').run({ batch: Number(first) });
      send(group, { what: 'group', profile }, first === undefined ? undefined : Number(first));
      sent += 1;
    }
    return sent;
  };

  /** If the service does not know a group's owner, the owner is created first, where users may be created. */
  const ownersFirst = (options: CreateOptions): number => {
    let owners = 0;
    for (const refused of sql('refused_groups').all()) {
      const { id, group_id: group, region_id: region, code, body } = refused as Record<string, string | number>;
      const name = body === undefined ? '' : (ownerIn(String(body)) ?? '');
      if (!options.users || code !== USER_MISSING || name === '') continue;
      if (sql('user').get({ region: Number(region), name }) !== undefined) continue;
      const own = sql('row_of_user_in_group').get({ group: Number(group), uid: name })?.['id'];
      const row = own ?? sql('any_row_of_group').get({ group: Number(group) })?.['id'];
      sql('add_user').run({ region: Number(region), name, row: Number(row) });
      sql('set_step').run({ id: Number(id), step: 'create', alone: 0, missing: 1 });
      owners += 1;
    }
    return owners;
  };

  const settleRefusedGroups = (): number[] =>
    sql('refused_groups')
      .all()
      .map(({ group_id, code, message }) => {
        const group = Number(group_id);
        const why = `it does not exist, and it could not be created: ${message}`;
        importSql('refuse_group').run({ group, code: String(code), message: why });
        sql('unpark_group').run({ group });
        return group;
      });

  /** Rows whose users were created are sent again in full calls; the others fail. Returns how many fail, by region. */
  const releaseRows = (): Map<number, number> => {
    const failed = new Map<number, number>();
    const rows = sql<WaitingRow>('parked_rows').all();
    const at = Date.now();
    const place = (together: readonly WaitingRow[], state: BatchState): void => {
      const [first] = together;
      if (first === undefined) return;
      const to = sql('add_again').run({
        call_group: first.call_group_id,
        region: first.region_id,
        state,
        size: together.length,
        bans: together.filter(({ scope_id }) => scope_id === BAN).length,
        uncertainty: together.find(({ uncertainty }) => uncertainty !== null)?.uncertainty ?? null,
        calls: Math.max(...together.map(({ calls }) => calls)),
        http_status: first.http_status,
        at: state === 'done' ? at : null,
      }).lastInsertRowid;
      for (const { batch, row_id } of together) sql('move_back').run({ to, from: batch, row: row_id });
    };
    for (const callGroup of Map.groupBy(rows, ({ call_group_id }) => call_group_id).values()) {
      const fates = callGroup.map((row) => ({ row, user: sql('user').get({ region: row.region_id, name: row.name }) }));
      const lost = fates.filter(({ user }) => user?.['outcome'] === 'refused');
      place(
        lost.map(({ row }) => row),
        'done',
      );
      for (const { row, user } of lost) {
        const why = user?.['alone'] === 1 ? NAMELESS_USER : { code: user?.['code'], message: user?.['message'] };
        const message = `the service does not know this user, and it could not be created: ${why.message}`;
        sql('settle_lost').run({
          row: row.row_id,
          outcome: outcomeId('failed'),
          code: String(why.code),
          message,
        });
        failed.set(row.region_id, (failed.get(row.region_id) ?? 0) + 1);
      }
      const kept = fates.filter(({ user }) => user?.['outcome'] !== 'refused').map(({ row }) => row);
      for (let from = 0; from < kept.length; from += MAX_UIDS_PER_CALL)
        place(kept.slice(from, from + MAX_UIDS_PER_CALL), 'pending');
    }
    sql('close_parked').run({ at });
    return failed;
  };

  const release = (): boolean => {
    for (const group of settleRefusedGroups()) settleGroup(group);
    const groups = Number(sql('unpark_unsent').run().changes);
    const waited = number('parked');
    if (waited > 0) {
      for (const [region, n] of releaseRows()) importSql('add_to_counter').run({ region, name: 'failed', n });
    }
    return groups + waited > 0;
  };

  return {
    obstacle: (options) => nameObstacle(input().columns, options),
    begin: ({ groups }) => {
      if (!groups) return;
      inTransaction(database, () => {
        if (sql('add_groups').run({ add: ADD }).changes === 0) return;
        sql('park_all').run();
        for (const group of open('look')) send(group, { what: 'look' });
      });
    },
    next: (options) =>
      inTransaction(database, () => {
        sql('forget_batches').run();
        const looks = open('look');
        for (const group of looks) send(group, { what: 'look' });
        if (looks.length > 0) return { kind: 'send' };
        if (options.reactivate) {
          for (const { id } of sql('existing_users').all()) {
            sql('set_step').run({ id: Number(id), step: 'reactivate', alone: 0, missing: 1 });
          }
        }
        ownersFirst(options);
        const over = overLimits(options);
        if (over.length > 0) return { kind: 'held', over };
        if (createUsers(options) + reactivateUsers() > 0) return { kind: 'send' };
        if (createGroups(options) > 0) return { kind: 'send' };
        return { kind: release() ? 'send' : 'none' };
      }),
    over: (options, missing) => [
      ...(options.users || options.reactivate ? overLimit(options, 'user', missing.users) : []),
      ...(options.groups ? overLimit(options, 'group', missing.groups) : []),
    ],
    toSend: (batch) => {
      const creation = sql('of_batch').get({ batch });
      return creation === undefined ? undefined : storedJson(String(creation['body']), 'a creation', isCreation);
    },
    waiting: () => number('parked'),
    giveUp: () => {
      const rows = sql('count_parked').all();
      sql('give_up_parked').run({ failed: outcomeId('failed') });
      sql('close_given_up').run({ at: Date.now() });
      return rows.map(({ region_id, n }) => ({ region: Number(region_id), rows: Number(n) }));
    },
  };
}

/** Its profile is checked with the payload of the job (jobs/create-missing.ts). */
function isCreation(value: unknown): value is CreationToSend {
  return isObject(value) && ['look', 'user', 'group', 'reactivate'].includes(String(value['what']));
}
