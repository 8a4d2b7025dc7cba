import { USER_MISSING } from '../../chat/service/codes.ts';
import { foldId } from '../../membership/membership.ts';
import type { Statements } from '../../platform/sqlite.ts';
import type { Batch, BatchRecording, BatchResult, RowOutcome, Sent } from './batch-result.ts';
import { actionId, scopeId } from './enum-ids.ts';
import { NAMELESS_USER } from './profile.ts';

/** Code for a user whom the service does not find although the UID is taken. */
const USER_DEACTIVATED = 'USER_DEACTIVATED';
const ADD = actionId('add');
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

/** Records the outcomes of users and groups that an import creates. */
export class CreationRecorder {
  readonly #create: Statements;
  readonly #parks: boolean;
  readonly #recording: BatchRecording;

  /** @param create statements of creating.sql @param parks whether users who are not known may be created or reactivated */
  constructor(create: Statements, parks: boolean, recording: BatchRecording) {
    this.#create = create;
    this.#parks = parks;
    this.#recording = recording;
  }

  /** Whether a batch looks for something, or creates or reactivates it. */
  creates(batch: number): boolean {
    return this.#creationsOf(batch).length > 0;
  }

  /** Records a result of such a batch; returns how many batches wait because of it. */
  record(batch: Batch, result: BatchResult): number {
    const { sent } = result;
    if (sent.kind === 'made') return this.#made(batch, result, sent);
    if (sent.kind !== 'answered') this.#notMade(batch, result, sent);
    return 0;
  }

  /** Lets rows wait whose users the service does not know; returns the other rows. */
  park(batch: Batch, result: BatchResult, others: readonly RowOutcome[]): readonly RowOutcome[] {
    // No user is created only to be changed, removed or unbanned.
    if (!this.#parks || batch.action_id !== ADD) return others;
    const bans = new Set<number>();
    const unknown = others.filter(({ code, outcome }) => code === USER_MISSING && outcome === 'failed');
    if (unknown.length === 0) return others;
    const rows = new Map(this.#recording.rowsOf(batch).map((row) => [row.row_id, row]));
    for (const { row_id, scope_id } of rows.values()) if (scope_id === BAN) bans.add(row_id);
    // No user is created only to be banned.
    const waiting = new Set(unknown.filter(({ row }) => rows.has(row) && !bans.has(row)));
    if (batch.users === 'settled') {
      return others.map((other) => (waiting.has(other) ? this.#afterCreating(batch, other) : other));
    }
    if (waiting.size === 0) return others;
    const cut = [...waiting].flatMap(({ row }) => rows.get(row) ?? []);
    const parked = this.#recording.cutOff(batch, cut, result);
    this.#create('park').run({ batch: parked });
    for (const { row, code, message } of waiting) {
      this.#create('note_refusal').run({ batch: parked, row, code, message });
      this.#create('add_user').run({ region: batch.region_id, name: this.#nameOf(row), row });
    }
    return others.filter((other) => !waiting.has(other));
  }

  /** A refusal of a row whose user is unknown although it should be there by now, with what became of creating it. */
  #afterCreating(batch: Batch, other: RowOutcome): RowOutcome {
    const user = this.#create('user').get({ region: batch.region_id, name: this.#nameOf(other.row) });
    if (user?.['outcome'] === 'existing') return { ...other, code: USER_DEACTIVATED, message: DEACTIVATED };
    if (user?.['alone'] === 1 && user['outcome'] === 'unconfirmed') {
      return { ...other, code: NAMELESS_USER.code, message: `${other.message}; ${NAMELESS_USER.message}` };
    }
    const what = user?.['outcome'] === 'created' ? '; it was created a moment ago' : '';
    return { ...other, message: `${other.message}${what}` };
  }

  #nameOf(row: number): string {
    return foldId(String(this.#create('original').get({ row })?.['uid']));
  }

  #creationsOf(batch: number): Creation[] {
    return this.#create<Creation>('of_batch').all({ batch });
  }

  #made(batch: Batch, result: BatchResult, sent: Extract<Sent, { kind: 'made' }>): number {
    for (const creation of this.#creationsOf(batch.id)) {
      const { id, kind, name, alone } = creation;
      if (sent.outcome === 'missing') this.#create('set_step').run({ id, step: 'create', alone: 0, missing: 1 });
      else {
        const mayBeUnknown = kind === 'user' && alone === 1;
        const isNamed = sent.uids?.includes(name) ?? !mayBeUnknown;
        const own = sent.each?.find((one) => one.name === name) ?? sent;
        const outcome = isNamed ? own.outcome : 'unconfirmed';
        this.#finish(creation, outcome, own, result.at);
        const counted = COUNTED[`${kind} ${outcome}`];
        if (counted !== undefined) this.#recording.count(batch.region_id, counted, 1);
      }
    }
    // With a code, it existed already: the reply says nothing about the members that were sent with it.
    if (sent.outcome === 'created' && sent.code === '') return this.#recording.answered(batch, result, sent);
    this.#sendAlone(batch, result);
    return 0;
  }

  /** The call did not create it. If the check failed or it may have been created, the calls that follow will show it. */
  #notMade(batch: Batch, result: BatchResult, { code, message }: { code: string; message: string }): void {
    const { kind } = result.sent;
    for (const creation of this.#creationsOf(batch.id)) {
      const { id, step } = creation;
      if (kind === 'halve') this.#create('set_step').run({ id, step, alone: 1, missing: 0 });
      else if (step === 'look') this.#finish(creation, 'existing', { code, message }, result.at);
      else this.#finish(creation, kind === 'unanswered' ? 'unconfirmed' : 'refused', { code, message }, result.at);
    }
    this.#sendAlone(batch, result);
  }

  #finish({ id }: Creation, outcome: string, { code = '', message = '' }, at: number): void {
    this.#create('finish').run({ id, outcome, code, message, at });
  }

  /** Rows that should have been sent with a new group are sent alone, when every group is settled. */
  #sendAlone(batch: Batch, result: BatchResult): void {
    const { rowsOf, cutOff, close } = this.#recording;
    const rows = rowsOf(batch);
    if (rows.length > 0) this.#create('wait').run({ batch: cutOff(batch, rows, result) });
    close(batch, result, true);
  }
}

const DEACTIVATED = 'the service does not find this user, and its UID is taken: the user is deactivated';

/** Makes the recorder of an import that creates users or groups. */
export type Creations = (recording: BatchRecording) => CreationRecorder;
