import type { DatabaseSync } from 'node:sqlite';
import type { ImportedGroup, NewGroup, NewUser } from '../../chat/directory-client.ts';
import { USER_MISSING } from '../../chat/service/codes.ts';
import { MAX_IMPORTED_PER_CALL, MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import type { Words } from '../../errors/named-options.ts';
import { foldId } from '../../membership/membership.ts';
import { type OverLimit, overLimits } from '../../options/create-limit.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import { inTransaction, type Statements } from '../../platform/sqlite.ts';
import { isObject, isText, storedJson } from '../../platform/stored-json.ts';
import { columnsOfInput } from '../read/notes.ts';
import { actionId, outcomeId } from './enum-ids.ts';
import {
  type Cells,
  cellsReader,
  firstCells,
  groupProfile,
  NAMELESS_USER,
  nameObstacle,
  ownerIn,
  type Unfit,
  userProfile,
} from './profile.ts';
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
  readonly kind: 'user' | 'group';
  readonly region_id: number;
  readonly name: string;
  readonly group_id: number | null;
  readonly row_id: number | null;
  readonly alone: number;
  /** 1: a call that would have created it was refused, perhaps for another one in it. */
  readonly tried: number;
}

/**
 * Creates the users and groups of an import, step by step; each step begins when the one before has its results. First
 * groups are checked, and users whom the service did not find are collected while everything else is sent. Then it is
 * known how many are missing and whether they may be created. Nothing is created before that.
 */
export class Creating {
  readonly #database: DatabaseSync;
  /** Statements of creating.sql. */
  readonly #sql: Statements;
  /** Statements of import.sql on the same file. */
  readonly #importSql: Statements;
  readonly #settleGroup: (group: number) => void;

  /** @param settleGroup gives the pending rows of a refused group its refusal */
  constructor(database: DatabaseSync, sql: Statements, importSql: Statements, settleGroup: (group: number) => void) {
    this.#database = database;
    this.#sql = sql;
    this.#importSql = importSql;
    this.#settleGroup = settleGroup;
  }

  /** Returns the reason why nothing can be created from this input, and the remedy; undefined if it can. */
  obstacle(options: CreateOptions): { readonly what: string; readonly remedy: Words } | undefined {
    return nameObstacle(this.#columns(), options);
  }

  /** Lets every row that is sent now wait until its group is checked. Once for each group, before anything is sent to it. */
  begin({ groups }: CreateOptions): void {
    if (!groups) return;
    inTransaction(this.#database, () => {
      if (this.#sql('add_groups').run({ add: ADD }).changes === 0) return;
      this.#sql('park_all').run();
      this.#look();
    });
  }

  next(options: CreateOptions): NextStep {
    return inTransaction(this.#database, () => {
      this.#sql('forget_batches').run();
      if (this.#look() > 0) return { kind: 'send' };
      if (options.reactivate) {
        for (const { id } of this.#sql('existing_users').all()) {
          this.#sql('set_step').run({ id: Number(id), step: 'reactivate', alone: 0, missing: 1 });
        }
      }
      this.#ownersFirst(options);
      const over = this.#overLimits(options);
      if (over.length > 0) return { kind: 'held', over };
      if (this.#createUsers(options) + this.#reactivateUsers() > 0) return { kind: 'send' };
      if (this.#createGroups(options) > 0) return { kind: 'send' };
      return { kind: this.#release() ? 'send' : 'none' };
    });
  }

  /** Limits that this many missing users and groups would exceed. */
  over(options: CreateOptions, missing: Readonly<Record<'users' | 'groups', number>>): OverLimit[] {
    return overLimits(options, missing, (name) => this.#number(`count_${name}`));
  }

  /** Returns the things that a batch creates or checks; undefined for one that only sends rows. */
  toSend(batch: number): CreationToSend | undefined {
    const [first, ...rest] = this.#sql('of_batch')
      .all({ batch })
      .map(({ body }) => storedJson(String(body), 'a creation', isCreation));
    if (first?.what !== 'import') return first;
    const profiles = [first, ...rest].flatMap((one) => (one.what === 'import' ? one.profiles : []));
    return { ...first, profiles };
  }

  /** Number of batches that wait for their groups or users. */
  waiting(): number {
    return this.#number('parked');
  }

  /** Fails rows that wait for their users, as the service refused them; returns how many, by region. */
  giveUp(): readonly { readonly region: number; readonly rows: number }[] {
    const rows = this.#sql('count_parked').all();
    this.#sql('give_up_parked').run({ failed: outcomeId('failed') });
    this.#sql('close_given_up').run({ at: Date.now() });
    return rows.map(({ region_id, n }) => ({ region: Number(region_id), rows: Number(n) }));
  }

  #open(step: string) {
    return this.#sql<Open>('open').all({ step });
  }

  /** Groups that are looked for. */
  #look(): number {
    const groups = this.#open('look');
    for (const group of groups) this.#send(group, { what: 'look', guid: this.#guidOf(group.group_id) });
    return groups.length;
  }

  #guidOf(group: number | null): string {
    return String(this.#importSql('group').get({ group })?.['guid']);
  }

  /** Creates each by a call of its own; in a silent import many by one call of the data import, and alone what was refused among others. */
  #sendEach(all: readonly (readonly [Open, CreationToSend])[]): number {
    let batch: number | undefined;
    let region = 0;
    let room = 0;
    for (const [creation, body] of all) {
      const isTogether = body.what === 'import' && creation.tried === 0;
      if (!isTogether || room === 0 || creation.region_id !== region) {
        batch = undefined;
        room = MAX_IMPORTED_PER_CALL;
      }
      const sent = this.#send(creation, body, batch);
      batch = isTogether ? sent : undefined;
      region = creation.region_id;
      room -= 1;
    }
    return all.length;
  }

  #number(name: string, values: Record<string, string | number> = {}) {
    return Number(this.#sql(name).get(values)?.['n']);
  }

  #columns() {
    return columnsOfInput(this.#importSql('input').get());
  }

  /** Adds a batch without rows; it needs a call group, any one of the group or row. */
  #addBatch({ group_id, row_id, region_id }: Open): number {
    const callGroup =
      group_id === null
        ? this.#sql('call_group_of_row').get({ row: row_id })
        : this.#sql('call_group_of_group').get({ group: group_id });
    return Number(
      this.#sql('add_creating_batch').run({ call_group: Number(callGroup?.['id']), region: region_id }).lastInsertRowid,
    );
  }

  #refuse(id: number, { code, message }: Unfit): void {
    this.#sql('finish').run({ id, outcome: 'refused', code, message, at: Date.now() });
  }

  #send(creation: Open, body: CreationToSend, batch = this.#addBatch(creation)): number {
    this.#sql('begin').run({ id: creation.id, batch, body: JSON.stringify(body) });
    return batch;
  }

  #overLimits(options: CreateOptions): OverLimit[] {
    const missing = (kind: OverLimit['kind']) => {
      const counted = this.#sql('count_missing').get({ kind });
      return Number(counted?.['open']) === 0 ? 0 : Number(counted?.['n']);
    };
    return this.over(options, { users: missing('user'), groups: missing('group') });
  }

  #createUsers(options: CreateOptions): number {
    const users = this.#open('create');
    const read = cellsReader(this.#columns(), options);
    const isSilent = this.#isSilent();
    const made: [Open, CreationToSend][] = [];
    for (const user of users) {
      if (user.kind !== 'user') continue;
      if (!options.users) {
        this.#sql('set_step').run({ id: user.id, step: 'reactivate', alone: 0, missing: 1 });
        continue;
      }
      const row = user.row_id === null ? undefined : this.#sql('original').get({ row: user.row_id });
      const cells: Cells = row === undefined ? () => '' : read(row['original']);
      // The owner of a group may not have a row: then this row is one of the group's.
      const own = foldId(String(row?.['uid'] ?? '')) === user.name;
      const profile = userProfile(own ? String(row?.['uid']) : user.name, own ? cells : () => '', options);
      // Reactivating needs no name, and this user may be deactivated.
      if (profile === NAMELESS_USER && options.reactivate)
        this.#sql('set_step').run({ id: user.id, step: 'reactivate', alone: 1, missing: 1 });
      else if ('code' in profile) this.#refuse(user.id, profile);
      else
        made.push([user, isSilent ? { what: 'import', of: 'users', profiles: [profile] } : { what: 'user', profile }]);
    }
    return this.#sendEach(made);
  }

  #isSilent(): boolean {
    return this.#sql('every_group').get() !== undefined;
  }

  #reactivateUsers(): number {
    const users = this.#open('reactivate');
    for (const region of new Set(users.map(({ region_id }) => region_id))) {
      const inRegion = users.filter(({ region_id }) => region_id === region);
      for (let from = 0; from < inRegion.length; from += MAX_UIDS_PER_CALL) {
        const together = inRegion.slice(from, from + MAX_UIDS_PER_CALL);
        const body: CreationToSend = { what: 'reactivate', uids: together.map(({ name }) => name) };
        let batch: number | undefined;
        for (const user of together) batch = this.#send(user, body, batch);
      }
    }
    return users.length;
  }

  #createGroups(options: CreateOptions): number {
    const read = cellsReader(this.#columns(), options);
    const isSilent = this.#isSilent();
    const imported: [Open, CreationToSend][] = [];
    let sent = 0;
    for (const group of this.#open('create')) {
      if (group.kind !== 'group' || group.group_id === null) continue;
      const rows = this.#sql('rows_of_group').all({ group: group.group_id });
      const guid = this.#guidOf(group.group_id);
      const cells = firstCells(rows.map(({ original }) => read(original)));
      const profile = groupProfile(guid, cells, options);
      if ('code' in profile) {
        this.#refuse(group.id, profile);
        continue;
      }
      if (isSilent) {
        // Nobody can have joined before.
        const createdAt = this.#sql('first_joined').get({ group: group.group_id })?.['at'];
        const profiles = [{ ...profile, ...(typeof createdAt === 'number' && { createdAt }) }];
        imported.push([group, { what: 'import', of: 'groups', profiles }]);
        continue;
      }
      const isAlone = !options.membersWithGroup || group.alone === 1;
      const acting =
        profile.owner === undefined ? this.#sql('acting_user').get({ group: group.group_id, add: ADD })?.['uid'] : null;
      const onBehalfOf = isText(acting) ? acting : '';
      const first = isAlone
        ? undefined
        : this.#sql('first_parked').get({ group: group.group_id, add: ADD, acting: onBehalfOf })?.['id'];
      if (first !== undefined) this.#sql('unpark').run({ batch: Number(first) });
      const body: CreationToSend = { what: 'group', profile, ...(onBehalfOf !== '' && { onBehalfOf }) };
      this.#send(group, body, first === undefined ? undefined : Number(first));
      sent += 1;
    }
    return sent + this.#sendEach(imported);
  }

  /** If the service does not know who would own a group, that user is created first, where users may be created. */
  #ownersFirst(options: CreateOptions): number {
    let owners = 0;
    for (const refused of this.#sql('refused_groups').all()) {
      const { id, group_id: group, region_id: region, code, body } = refused as Record<string, string | number>;
      const name = body === undefined ? '' : (ownerIn(String(body)) ?? '');
      if (!options.users || code !== USER_MISSING || name === '') continue;
      if (this.#sql('user').get({ region: Number(region), name }) !== undefined) continue;
      const own = this.#sql('row_of_user_in_group').get({ group: Number(group), uid: name })?.['id'];
      const row = own ?? this.#sql('any_row_of_group').get({ group: Number(group) })?.['id'];
      this.#sql('add_user').run({ region: Number(region), name, row: Number(row) });
      this.#sql('set_step').run({ id: Number(id), step: 'create', alone: 0, missing: 1 });
      owners += 1;
    }
    return owners;
  }

  #settleRefusedGroups(): number[] {
    return this.#sql('refused_groups')
      .all()
      .map(({ group_id, code, message }) => {
        const group = Number(group_id);
        const why = `it does not exist, and it could not be created: ${message}`;
        this.#importSql('refuse_group').run({ group, code: String(code), message: why });
        this.#sql('unpark_group').run({ group });
        return group;
      });
  }

  #release(): boolean {
    for (const group of this.#settleRefusedGroups()) this.#settleGroup(group);
    const groups = Number(this.#sql('unpark_unsent').run().changes);
    const waited = this.#number('parked');
    if (waited > 0) {
      for (const [region, n] of releaseRows(this.#sql))
        this.#importSql('add_to_counter').run({ region, name: 'failed', n });
    }
    return groups + waited > 0;
  }
}

/** Its profile is checked with the payload of the job (jobs/create-missing.ts). */
function isCreation(value: unknown): value is CreationToSend {
  return isObject(value) && ['look', 'user', 'group', 'reactivate', 'import'].includes(String(value['what']));
}
