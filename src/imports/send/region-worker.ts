import { type AddMembersPorts, addMembers } from '../../../jobs/add-members.ts';
import { type CreateMissingPorts, createMissing } from '../../../jobs/create-missing.ts';
import { type EditMemberPorts, editMember } from '../../../jobs/edit-member.ts';
import { type ReadGroupPayload, type ReadGroupPorts, readGroup } from '../../../jobs/read-group.ts';
import type { BatchPayload, BatchPorts } from '../../../jobs/send-batch.ts';
import type { ChatClient } from '../../chat/client.ts';
import type { Region } from '../../membership/membership.ts';
import type { Backend } from '../../queue/backend.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import { startJobWorker } from '../../queue/job-worker.ts';
import { budgetWatch } from './budget.ts';
import type { CallObserver } from './call-observer.ts';

/** What sends a region's batches in this process. */
export interface RegionWorker {
  readonly region: Region;
  /** Calls at the same time, from now on. */
  setConcurrency(concurrency: number): void;
  /** Which key it uses, in so far as that may be shown. */
  keyFingerprint(): string;
  /** Takes up a key that was changed in the settings; gives whether it was. */
  renewKey(): boolean;
  /** Takes no more jobs; resolves when running ones have finished. */
  close(): Promise<void>;
  /** Gives up the calls under way; their batches go back into the queue. */
  abort(): void;
}

export interface RegionWorkerOptions {
  readonly region: Region;
  /** Host of the service that it calls: jobs that are meant for another are left to other workers. */
  readonly host?: string | undefined;
  readonly backend: Backend;
  readonly queue: JobQueue<BatchPayload>;
  readonly chat: ChatClient;
  readonly concurrency: number;
  readonly deliver: BatchPorts['deliver'];
  readonly answer: ReadGroupPorts['answer'];
  readonly observer?: CallObserver | undefined;
  readonly onError: (error: Error) => void;
}

export function startRegionWorker(options: RegionWorkerOptions): RegionWorker {
  const { region, host, backend, queue, chat, deliver, answer, observer, onError } = options;
  const around = observer?.around;
  const budget = budgetWatch(queue, onError);
  const worker = startJobWorker<
    BatchPayload | ReadGroupPayload,
    AddMembersPorts & EditMemberPorts & CreateMissingPorts & ReadGroupPorts
  >({
    backend,
    queue,
    definitions: [addMembers, editMember, createMissing, readGroup],
    ports: {
      chat,
      deliver,
      answer,
      settled: (outcome, rows) => observer?.settled?.(region, outcome, rows),
      stopRegion: () => queue.pause(),
      called: (call, rate, about) => {
        observer?.called?.(region, call, rate, about);
        if (rate !== undefined) budget(rate, about.share);
      },
    },
    concurrency: options.concurrency,
    begun: (waitedMs) => observer?.begun?.(region, waitedMs),
    around: around && ((run, send) => around(region, run, send)),
    notForUs: ({ host: meant }) => {
      if (meant === undefined || meant === host || host === undefined) return undefined;
      return `it is meant for the chat service at ${meant}, and this worker calls ${host}; set ROLLCALL_HOST to the same on both sides (an import whose own host was corrected takes it up with \`rollcall pause\` and \`rollcall resume\`)`;
    },
    onError,
  });
  return {
    region,
    // A job makes one call at a time.
    setConcurrency: (concurrency) => worker.setConcurrency(concurrency),
    keyFingerprint: () => chat.keyFingerprint(),
    renewKey: () => chat.renewKey(),
    close: async () => {
      await worker.close();
      await chat.close();
    },
    abort: () => worker.abort(),
  };
}
