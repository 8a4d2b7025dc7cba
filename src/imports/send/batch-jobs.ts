import { z } from 'zod';
import { addMembers, listsOf } from '../../../jobs/add-members.ts';
import { BATCH_FIELDS, type BatchPayload, type ResultAddress } from '../../../jobs/batch-payload.ts';
import { uncertaintyOf } from '../../../jobs/batch-policy.ts';
import { createMissing, createOf } from '../../../jobs/create-missing.ts';
import { editMember, editOf } from '../../../jobs/edit-member.ts';
import { importMembers, membersOf } from '../../../jobs/import-members.ts';
import type { JobKinds, QueuedJob } from '../../queue/job-queue.ts';
import type { ReclaimedBatch } from '../record/batch-result.ts';
import { EVERY_GROUP } from '../record/enum-ids.ts';
import type { BatchToSend } from '../record/import-ledger.ts';

/** Kinds of the jobs that send batches. */
export const BATCH_JOBS: JobKinds = [addMembers, createMissing, editMember, importMembers];

/** The part of a batch's payload that says which calls were made. */
const TRIES = z.object(BATCH_FIELDS).pick({ uncertainty: true, calls: true, handedBack: true });

/** A batch of the ledger as a job. Its id is the same every time, so that adding it twice queues it once. */
export function toJob(
  { importId, replyTo }: ResultAddress,
  batch: BatchToSend,
  priority: number,
): QueuedJob<BatchPayload> {
  const { id, region, guid, onBehalfOf, uncertainty, standing } = batch;
  const { name, ...own } = callOf(batch);
  const payload = {
    version: 1,
    importId,
    replyTo,
    batch: id,
    region,
    guid,
    onBehalfOf,
    uncertainty,
    calls: [],
    handedBack: 0,
    ...(standing !== undefined && { standing }),
    ...own,
  };
  return { id: jobId(importId, id), priority, name, payload };
}

/** The job that sends a batch, with the fields of its own payload. */
function callOf(batch: BatchToSend) {
  const { guid, action, creation } = batch;
  if (creation !== undefined) return { name: createMissing.name, onBehalfOf: '', create: createOf(batch, creation) };
  if (guid === EVERY_GROUP) return { name: importMembers.name, members: membersOf(batch) };
  if (action === 'add') return { name: addMembers.name, lists: listsOf(batch) };
  return { name: editMember.name, ...editOf(batch) };
}

/** A batch that left the queue before its call. Another program may have written to its job. */
export function withdrawn(
  { importId }: ResultAddress,
  { id, payload, starts = 0 }: QueuedJob<BatchPayload>,
): ReclaimedBatch {
  const batch = Number(id.slice(importId.length + 1));
  const { success, data } = TRIES.safeParse(payload);
  if (!success) return { batch, uncertainty: 'its job could not be read any more', calls: [] };
  return { batch, uncertainty: uncertaintyOf(data, starts), calls: data.calls };
}

/** The id of a batch's job. */
export function jobId(importId: string, batch: number): string {
  return `${importId}-${batch}`;
}

/** Whether a job sends a batch of this import. */
export function isJobOf(importId: string, id: string): boolean {
  return id.startsWith(`${importId}-`);
}
