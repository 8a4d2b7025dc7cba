import { USER_MISSING } from '../../chat/service/codes.ts';
import { foldId } from '../../membership/membership.ts';
import type { Statements } from '../../platform/sqlite.ts';
import type { Batch, BatchRecording, BatchResult, CreationRecording, Sent } from './batch-result.ts';
import { scopeId } from './enum-ids.ts';
import { NAMELESS_USER } from './profile.ts';

/** Code for a user whom the service does not find although the UID is taken. */
const USER_DEACTIVATED = 'USER_DEACTIVATED';
const BAN = scopeId('ban');

/** Counters of what was created, by kind and outcome. */
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

/** @param create statements of creating.sql @param parks whether users who are not known may be created or reactivated */
export function creationRecording(create: Statements, parks: boolean, recording: BatchRecording): CreationRecording {
  const { rowsOf, cutOff, answered, count, close } = recording;
  const creationsOf = (batch: number) => create<Creation>('of_batch').all({ batch });

  const finish = ({ id }: Creation, outcome: string, { code = '', message = '' }, at: number) => {
    create('finish').run({ id, outcome, code, message, at });
  };

  /** Rows that should have been sent with a new group are sent alone, when every group is settled. */
  const sendAlone = (batch: Batch, result: BatchResult): void => {
    const rows = rowsOf(batch);
    if (rows.length > 0) create('wait').run({ batch: cutOff(batch, rows, result) });
    close(batch, result, true);
  };

  const made = (batch: Batch, result: BatchResult, sent: Extract<Sent, { kind: 'made' }>): number => {
    for (const creation of creationsOf(batch.id)) {
      if (sent.outcome === 'missing') create('set_step').run({ id: creation.id, step: 'create', alone: 0, missing: 1 });
      else {
        const mayBeUnknown = creation.kind === 'user' && creation.alone === 1;
        const isNamed = sent.uids?.includes(creation.name) ?? !mayBeUnknown;
        finish(creation, isNamed ? sent.outcome : 'unconfirmed', sent, result.at);
        const counted = isNamed ? COUNTED[`${creation.kind} ${sent.outcome}`] : undefined;
        if (counted !== undefined) count(batch.region_id, counted, 1);
      }
    }
    // With a code, it existed already: the reply says nothing about the members that were sent with it.
    if (sent.outcome === 'created' && sent.code === '') return answered(batch, result, sent);
    sendAlone(batch, result);
    return 0;
  };

  /** The call did not create it. If the check failed or it may have been created, the calls that follow will show it. */
  const notMade = (batch: Batch, result: BatchResult, { code, message }: { code: string; message: string }): void => {
    const { kind } = result.sent;
    for (const creation of creationsOf(batch.id)) {
      const { id, step } = creation;
      if (kind === 'halve') create('set_step').run({ id, step, alone: 1, missing: 0 });
      else if (step === 'look') finish(creation, 'existing', { code, message }, result.at);
      else finish(creation, kind === 'unanswered' ? 'unconfirmed' : 'refused', { code, message }, result.at);
    }
    sendAlone(batch, result);
  };

  return {
    creates: (batch) => creationsOf(batch).length > 0,
    record: (batch, result) => {
      const { sent } = result;
      if (sent.kind === 'made') return made(batch, result, sent);
      if (sent.kind !== 'answered') notMade(batch, result, sent);
      return 0;
    },
    park: (batch, result, others) => {
      if (!parks) return others;
      const bans = new Set<number>();
      const unknown = others.filter(({ code, outcome }) => code === USER_MISSING && outcome === 'failed');
      if (unknown.length === 0) return others;
      const rows = new Map(rowsOf(batch).map((row) => [row.row_id, row]));
      for (const { row_id, scope_id } of rows.values()) if (scope_id === BAN) bans.add(row_id);
      // No user is created only to be banned.
      const waiting = unknown.filter(({ row }) => rows.has(row) && !bans.has(row));
      const nameOf = (row: number) => foldId(String(create('original').get({ row })?.['uid']));
      const region = batch.region_id;
      if (batch.users === 'settled') {
        const again = new Set(waiting);
        return others.map((other) => {
          if (!again.has(other)) return other;
          const user = create('user').get({ region, name: nameOf(other.row) });
          if (user?.['outcome'] === 'existing') return { ...other, code: USER_DEACTIVATED, message: DEACTIVATED };
          if (user?.['alone'] === 1 && user['outcome'] === 'unconfirmed') {
            return { ...other, code: NAMELESS_USER.code, message: `${other.message}; ${NAMELESS_USER.message}` };
          }
          const what = user?.['outcome'] === 'created' ? '; it was created a moment ago' : '';
          return { ...other, message: `${other.message}${what}` };
        });
      }
      if (waiting.length === 0) return others;
      const cut = waiting.flatMap(({ row }) => rows.get(row) ?? []);
      const parked = cutOff(batch, cut, result);
      create('park').run({ batch: parked });
      for (const { row, code, message } of waiting) {
        create('note_refusal').run({ batch: parked, row, code, message });
        create('add_user').run({ region, name: nameOf(row), row });
      }
      const moved = new Set(waiting);
      return others.filter((other) => !moved.has(other));
    },
  };
}

const DEACTIVATED = 'the service does not find this user, and its UID is taken: the user is deactivated';
