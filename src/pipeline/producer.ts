import type { AddMembersPayload, ResultAddress } from '../../jobs/add-members.ts';
import type { MemberList } from '../chat/contract.ts';
import type { BatchToSend } from '../ledger/import-ledger.ts';
import type { Scope } from '../membership/membership.ts';
import type { QueuedJob } from '../queue/job-queue.ts';

const LIST_OF_SCOPE: Readonly<Record<Scope, MemberList>> = {
  admin: 'admins',
  moderator: 'moderators',
  participant: 'participants',
  ban: 'usersToBan',
};

/** A batch of the ledger as a job. Its id is the same every time, so that adding it twice queues it once. */
export function toJob({ importId, replyTo }: ResultAddress, batch: BatchToSend): QueuedJob<AddMembersPayload> {
  const lists: AddMembersPayload['lists'] = {};
  for (const { row, uid, scope } of batch.rows) {
    const list = LIST_OF_SCOPE[scope];
    lists[list] ??= [];
    lists[list].push([row, uid]);
  }
  return {
    id: jobId(importId, batch.id),
    payload: {
      version: 1,
      importId,
      replyTo,
      batch: batch.id,
      region: batch.region,
      guid: batch.guid,
      onBehalfOf: batch.onBehalfOf,
      doubt: batch.doubt,
      lists,
      calls: [],
      handedBack: 0,
    },
  };
}

export function jobId(importId: string, batch: number): string {
  return `${importId}-${batch}`;
}
