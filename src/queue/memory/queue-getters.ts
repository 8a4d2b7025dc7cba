import { EventEmitter } from 'node:events';
import type { JobJson, JobState, JobType } from 'bullmq';
import { unsupported } from './errors.ts';
import * as listing from './listing.ts';
import type { QueueState } from './queue-state.ts';

/** What BullMQ asks of a queue and its jobs, answered from memory: the half of a backend that changes no job. */
export class QueueGetters extends EventEmitter {
  readonly queue: QueueState;

  constructor(queue: QueueState) {
    super();
    this.queue = queue;
  }

  async getJobData(id: string): Promise<JobJson | undefined> {
    return this.queue.jobs.get(id)?.json();
  }

  async getState(id: string): Promise<JobState | 'unknown'> {
    return listing.stateOf(this.queue.jobs.get(id));
  }

  async isJobInState(state: string, id: string): Promise<boolean> {
    return listing.isIn(this.queue, state, id);
  }

  async isFinished(id: string, withValue = false): Promise<number | [number, string]> {
    const job = this.queue.jobs.get(id);
    if (job === undefined) return withValue ? [-1, `Missing key for job ${id}. isFinished`] : -1;
    const code = { completed: 1, failed: 2 }[job.place as string] ?? 0;
    if (!withValue) return code;
    return [code, (code === 1 ? job.returnValue : job.failedReason) ?? ''];
  }

  async isMaxed(): Promise<boolean> {
    return this.queue.isMaxed;
  }

  async getJobLogs(id: string, start: number, end: number, ascending: boolean) {
    const logs = this.queue.jobs.get(id)?.logs ?? [];
    return { logs: listing.sliceOf(ascending ? logs : logs.toReversed(), start, end), count: logs.length };
  }

  async getRateLimitTtl(maxJobs?: number): Promise<number> {
    const now = Date.now();
    const max = maxJobs || this.queue.meta.get('max');
    if (max !== undefined) return this.queue.limit.reached(Number(max), now);
    // As Redis says that there is no such key.
    return this.queue.limit.leftMs(now) || -2;
  }

  async getCounts(states: readonly string[], dueBefore?: number): Promise<number[]> {
    return states.map((state) => listing.count(this.queue, state, dueBefore));
  }

  async getCountsPerPriority(priorities: readonly number[]): Promise<number[]> {
    return priorities.map((priority) => listing.countWithPriority(this.queue, priority));
  }

  async getRanges(states: readonly JobType[], start = 0, end = 1, ascending = false): Promise<[string][]> {
    // BullMQ's type says one id for each state; it means the ids of each state.
    return states.map((state) => listing.range(this.queue, state, start, end, ascending) as [string]);
  }

  /** A list of clients as Redis has it: BullMQ reads the names of workers in it. */
  async getClientList(): Promise<string[]> {
    return [[...this.queue.workers.values()].map((name) => `name=${name}`).join('\n')];
  }

  /** Counts by the minute: of workers that are asked for them, which rollcall's are not. */
  async getMetrics(): Promise<[string[], string[], number]> {
    return [[], [], 0];
  }

  async getQueueMetaField(field: string): Promise<string | null> {
    return this.queue.meta.get(field) ?? null;
  }

  async getQueueMetaFields(fields: readonly string[]): Promise<(string | null)[]> {
    return fields.map((field) => this.queue.meta.get(field) ?? null);
  }

  async getQueueMeta(): Promise<Record<string, string>> {
    return Object.fromEntries(this.queue.meta);
  }

  async hasQueueMetaField(field: string): Promise<boolean> {
    return this.queue.meta.has(field);
  }

  // Of what follows there is nothing in memory: job schedulers, jobs with children, deduplication ids, events.

  async getJobScheduler(): Promise<[null, null]> {
    return [null, null];
  }

  async isJobScheduler(): Promise<boolean> {
    return false;
  }

  async getJobSchedulerData(): Promise<Record<string, string>> {
    return {};
  }

  async getJobSchedulersRange(): Promise<string[]> {
    return [];
  }

  async getJobSchedulersCount(): Promise<number> {
    return 0;
  }

  async addJobScheduler(): Promise<never> {
    unsupported('job schedulers');
  }

  async updateJobSchedulerNextMillis(): Promise<null> {
    return null;
  }

  /** As BullMQ says that there was none. */
  async removeJobScheduler(): Promise<number> {
    return 1;
  }

  async getDeduplicationJobId(): Promise<string | null> {
    return null;
  }

  async getDependencyCounts(_id: string, types: readonly string[]): Promise<number[]> {
    return types.map(() => 0);
  }

  async getDependencies() {
    return { processed: {}, unprocessed: [], ignored: {}, failed: [] };
  }

  async getProcessedChildrenValues(): Promise<Record<string, string>> {
    return {};
  }

  async getIgnoredChildrenFailures(): Promise<Record<string, string>> {
    return {};
  }

  async paginate() {
    return { cursor: '0', items: [], total: 0, jobs: [] };
  }

  async removeOrphanedJobs(): Promise<number> {
    return 0;
  }

  async removeDeprecatedPriorityKey(): Promise<number> {
    return 0;
  }

  async trimEvents(): Promise<number> {
    return 0;
  }

  async removeDeduplicationKey(): Promise<number> {
    return 0;
  }

  async deleteDeduplicationKey(): Promise<number> {
    return 0;
  }

  async removeUnprocessedChildren(): Promise<void> {}

  async publishEvent(): Promise<never> {
    unsupported('events');
  }

  async addFlow(): Promise<never> {
    unsupported('flows');
  }

  async moveToWaitingChildren(): Promise<never> {
    unsupported('jobs with children');
  }

  async removeChildDependency(): Promise<never> {
    unsupported('jobs with a parent');
  }

  async readEvents(): Promise<never> {
    unsupported('event streams');
  }
}
