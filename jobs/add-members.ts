import { z } from 'zod';
import type { AddMembersResult, ChatClient } from '../src/chat/client.ts';
import { judge, refusedOutcome } from '../src/chat/error-policy.ts';
import { MEMBER_LISTS } from '../src/membership/member-lists.ts';
import { defineJob } from '../src/queue/define-job.ts';
import { listedRows, readEntries, requestOf, rowsOf } from './member-lists.ts';
import { BATCH_FIELDS, type BatchCall, type BatchPorts, SENDING, sendBatch } from './send-batch.ts';

/**
 * add-members: adds the rows of one batch to their group in one call, and gives one outcome per UID.
 *
 * Queue, output, retries: as send-batch.ts says.
 * Input     the batch, and the earlier calls for it.
 * Repeats   the outcome "already a member" of a repeat says that the earlier call may be the reason.
 */

const payload = z.object({
  version: z.literal(1),
  ...BATCH_FIELDS,
  lists: listedRows,
});
export type AddMembersPayload = z.infer<typeof payload>;

export interface AddMembersPorts extends BatchPorts {
  readonly chat: Pick<ChatClient, 'addMembers'>;
}

const call: BatchCall<AddMembersPayload, AddMembersPorts, AddMembersResult> = {
  name: 'add-members',
  send: ({ chat }, batch, options) => chat.addMembers(batch.guid, requestOf(batch.lists), options),
  judge: (batch, error) => judge(error, sizeOf(batch), batch.onBehalfOf),
  readAnswer: ({ lists, doubt }, { entries }) => ({ kind: 'answered', ...readEntries(lists, entries, doubt) }),
  readRefusal: (batch, { kind, code, message }) => {
    if (kind === 'halve') return { kind, code, message };
    if (kind === 'group') return { kind, code, message };
    return { kind: 'refused', outcome: finalOutcome(batch, code), code, message };
  },
  rows: ({ lists }) => rowsOf(lists),
};

export const addMembers = defineJob<AddMembersPayload, AddMembersPorts>({
  name: call.name,
  version: 1,
  payload,
  ...SENDING,
  process: (job, ports) => sendBatch(call, job, ports),
});

/** The refusal of a call with one UID means the same as a refused entry in a reply. */
function finalOutcome(batch: AddMembersPayload, code: string): 'failed' | 'already_member' {
  const [list] = MEMBER_LISTS.filter((name) => batch.lists[name] !== undefined);
  return sizeOf(batch) === 1 && list !== undefined ? refusedOutcome(list, code) : 'failed';
}

function sizeOf({ lists }: AddMembersPayload): number {
  return MEMBER_LISTS.reduce((size, list) => size + (lists[list]?.length ?? 0), 0);
}
