import type { BatchPayload } from '../../../jobs/batch-payload.ts';
import type { CreateMissingPayload } from '../../../jobs/create-missing.ts';
import { type ImportMembersPayload, importMembers } from '../../../jobs/import-members.ts';
import type { Region } from '../../membership/membership.ts';
import type { Backend } from '../../queue/backend.ts';
import type { JobQueue, QueuedJob } from '../../queue/job-queue.ts';

/** Opens the queue of the calls of the data import, which have a budget of their own (docs/chat-service.md, 72). */
export function openSilentQueue(
  backend: Backend,
  region: Region,
  appId: string,
  onError: (error: Error) => void,
): JobQueue<BatchPayload> {
  return backend.openQueue<ImportMembersPayload>(`data-import-${region}-${appId}`, importMembers, onError);
}

function isOfDataImport(
  name: string | undefined,
  payload: BatchPayload & Partial<Pick<CreateMissingPayload, 'create'>>,
) {
  return name === importMembers.name || payload.create?.what === 'import';
}

/** The queue of a silent import: its calls of the data import go into one, and all others into that of the region. */
export function inSilence(queue: JobQueue<BatchPayload>, silent: JobQueue<BatchPayload>): JobQueue<BatchPayload> {
  const divided = async (
    jobs: readonly QueuedJob<BatchPayload>[],
    put: (into: JobQueue<BatchPayload>, some: readonly QueuedJob<BatchPayload>[]) => Promise<void>,
  ) => {
    const parts = Map.groupBy(jobs, ({ name, payload }) => (isOfDataImport(name, payload) ? silent : queue));
    await Promise.all(Array.from(parts, ([into, some]) => put(into, some)));
  };
  return {
    ...silent,
    add: (jobs) => divided(jobs, (into, some) => into.add(some)),
    again: (jobs, kinds) => divided(jobs, (into, some) => into.again(some, kinds)),
    withdraw: async (chosen) => (await Promise.all([queue.withdraw(chosen), silent.withdraw(chosen)])).flat(),
  };
}
