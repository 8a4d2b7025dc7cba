import { z } from 'zod';
import type { AddMembersRequest } from '../src/chat/contract.ts';
import { readEntry } from '../src/chat/error-policy.ts';
import type { MemberEntries } from '../src/chat/member-entries.ts';
import type { Answered, RowOutcome } from '../src/imports/record/batch-result.ts';
import { MEMBER_LISTS, type MemberList } from '../src/membership/member-lists.ts';
import type { Outcome } from '../src/membership/outcome.ts';

/** Rows of a list as [row number, UID]. Checked by hand: a schema for each row takes ten times as long. */
const listed = z.custom<[number, string][]>(isListed, { error: 'expected rows as [row number, UID]' }).optional();

/** The rows of a call by the list in which their UIDs are sent. */
export const listedRows = z.strictObject({
  admins: listed,
  moderators: listed,
  participants: listed,
  usersToBan: listed,
});
export type ListedRows = z.infer<typeof listedRows>;

/** Whether it is a list of [row number, text]. */
export function isListed(list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  for (const row of list) {
    if (!Array.isArray(row) || row.length !== 2) return false;
    if (!Number.isSafeInteger(row[0]) || typeof row[1] !== 'string') return false;
  }
  return true;
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
 * Reads a reply per UID: only `success === true` is a success, and a UID that is not in it is missing. Of the messages
 * that the service wrote, it keeps their ids and the number of members that the group had after the last one.
 */
export function readEntries(lists: ListedRows, entries: MemberEntries, doubt: string | null): Answered {
  const others: RowOutcome[] = [];
  const missing: number[] = [];
  const messages: [row: number, id: string][] = [];
  let members: number | undefined;
  for (const list of MEMBER_LISTS) {
    for (const [row, uid] of lists[list] ?? []) {
      const found = entries.get(uid.toLowerCase());
      if (found === undefined) {
        missing.push(row);
        continue;
      }
      const { outcome, code, message } = readEntry(list, found.entry);
      if (outcome === 'added' || outcome === 'banned') {
        const { addition } = found.entry;
        if (addition?.messageId !== undefined) messages.push([row, addition.messageId]);
        if (addition?.members !== undefined) members = Math.max(members ?? 0, addition.members);
        continue;
      }
      const note = outcome === 'already_member' && doubt !== null ? `; it may be by an earlier call: ${doubt}` : '';
      others.push({ row, outcome, code: code ?? '', message: `${message ?? ''}${note}` });
    }
  }
  return { others, missing, ...(messages.length > 0 && { messages }), ...(members !== undefined && { members }) };
}
