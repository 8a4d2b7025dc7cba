import { USER_MISSING } from '../../chat/service/codes.ts';
import { foldId } from '../../membership/membership.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import type { Statements } from '../../platform/sqlite.ts';
import type { Answered, Batch, BatchResult, RowOutcome, Sent } from './batch-result.ts';
import type { BatchWriter } from './batch-writer.ts';
import { actionId, scopeId } from './enum-ids.ts';
import { NAMELESS_USER } from './profile.ts';

/** Code for a user whom the service does not find although the UID is taken. */
const USER_DEACTIVATED = 'USER_DEACTIVATED';
const DEACTIVATED = 'the service does not find this user, and its UID is taken: the user is deactivated';
const ADD = actionId('add');
const BAN = scopeId('ban');

const COUNTED: Readonly<Record<string, string>> = {
  'user created': 'createdUsers',
  'group created': 'createdGroups',
  'user reactivated': 'reactivatedUsers',
};

interface Creation {
  readonly id: number;
  readonly kind: 'user' | 'group';
  readonly name: string;
  readonly step: 'look' | 'create' | 'reactivate';
  /** 1 for a user that can only be reactivated, because it has no name. */
  readonly alone: number;
}

type SentToCreate = Exclude<Sent, { kind: 'answered' | 'stop-region' }>;

/** A user whom the service did not know. */
export interface MissingUser {
  /** Null until it is known. */
  readonly outcome: string | null;
  readonly code: string;
  readonly message: string;
  /** 1: see `Creation`. */
  readonly alone: number;
}

/** Records the outcomes of users and groups that an import creates. */
export function creationRecorder(sql: Statements, create: CreateOptions, batches: BatchWriter) {
  const nameOf = (row: number): string => foldId(String(sql('original').get({ row })?.['uid']));

  /** A refusal of a row whose user is unknown although it should be there by now, with what became of creating it. */
  const afterCreating = (batch: Batch, other: RowOutcome): RowOutcome => {
    const user = sql<MissingUser>('user').get({ region: batch.region_id, name: nameOf(other.row) });
    if (user?.outcome === 'existing') return { ...other, code: USER_DEACTIVATED, message: DEACTIVATED };
    if (user?.alone === 1 && user.outcome === 'unconfirmed') {
      return { ...other, code: NAMELESS_USER.code, message: `${other.message}; ${NAMELESS_USER.message}` };
    }
    const what = user?.outcome === 'created' ? '; it was created a moment ago' : '';
    return { ...other, message: `${other.message}${what}` };
  };

  const creationsOf = (batch: number): Creation[] => sql<Creation>('of_batch').all({ batch });

  return {
    /** Whether a batch looks for something, or creates or reactivates it. */
    creates: (batch: number): boolean => creationsOf(batch).length > 0,

    /**
     * Records a result of such a batch. Returns what the reply says of the rows that were sent with a new group; undefined
     * where they are sent alone, when every group is settled.
     */
    record: (batch: Batch, result: BatchResult, sent: SentToCreate): Answered | undefined => {
      const finish = ({ id }: Creation, outcome: string, { code = '', message = '' }): void => {
        sql('finish').run({ id, outcome, code, message, at: result.at });
      };
      for (const creation of creationsOf(batch.id)) {
        const { id, kind, name, step, alone } = creation;
        if (sent.kind === 'made' && sent.outcome === 'missing')
          sql('set_step').run({ id, step: 'create', alone: 0, missing: 1 });
        else if (sent.kind === 'made') {
          const mayBeUnknown = kind === 'user' && alone === 1;
          const isNamed = sent.uids?.includes(name) ?? !mayBeUnknown;
          const own = sent.each?.find((one) => one.name === name) ?? sent;
          const outcome = isNamed ? own.outcome : 'unconfirmed';
          finish(creation, outcome, own);
          const counted = COUNTED[`${kind} ${outcome}`];
          if (counted !== undefined) batches.count(batch.region_id, counted, 1);
        } else if (sent.kind === 'halve') sql('set_step').run({ id, step, alone: 1, missing: 0 });
        // If the check failed or it may have been created, the calls that follow will show it.
        else if (step === 'look') finish(creation, 'existing', sent);
        else finish(creation, sent.kind === 'unanswered' ? 'unconfirmed' : 'refused', sent);
      }
      // With a code, it existed already: the reply says nothing about the members that were sent with it.
      if (sent.kind === 'made' && sent.outcome === 'created' && sent.code === '') return sent;
      const rows = batches.rowsOf(batch);
      if (rows.length > 0) sql('park').run({ batch: batches.cutOff(batch, rows, result), users: null });
      batches.close(batch, result, 'replaced');
      return undefined;
    },

    /** Lets rows wait whose users the service does not know; returns the other rows. */
    park: (batch: Batch, result: BatchResult, others: readonly RowOutcome[]): readonly RowOutcome[] => {
      // No user is created only to be changed, removed or unbanned.
      if (!(create.users || create.reactivate) || batch.action_id !== ADD) return others;
      const unknown = others.filter(({ code, outcome }) => code === USER_MISSING && outcome === 'failed');
      if (unknown.length === 0) return others;
      // No user is created only to be banned.
      const adding = batches.rowsOf(batch).filter(({ scope_id }) => scope_id !== BAN);
      const rows = new Map(adding.map((row) => [row.row_id, row]));
      const waiting = new Set(unknown.filter(({ row }) => rows.has(row)));
      if (batch.users === 'settled') {
        return others.map((other) => (waiting.has(other) ? afterCreating(batch, other) : other));
      }
      if (waiting.size === 0) return others;
      const cut = [...waiting].flatMap(({ row }) => rows.get(row) ?? []);
      const parked = batches.cutOff(batch, cut, result);
      sql('park').run({ batch: parked, users: 'unknown' });
      for (const { row, code, message } of waiting) {
        sql('note_row').run({ batch: parked, row, code, message });
        sql('add_user').run({ region: batch.region_id, name: nameOf(row), row });
      }
      return others.filter((other) => !waiting.has(other));
    },
  };
}
