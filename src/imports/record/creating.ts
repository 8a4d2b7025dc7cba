import type { DatabaseSync } from 'node:sqlite';
import type { ImportedGroup, NewGroup, NewUser } from '../../chat/directory-client.ts';
import { USER_MISSING } from '../../chat/service/codes.ts';
import { MAX_IMPORTED_PER_CALL, MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import { foldId } from '../../membership/membership.ts';
import { type OverLimit, overLimits } from '../../options/create-limit.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import { inTransaction, type Statements } from '../../platform/sqlite.ts';
import { isObject, storedJson } from '../../platform/stored-json.ts';
import { batchWriter } from './batch-writer.ts';
import { actionId, outcomeId } from './enum-ids.ts';
import { groupProfile, NAMELESS_USER, ownerIn, profilesIn, type Unfit, userProfile } from './profile.ts';
import { settleGroup } from './recording.ts';
import { releaseRows } from './release-rows.ts';

/** The lookups, creations or reactivations of a batch. */
export type CreationToSend =
  | { readonly what: 'look'; readonly guid: string }
  | { readonly what: 'user'; readonly profile: NewUser }
  | {
      readonly what: 'group';
      readonly profile: NewGroup;
      /** The user who creates the group and owns it; absent: the service itself. */
      readonly onBehalfOf?: string;
    }
  | { readonly what: 'reactivate'; readonly uids: string[] }
  /** By the data import: several in one call. */
  | { readonly what: 'import'; readonly of: 'users' | 'groups'; readonly profiles: (NewUser | ImportedGroup)[] };

/** The next step when nothing of an import is in flight: send batches, ask a person, or nothing. */
type NextStep =
  | { readonly kind: 'send' }
  | { readonly kind: 'held'; readonly over: readonly OverLimit[] }
  | { readonly kind: 'none' };

const ADD = actionId('add');

interface Open {
  readonly id: number;
  readonly region_id: number;
  readonly name: string;
  readonly group_id: number | null;
  readonly row_id: number | null;
  readonly alone: number;
  /** 1: a call that would have created it was refused, perhaps for another one in it. */
  readonly tried: number;
}

/** A creation, and what is sent for it. */
type Made = readonly [creation: Open, body: CreationToSend];

interface RefusedGroup {
  readonly id: number;
  readonly region_id: number;
  readonly group_id: number;
  readonly code: string;
  readonly message: string;
  readonly body: string;
}

/**
 * Creates the users and groups of an import, step by step; each step begins when the one before has its results. First
 * groups are checked, and users whom the service did not find are collected while everything else is sent. Then it is
 * known how many are missing and whether they may be created. Nothing is created before that.
 */
export class Creating {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly options: CreateOptions;
  readonly #profiles: ReturnType<typeof profilesIn>;

  constructor(database: DatabaseSync, sql: Statements, options: CreateOptions) {
    this.#database = database;
    this.#sql = sql;
    this.options = options;
    this.#profiles = profilesIn(sql, options);
  }

  /** @throws CREATE_WITHOUT_NAME where nothing in the input gives a name to what it would create */
  requireNames(): void {
    this.#profiles.requireNames();
  }

  /** Lets every row that is sent now wait until its group is checked. Once for each group, before anything is sent to it. */
  begin(): void {
    if (!this.options.groups) return;
    inTransaction(this.#database, () => {
      if (this.#sql('add_groups').run({ add: ADD }).changes === 0) return;
      this.#sql('park_all').run();
      this.#look();
    });
  }

  next(): NextStep {
    return inTransaction(this.#database, () => {
      this.#sql('forget_batches').run();
      if (this.#look() > 0) return { kind: 'send' };
      if (this.options.reactivate) {
        for (const { id } of this.#sql<Pick<Open, 'id'>>('existing_users').all()) this.#goTo(id, 'reactivate');
      }
      this.#ownersFirst();
      const over = this.over({ users: this.#missing('user'), groups: this.#missing('group') });
      if (over.length > 0) return { kind: 'held', over };
      const users = this.#createUsers() + this.#reactivateUsers();
      return { kind: users > 0 || this.#createGroups() > 0 || this.#release() ? 'send' : 'none' };
    });
  }

  /** Limits that this many missing users and groups would exceed. */
  over(missing: Readonly<Record<'users' | 'groups', number>>): OverLimit[] {
    return overLimits(this.options, missing, (name) => this.#number(`count_${name}`));
  }

  /** Returns the things that a batch creates or checks; undefined for one that only sends rows. */
  toSend(batch: number): CreationToSend | undefined {
    const all = this.#sql<{ body: string }>('of_batch')
      .all({ batch })
      .map(({ body }) => storedJson(body, 'a creation', isCreation));
    const [first] = all;
    switch (first?.what) {
      case 'import':
        return { ...first, profiles: all.flatMap((one) => (one.what === 'import' ? one.profiles : [])) };
      case 'reactivate':
        return { ...first, uids: [...new Set(all.flatMap((one) => (one.what === 'reactivate' ? one.uids : [])))] };
      default:
        return first;
    }
  }

  /** Number of batches that wait for their groups or users. */
  waiting(): number {
    return this.#number('parked');
  }

  /** Fails rows that wait for their users, as the service refused them. Within a transaction. */
  giveUp(): void {
    for (const { region, n } of this.#sql<{ region: number; n: number }>('count_parked').all())
      this.#sql('add_to_counter').run({ region, name: 'failed', n });
    this.#sql('give_up_parked').run({ failed: outcomeId('failed') });
    this.#sql('close_parked').run({ state: 'done', at: Date.now() });
  }

  #number(name: string): number {
    return Number(this.#sql(name).get()?.['n']);
  }

  #open(step: string, kind: OverLimit['kind']): Open[] {
    return this.#sql<Open>('open').all({ step, kind });
  }

  #guidOf(group: number | null): string {
    return String(this.#sql('group').get({ group })?.['guid']);
  }

  #isSilent(): boolean {
    return this.#sql('every_group').get() !== undefined;
  }

  #refusedGroups(): RefusedGroup[] {
    return this.#sql<RefusedGroup>('refused_groups').all();
  }

  /** Number of those that the service did not know; 0 when all of them are created. */
  #missing(kind: OverLimit['kind']): number {
    const { n, open } = this.#sql<{ n: number; open: number }>('count_missing').get({ kind }) ?? { n: 0, open: 0 };
    return open === 0 ? 0 : n;
  }

  #goTo(id: number, step: 'create' | 'reactivate', alone = 0): void {
    this.#sql('set_step').run({ id, step, alone, missing: 1 });
  }

  #refuse({ id }: Open, { code, message }: Unfit): void {
    this.#sql('finish').run({ id, outcome: 'refused', code, message, at: Date.now() });
  }

  /** Sends creations of a region together, and alone what was refused among others. @param most in a batch */
  #sendEach(all: readonly Made[], most = 1): number {
    for (const some of Map.groupBy(all, ([{ region_id, tried }]) => `${region_id} ${tried}`).values()) {
      const size = some[0]?.[0].tried === 1 ? 1 : most;
      for (let from = 0; from < some.length; from += size) {
        let batch: number | undefined;
        for (const [creation, body] of some.slice(from, from + size)) batch = this.#send(creation, body, batch);
      }
    }
    return all.length;
  }

  #send(creation: Open, body: CreationToSend, batch = this.#addBatch(creation)): number {
    this.#sql('begin').run({ id: creation.id, batch, body: JSON.stringify(body) });
    return batch;
  }

  #addBatch({ group_id: group, row_id: row, region_id: region }: Open): number {
    return Number(this.#sql('add_creating_batch').run({ group, row, region }).lastInsertRowid);
  }

  #look(): number {
    return this.#sendEach(
      this.#open('look', 'group').map((group) => [group, { what: 'look', guid: this.#guidOf(group.group_id) }]),
    );
  }

  #createUsers(): number {
    const { users, reactivate } = this.options;
    const isSilent = this.#isSilent();
    const made: Made[] = [];
    for (const user of this.#open('create', 'user')) {
      if (!users) {
        this.#goTo(user.id, 'reactivate');
        continue;
      }
      const { uid, cells } = this.#profiles.rowOf(user.row_id);
      // The owner of a group may not have a row: then this row is one of the group's.
      const profile =
        foldId(uid) === user.name ? userProfile(uid, cells, this.options) : userProfile(user.name, {}, this.options);
      // Reactivating needs no name, and this user may be deactivated.
      if (profile === NAMELESS_USER && reactivate) this.#goTo(user.id, 'reactivate', 1);
      else if ('code' in profile) this.#refuse(user, profile);
      else
        made.push([user, isSilent ? { what: 'import', of: 'users', profiles: [profile] } : { what: 'user', profile }]);
    }
    return this.#sendEach(made, isSilent ? MAX_IMPORTED_PER_CALL : 1);
  }

  #reactivateUsers(): number {
    const users = this.#open('reactivate', 'user');
    return this.#sendEach(
      users.map((user) => [user, { what: 'reactivate', uids: [user.name] }]),
      MAX_UIDS_PER_CALL,
    );
  }

  #createGroups(): number {
    const isSilent = this.#isSilent();
    const imported: Made[] = [];
    let sent = 0;
    for (const creation of this.#open('create', 'group')) {
      const { group_id: group } = creation;
      if (group === null) continue;
      const profile = groupProfile(this.#guidOf(group), this.#profiles.ofGroup(group), this.options);
      if ('code' in profile) {
        this.#refuse(creation, profile);
        continue;
      }
      if (isSilent) {
        // Nobody can have joined before.
        const createdAt = this.#sql('first_joined').get({ group })?.['at'];
        const dated = { ...profile, ...(typeof createdAt === 'number' && { createdAt }) };
        imported.push([creation, { what: 'import', of: 'groups', profiles: [dated] }]);
        continue;
      }
      const acting = profile.owner === undefined ? this.#profiles.actingUser(group) : undefined;
      const isAlone = !this.options.membersWithGroup || creation.alone === 1;
      const first = isAlone
        ? undefined
        : this.#sql<{ id: number }>('first_parked').get({ group, add: ADD, acting: acting ?? '' })?.id;
      if (first !== undefined) this.#sql('unpark').run({ batch: first });
      this.#send(creation, { what: 'group', profile, ...(acting !== undefined && { onBehalfOf: acting }) }, first);
      sent += 1;
    }
    return sent + this.#sendEach(imported, MAX_IMPORTED_PER_CALL);
  }

  /** If the service does not know who would own a group, that user is created first, where users may be created. */
  #ownersFirst(): void {
    if (!this.options.users) return;
    for (const { id, group_id: group, region_id: region, code, body } of this.#refusedGroups()) {
      const name = code === USER_MISSING ? ownerIn(body) : undefined;
      if (name === undefined || this.#sql('user').get({ region, name }) !== undefined) continue;
      const row =
        this.#sql<{ id: number }>('row_of_user_in_group').get({ group, uid: name }) ??
        this.#sql<{ id: number }>('any_row_of_group').get({ group });
      this.#sql('add_user').run({ region, name, row: Number(row?.id) });
      this.#goTo(id, 'create');
    }
  }

  #release(): boolean {
    const batches = batchWriter(this.#sql);
    for (const { group_id: group, code, message: why } of this.#refusedGroups()) {
      const message = `it does not exist, and it could not be created: ${why}`;
      this.#sql('refuse_group').run({ group, code, message });
      this.#sql('unpark_group').run({ group });
      settleGroup(this.#sql, batches, group, Date.now());
    }
    const groups = Number(this.#sql('unpark_unsent').run().changes);
    const users = this.waiting();
    if (users > 0) releaseRows(this.#sql, batches);
    batches.writeTotals();
    return groups + users > 0;
  }
}

/** Its profile is checked with the payload of the job (jobs/create-missing.ts). */
function isCreation(value: unknown): value is CreationToSend {
  return isObject(value) && ['look', 'user', 'group', 'reactivate', 'import'].includes(String(value['what']));
}
