import { z } from 'zod';
import type { AddMembersResult } from '../src/chat/chat-client.ts';
import type { AddMembersRequest } from '../src/chat/contract.ts';
import { judge, readEntry, refusedOutcome } from '../src/chat/error-policy.ts';
import type { Addition, MemberEntries, MemberResult } from '../src/chat/member-entries.ts';
import { ACTOR_OUTSIDE } from '../src/chat/service/codes.ts';
import { LIST_OF_SCOPE, MEMBER_LISTS, type MemberList } from '../src/chat/service/lists.ts';
import { isListed, type RowOutcome, type Sent } from '../src/imports/record/batch-result.ts';
import type { BatchToSend } from '../src/imports/record/import-ledger.ts';
import { foldId } from '../src/membership/membership.ts';
import type { Outcome } from '../src/membership/outcome.ts';
import { BATCH_FIELDS } from './batch-payload.ts';
import { afterReply, maybeEarlier, type Read } from './batch-policy.ts';
import { FOUND_IN_GROUP, LOOKED_FIELDS, type Looked, lookFirst, type Wanted } from './repeats.ts';
import { batchJob } from './send-batch.ts';

/**
 * add-members: adds the rows of one batch to their group in one call (send-batch.ts), and gives one outcome per UID. A
 * repeat sends only what the group does not have already (repeats.ts), and its outcome "already a member" says that the
 * earlier call may be the reason.
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
    const looked = await lookFirst(job, ports, ({ lists }) => listedIn(lists));
    const isOver = batch.standing?.ended !== undefined || (looked !== undefined && restOf(batch).length === 0);
    return isOver ? settled(batch, looked?.whole ?? []) : undefined;
  },
  send: (chat, batch, options) => chat.addMembers(batch.guid, requestOf(restOf(batch)), options),
  judge: (batch, error) => {
    const rest = restOf(batch);
    const verdict = judge(error, rest.length, batch.onBehalfOf);
    // An acting user outside the group can add no one but itself: smaller calls would get the same refusal.
    const isOfAll = verdict.code === ACTOR_OUTSIDE && verdict.kind === 'halve' && addsOthers(rest, batch.onBehalfOf);
    return isOfAll ? { ...verdict, kind: 'final' } : verdict;
  },
  readAnswer: (batch, { entries }, ended) => {
    const answered = afterReply(readEntries(restOf(batch), entries, batch.uncertainty), ended);
    return { kind: 'answered', ...answered, others: [...answered.others, ...foundIn(batch)] };
  },
  readRefusal: (batch, { kind, code, message }): Sent => {
    if (kind === 'halve' || kind === 'group') return { kind, code, message };
    const rest = restOf(batch);
    const [only] = rest;
    // The refusal of a call with one UID means the same as a refused entry in a reply.
    const outcome = rest.length === 1 && only !== undefined ? refusedOutcome(only.list, code) : 'failed';
    const found = foundIn(batch);
    if (found.length === 0) return { kind: 'refused', outcome, code, message };
    const others = [...found, ...rest.map(({ row }) => ({ row, outcome, code, message }))];
    return { kind: 'answered', missing: [], others };
  },
  size: (batch) => restOf(batch).length,
  rows: ({ lists }) => rowsOf(lists),
});

/** The outcomes of a batch of which nothing more is sent: its rows are in the group, or all attempts are used up. */
function settled(batch: AddMembersPayload, whole: Looked['whole']): Sent {
  const { code, message, absent = 'failed' } = batch.standing?.ended ?? { code: '', message: '' };
  const rest = restOf(batch).map(({ row, ban }): RowOutcome => {
    const list = ban ? 'banned' : 'members';
    if (!whole.includes(list)) return { row, outcome: 'unconfirmed', code, message };
    return { row, outcome: absent, code, message: `${message}; ${ABSENT[list]}` };
  });
  return { kind: 'answered', others: [...foundIn(batch), ...rest], missing: [] };
}

const ABSENT = {
  members: "afterwards this user was not in the group's list of members",
  banned: "afterwards this user was not in the group's list of banned users",
};

interface Listed extends Wanted {
  readonly list: MemberList;
}

/** The rows of these lists, one after the other. */
export function listedIn(lists: ListedRows): readonly Listed[] {
  return MEMBER_LISTS.flatMap(
    (list) => lists[list]?.map(([row, uid]) => ({ row, uid, list, ban: list === 'usersToBan' })) ?? [],
  );
}

/** The rows that nothing is known of: their users were not found in the group. */
function restOf({ lists, looked }: AddMembersPayload): readonly Listed[] {
  return listedIn(lists).filter(({ row }) => !looked?.found.includes(row));
}

function foundIn({ lists, looked, uncertainty }: AddMembersPayload): readonly RowOutcome[] {
  const found = listedIn(lists).filter(({ row }) => looked?.found.includes(row));
  const message = `it was so before the call was repeated; ${maybeEarlier(uncertainty)}`;
  return found.map(({ row, ban }) => ({
    row,
    outcome: ban ? 'banned' : 'already_member',
    code: FOUND_IN_GROUP,
    message,
  }));
}

/** Whether a user acts, and every row adds someone else. */
function addsOthers(rows: readonly Listed[], onBehalfOf: string): boolean {
  return onBehalfOf !== '' && rows.every(({ uid, ban }) => !ban && foldId(uid) !== foldId(onBehalfOf));
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

export function requestOf(rows: readonly Listed[]): AddMembersRequest {
  const request: Partial<Record<MemberList, string[]>> = {};
  for (const { list, uid } of rows) {
    request[list] ??= [];
    request[list].push(uid);
  }
  return request;
}

/** Every row, with its outcome if the call succeeds. */
export function rowsOf(lists: ListedRows): readonly (readonly [row: number, success: Outcome])[] {
  return listedIn(lists).map(({ row, ban }) => [row, ban ? 'banned' : 'added']);
}

/**
 * Reads a reply per UID: only `success === true` is a success, and a UID that is not in it is unsaid, as one whose entry
 * says neither yes nor no. It keeps the ids of the messages that the service wrote and the number of members that the
 * group had after the last one.
 */
export function readEntries(rows: readonly Listed[], entries: MemberEntries, uncertainty: string | null): Read {
  const read = { others: [], unsaid: [] };
  const messages: [row: number, id: string][] = [];
  let members: number | undefined;
  for (const { row, uid, list } of rows) {
    const addition = readRow(read, row, list, entries.get(foldId(uid)), uncertainty);
    if (addition?.messageId !== undefined) messages.push([row, addition.messageId]);
    if (addition?.members !== undefined) members = Math.max(members ?? 0, addition.members);
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
