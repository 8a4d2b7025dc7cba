import { type AddMembersPayload, addMembers } from '../../../jobs/add-members.ts';
import { type CreateMissingPayload, createMissing } from '../../../jobs/create-missing.ts';
import { type EditMemberPayload, editMember } from '../../../jobs/edit-member.ts';
import type { ResultAddress } from '../../../jobs/send-batch.ts';
import { LIST_OF_SCOPE } from '../../membership/member-lists.ts';
import type { QueuedJob } from '../../queue/job-queue.ts';
import type { CreationToSend } from '../record/creating.ts';
import type { BatchToSend } from '../record/import-ledger.ts';

/** A batch of the ledger as a job. Its id is the same every time, so that adding it twice queues it once. */
export function toJob(
  { importId, replyTo }: ResultAddress,
  batch: BatchToSend,
  round: number,
): QueuedJob<AddMembersPayload | CreateMissingPayload | EditMemberPayload> & { readonly round: number } {
  const { region, guid, onBehalfOf, doubt } = batch;
  const common = { importId, replyTo, batch: batch.id, region, guid, onBehalfOf, doubt, calls: [], handedBack: 0 };
  const id = jobId(importId, batch.id);
  if (batch.creation !== undefined) {
    const payload = { version: 1 as const, ...common, onBehalfOf: '', create: createOf(batch, batch.creation) };
    return { id, round, name: createMissing.name, payload };
  }
  return batch.action === 'add'
    ? { id, round, name: addMembers.name, payload: { version: 1, ...common, lists: listsOf(batch) } }
    : { id, round, name: editMember.name, payload: { version: 1, ...common, ...editOf(batch) } };
}

function createOf(batch: BatchToSend, creation: CreationToSend): CreateMissingPayload['create'] {
  switch (creation.what) {
    case 'look':
      return { what: 'look' };
    case 'user': {
      const { tags, ...profile } = creation.profile;
      return { what: 'user', profile: { ...profile, ...(tags !== undefined && { tags: [...tags] }) } };
    }
    case 'group': {
      const { tags, ...profile } = creation.profile;
      return {
        what: 'group',
        profile: { ...profile, ...(tags !== undefined && { tags: [...tags] }) },
        lists: listsOf(batch),
      };
    }
    case 'reactivate':
      return { what: 'reactivate', uids: [...creation.uids] };
  }
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
    throw new Error(`batch ${id} has to ${action} ${rows.length} members; one call has one`);
  const { row, uid, scope } = asked;
  if (action === 'remove' || action === 'unban') return { row, uid, edit: { action } };
  if (scope === 'ban') throw new Error(`batch ${id} has to change a scope to a ban, which is not a scope of a member`);
  return { row, uid, edit: { action: 'change', scope } };
}

export function jobId(importId: string, batch: number): string {
  return `${importId}-${batch}`;
}
