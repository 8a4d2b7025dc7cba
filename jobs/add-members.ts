import { z } from 'zod';
import type { AddMembersResult, ChatClient } from '../src/chat/client.ts';
import type { AddMembersRequest } from '../src/chat/contract.ts';
import { judge, readEntry, refusedOutcome } from '../src/chat/error-policy.ts';
import type { RowOutcome, Sent } from '../src/imports/record/batch-result.ts';
import { MEMBER_LISTS, type MemberList } from '../src/membership/member-lists.ts';
import { defineJob } from '../src/queue/define-job.ts';
import { BATCH_FIELDS, type BatchCall, type BatchPorts, SENDING, sendBatch } from './send-batch.ts';

/**
 * add-members: adds the rows of one batch to their group in one call, and gives one outcome per UID.
 *
 * Queue, output, retries: as send-batch.ts says.
 * Input     the batch, and the calls that were made for it before.
 * Repeats   "Already a member" on a repeat says that it may be by the earlier call.
 */

/** Rows of a list as [row number, UID]. By hand: every row passes here, and a schema for each takes ten times as long. */
const listed = z.custom<[number, string][]>(isListed, { error: 'expected rows as [row number, UID]' }).optional();

function isListed(list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  for (const row of list) {
    if (!Array.isArray(row) || row.length !== 2) return false;
    if (!Number.isSafeInteger(row[0]) || typeof row[1] !== 'string') return false;
  }
  return true;
}

const payload = z.object({
  version: z.literal(1),
  ...BATCH_FIELDS,
  lists: z.strictObject({ admins: listed, moderators: listed, participants: listed, usersToBan: listed }),
});
export type AddMembersPayload = z.infer<typeof payload>;

export interface AddMembersPorts extends BatchPorts {
  readonly chat: Pick<ChatClient, 'addMembers'>;
}

const call: BatchCall<AddMembersPayload, AddMembersPorts, AddMembersResult> = {
  send: ({ chat }, batch, options) => chat.addMembers(batch.guid, requestOf(batch), options),
  judge: (batch, error) => judge(error, sizeOf(batch), batch.onBehalfOf),
  readAnswer,
  readRefusal: (batch, { kind, code, message }) =>
    kind === 'halve' || kind === 'group'
      ? { kind, code, message }
      : { kind: 'refused', outcome: finalOutcome(batch, code), code, message },
  rows: ({ lists }) =>
    MEMBER_LISTS.flatMap((list) =>
      (lists[list] ?? []).map(([row]) => [row, list === 'usersToBan' ? 'banned' : 'added'] as const),
    ),
};

export const addMembers = defineJob<AddMembersPayload, AddMembersPorts>({
  name: 'add-members',
  version: 1,
  payload,
  ...SENDING,
  process: (job, ports) => sendBatch(call, job, ports),
});

/** A refusal of one single UID says the same as an entry of a reply would. */
function finalOutcome(batch: AddMembersPayload, code: string): 'failed' | 'already_member' {
  const [list] = MEMBER_LISTS.filter((name) => batch.lists[name] !== undefined);
  return sizeOf(batch) === 1 && list !== undefined ? refusedOutcome(list, code) : 'failed';
}

function requestOf({ lists }: AddMembersPayload): AddMembersRequest {
  const request: Partial<Record<MemberList, string[]>> = {};
  for (const list of MEMBER_LISTS) {
    const rows = lists[list];
    if (rows !== undefined) request[list] = rows.map(([, uid]) => uid);
  }
  return request;
}

function sizeOf({ lists }: AddMembersPayload): number {
  return MEMBER_LISTS.reduce((size, list) => size + (lists[list]?.length ?? 0), 0);
}

/** Reads a reply per UID: only `success === true` is a success, and a UID that is not in it is missing. */
function readAnswer(batch: AddMembersPayload, reply: AddMembersResult): Sent {
  const others: RowOutcome[] = [];
  const missing: number[] = [];
  for (const list of MEMBER_LISTS) {
    for (const [row, uid] of batch.lists[list] ?? []) {
      const found = reply.entries.get(uid.toLowerCase());
      if (found === undefined) {
        missing.push(row);
        continue;
      }
      const { outcome, code, message } = readEntry(list, found.entry);
      if (outcome === 'added' || outcome === 'banned') continue;
      const note =
        outcome === 'already_member' && batch.doubt !== null ? `; it may be by an earlier call: ${batch.doubt}` : '';
      others.push({ row, outcome, code: code ?? '', message: `${message ?? ''}${note}` });
    }
  }
  return { kind: 'answered', others, missing };
}
