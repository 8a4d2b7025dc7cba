import { z } from 'zod';
import type { AddMembersResult } from '../src/chat/chat-client.ts';
import type { AddMembersRequest } from '../src/chat/contract.ts';
import { judge, type RefusedOutcome, readEntry, refusedOutcome } from '../src/chat/error-policy.ts';
import type { Addition, MemberEntries, MemberResult } from '../src/chat/member-entries.ts';
import { ACTOR_OUTSIDE } from '../src/chat/service/codes.ts';
import { LIST_OF_SCOPE, MEMBER_LISTS, type MemberList } from '../src/chat/service/lists.ts';
import { isListed, type RowOutcome, type Sent } from '../src/imports/record/batch-result.ts';
import type { BatchToSend } from '../src/imports/record/import-ledger.ts';
import { foldId } from '../src/membership/membership.ts';
import type { Outcome } from '../src/membership/outcome.ts';
import { sumOf } from '../src/text/wording.ts';
import { BATCH_FIELDS } from './batch-payload.ts';
import { afterReply, maybeEarlier, type Read } from './batch-policy.ts';
import { FOUND_IN_GROUP, LOOKED_FIELDS, type Looked, lookFirst, type Wanted } from './repeats.ts';
import { batchJob } from './send-batch.ts';

/**
 * add-members: adds the rows of one batch to their group in one call, and gives one outcome per UID.
 *
 * Queue, output, retries: as send-batch.ts says.
 * Input     the batch, and the earlier calls for it.
 * Repeats   only what the group does not have already (repeats.ts). The outcome "already a member" of a repeat says
 *           that the earlier call may be the reason.
 */

/** Rows of a list as [row number, UID]. Checked by hand: a schema for each row takes ten times as long. */
const listed = z.custom<[number, string][]>(isListed, { error: 'expected rows as [row number, UID]' }).optional();

/** The rows of a call by the list in which their UIDs are sent. */
export const listedRows = z.strictObject({
  admins: listed,
  moderators: listed,
  participants: listed,
  usersToBan: listed,
});
type ListedRows = z.infer<typeof listedRows>;

const payload = z.object({
  version: z.literal(1),
  ...BATCH_FIELDS,
  ...LOOKED_FIELDS,
  lists: listedRows,
});
export type AddMembersPayload = z.infer<typeof payload>;

export const addMembers = batchJob<AddMembersPayload, AddMembersResult>({
  name: 'add-members',
  payload,
  settle: async (job, ports) => {
    const { payload: batch } = job;
    const looked = await lookFirst(job, ports, wantedBy);
    const isOver = batch.standing?.ended !== undefined || (looked !== undefined && sizeOf(restOf(batch)) === 0);
    return isOver ? settled(batch, looked?.whole ?? []) : undefined;
  },
  send: (chat, batch, options) => chat.addMembers(batch.guid, requestOf(restOf(batch)), options),
  judge: (batch, error) => {
    const rest = restOf(batch);
    const verdict = judge(error, sizeOf(rest), batch.onBehalfOf);
    // An acting user outside the group can add no one but itself: smaller calls would get the same refusal.
    const isOfAll = verdict.code === ACTOR_OUTSIDE && verdict.kind === 'halve' && addsOthers(rest, batch.onBehalfOf);
    return isOfAll ? { ...verdict, kind: 'final' } : verdict;
  },
  readAnswer: (batch, { entries }, ended) => {
    const answered = afterReply(readEntries(restOf(batch), entries, batch.uncertainty), ended);
    return { kind: 'answered', ...answered, others: [...answered.others, ...foundIn(batch)] };
  },
  readRefusal: (batch, { kind, code, message }) => {
    if (kind === 'halve') return { kind, code, message };
    if (kind === 'group') return { kind, code, message };
    const outcome = finalOutcome(batch, code);
    const found = foundIn(batch);
    if (found.length === 0) return { kind: 'refused', outcome, code, message };
    const others = [...found, ...likewise(restOf(batch), { outcome, code, message })];
    return { kind: 'answered', missing: [], others };
  },
  size: (batch) => sizeOf(restOf(batch)),
  rows: ({ lists }) => rowsOf(lists),
});

/** The outcomes of a batch of which nothing more is sent: its rows are in the group, or all attempts are used up. */
function settled(batch: AddMembersPayload, whole: Looked['whole']): Sent {
  const { code, message, absent = 'failed' } = batch.standing?.ended ?? { code: '', message: '' };
  const { usersToBan, ...additions } = restOf(batch);
  const restOfList = (lists: ListedRows, name: 'members' | 'banned') =>
    whole.includes(name)
      ? likewise(lists, { outcome: absent, code, message: `${message}; ${ABSENT[name]}` })
      : likewise(lists, { outcome: 'unconfirmed', code, message });
  const others = [
    ...foundIn(batch),
    ...restOfList(additions, 'members'),
    ...(usersToBan === undefined ? [] : restOfList({ usersToBan }, 'banned')),
  ];
  return { kind: 'answered', others, missing: [] };
}

const ABSENT = {
  members: "afterwards this user was not in the group's list of members",
  banned: "afterwards this user was not in the group's list of banned users",
};

function wantedBy(batch: AddMembersPayload): readonly Wanted[] {
  const lists = restOf({ ...batch, looked: undefined });
  return MEMBER_LISTS.flatMap((list) =>
    (lists[list] ?? []).map(([row, uid]) => ({ row, uid, ban: list === 'usersToBan' })),
  );
}

/** The rows that nothing is known of: their users were not found in the group. */
function restOf({ lists, looked }: AddMembersPayload): ListedRows {
  if (!looked?.found.length) return lists;
  const found = new Set(looked.found);
  const rest: ListedRows = {};
  for (const list of MEMBER_LISTS) {
    const rows = lists[list]?.filter(([row]) => !found.has(row)) ?? [];
    if (rows.length > 0) rest[list] = rows;
  }
  return rest;
}

function foundIn({ lists, looked, uncertainty }: AddMembersPayload): readonly RowOutcome[] {
  const bans = new Set(lists.usersToBan?.map(([row]) => row));
  return (looked?.found ?? []).map((row) => {
    const outcome = bans.has(row) ? 'banned' : 'already_member';
    const message = `it was so before the call was repeated; ${maybeEarlier(uncertainty)}`;
    return { row, outcome, code: FOUND_IN_GROUP, message };
  });
}

/** The same outcome for all of these rows. */
function likewise(lists: ListedRows, outcome: Omit<RowOutcome, 'row'>): readonly RowOutcome[] {
  return rowsOf(lists).map(([row]) => ({ row, ...outcome }));
}

/** The refusal of a call with one UID means the same as a refused entry in a reply. */
function finalOutcome(batch: AddMembersPayload, code: string): RefusedOutcome {
  const [list] = MEMBER_LISTS.filter((name) => restOf(batch)[name] !== undefined);
  return sizeOf(restOf(batch)) === 1 && list !== undefined ? refusedOutcome(list, code) : 'failed';
}

/** Whether a user acts, and every row adds someone else. */
function addsOthers({ usersToBan = [], ...additions }: ListedRows, onBehalfOf: string): boolean {
  if (onBehalfOf === '' || usersToBan.length > 0) return false;
  const actor = foldId(onBehalfOf);
  return Object.values(additions).every((rows) => rows?.every(([, uid]) => foldId(uid) !== actor));
}

function sizeOf(lists: ListedRows): number {
  return sumOf(MEMBER_LISTS.map((list) => lists[list]?.length ?? 0));
}

/** The rows of a batch, by the list in which each is sent. */
export function listsOf({ rows }: BatchToSend): ListedRows {
  const lists: ListedRows = {};
  for (const { row, uid, scope } of rows) {
    const list = LIST_OF_SCOPE[scope];
    lists[list] ??= [];
    lists[list].push([row, uid]);
  }
  return lists;
}

export function requestOf(lists: ListedRows): AddMembersRequest {
  const request: Partial<Record<MemberList, string[]>> = {};
  for (const list of MEMBER_LISTS) {
    const rows = lists[list];
    if (rows !== undefined) request[list] = rows.map(([, uid]) => uid);
  }
  return request;
}

/** Every row, with its outcome if the call succeeds. */
export function rowsOf(lists: ListedRows): readonly (readonly [row: number, success: Outcome])[] {
  return MEMBER_LISTS.flatMap((list) =>
    (lists[list] ?? []).map(([row]) => [row, list === 'usersToBan' ? 'banned' : 'added'] as const),
  );
}

/**
 * Reads a reply per UID: only `success === true` is a success, and a UID that is not in it is unsaid, as one whose entry
 * says neither yes nor no. It keeps the ids of the messages that the service wrote and the number of members that the
 * group had after the last one.
 */
export function readEntries(lists: ListedRows, entries: MemberEntries, uncertainty: string | null): Read {
  const read = { others: [], unsaid: [] };
  const messages: [row: number, id: string][] = [];
  let members: number | undefined;
  for (const list of MEMBER_LISTS) {
    for (const [row, uid] of lists[list] ?? []) {
      const addition = readRow(read, row, list, entries.get(foldId(uid)), uncertainty);
      if (addition?.messageId !== undefined) messages.push([row, addition.messageId]);
      if (addition?.members !== undefined) members = Math.max(members ?? 0, addition.members);
    }
  }
  return { ...read, ...(messages.length > 0 && { messages }), ...(members !== undefined && { members }) };
}

/** Reads what a reply says of one row. @param entry absent: nothing @returns facts about an addition */
export function readRow(
  { others, unsaid }: { others: RowOutcome[]; unsaid: RowOutcome[] },
  row: number,
  list: MemberList,
  entry: MemberResult | undefined,
  uncertainty: string | null,
): Addition | undefined {
  if (entry === undefined) {
    unsaid.push({ row, outcome: 'unconfirmed', code: 'NOT_IN_REPLY', message: 'no reply mentions this UID' });
    return undefined;
  }
  const { outcome, code, message } = readEntry(list, entry);
  if (outcome === null) {
    unsaid.push({ row, outcome: 'unconfirmed', code: code ?? '', message: message ?? '' });
    return undefined;
  }
  if (code === null) return entry.addition;
  const note = outcome !== 'failed' && uncertainty !== null ? `; ${maybeEarlier(uncertainty)}` : '';
  others.push({ row, outcome, code, message: `${message ?? ''}${note}` });
  return undefined;
}
