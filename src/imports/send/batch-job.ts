import { type AddMembersPayload, addMembers } from '../../../jobs/add-members.ts';
import { type EditMemberPayload, editMember } from '../../../jobs/edit-member.ts';
import type { ResultAddress } from '../../../jobs/send-batch.ts';
import type { MemberList } from '../../membership/member-lists.ts';
import type { Scope } from '../../membership/membership.ts';
import type { QueuedJob } from '../../queue/job-queue.ts';
import type { BatchToSend } from '../record/import-ledger.ts';

const LIST_OF_SCOPE: Readonly<Record<Scope, MemberList>> = {
  admin: 'admins',
  moderator: 'moderators',
  participant: 'participants',
  ban: 'usersToBan',
};

/** A batch of the ledger as a job. Its id is the same every time, so that adding it twice queues it once. */
export function toJob(
  { importId, replyTo }: ResultAddress,
  batch: BatchToSend,
  round: number,
): QueuedJob<AddMembersPayload | EditMemberPayload> & { readonly round: number } {
  const { region, guid, onBehalfOf, doubt } = batch;
  const common = { importId, replyTo, batch: batch.id, region, guid, onBehalfOf, doubt, calls: [], handedBack: 0 };
  const id = jobId(importId, batch.id);
  return batch.action === 'add'
    ? { id, round, name: addMembers.name, payload: { version: 1, ...common, lists: listsOf(batch) } }
    : { id, round, name: editMember.name, payload: { version: 1, ...common, ...editOf(batch) } };
}

function listsOf({ rows }: BatchToSend): AddMembersPayload['lists'] {
  const lists: AddMembersPayload['lists'] = {};
  for (const { row, uid, scope } of rows) {
    const list = LIST_OF_SCOPE[scope];
    lists[list] ??= [];
    lists[list].push([row, uid]);
  }
  return lists;
}

function editOf({ id, action, rows }: BatchToSend): Pick<EditMemberPayload, 'row' | 'uid' | 'edit'> {
  const [asked, ...others] = rows;
  if (asked === undefined || others.length > 0)
    throw new Error(`batch ${id} is to ${action} ${rows.length} members; one call has one`);
  const { row, uid, scope } = asked;
  if (action === 'remove' || action === 'unban') return { row, uid, edit: { action } };
  if (scope === 'ban') throw new Error(`batch ${id} is to change a scope to a ban, which is no scope of a member`);
  return { row, uid, edit: { action: 'change', scope } };
}

export function jobId(importId: string, batch: number): string {
  return `${importId}-${batch}`;
}
