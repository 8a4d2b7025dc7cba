import pLimit from 'p-limit';
import { type NightlySyncPayload, nightlySync } from '../../jobs/nightly-sync.ts';
import type { ScheduleCatalog } from '../ledger/schedule-catalog.ts';
import type { Backend } from '../queue/backend.ts';
import { openJobQueue } from '../queue/job-queue.ts';
import { openJobSchedulers } from '../queue/job-schedulers.ts';
import { startJobWorker } from '../queue/job-worker.ts';
import type { Clock } from './schedule-book.ts';

/** What rings when a schedule is due: one job scheduler for each in a queue of this data directory's own. */
export interface ScheduleAlarms {
  /** Makes the queue say what the catalog says. */
  set(): Promise<void>;
  close(deadlineMs: number): Promise<void>;
}

export interface ScheduleAlarmsOptions {
  readonly backend: Backend;
  readonly catalog: ScheduleCatalog;
  /** A schedule may be due. */
  readonly due: (name: string) => void;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

/** How often alarms that a wiped queue has lost are put there again, in ms. */
const KEEP_MS = 5_000;
/** An alarm that should have rung so long ago will not, in ms. */
const SILENT_MS = 60_000;

/**
 * Opens the alarms and sets them. The queue is named after the catalog's owner: schedules of the same name in other data
 * directories are others, and of two processes that pass for the same owner (a data directory and its copy) one hears it.
 */
export async function openScheduleAlarms(options: ScheduleAlarmsOptions): Promise<ScheduleAlarms> {
  const { backend, catalog, due, clock, onError } = options;
  const name = `nightly-sync-${catalog.owner()}`;
  const queue = openJobQueue<NightlySyncPayload>(backend, name, nightlySync, onError);
  const alarms = openJobSchedulers<NightlySyncPayload>(backend, name, nightlySync, onError);
  /** What the alarm of each rings by, as this process has set it. */
  const asSet = new Map<string, string>();
  const line = pLimit(1);

  const set = async (): Promise<void> => {
    const wanted = new Map(catalog.list().flatMap((record) => (record.paused ? [] : [[record.name, record] as const])));
    const there = await alarms.next();
    for (const name of there.keys()) {
      if (wanted.has(name)) continue;
      asSet.delete(name);
      await alarms.remove(name);
    }
    for (const [name, { cron, tz, nextDue }] of wanted) {
      const when = `${cron} ${tz}`;
      const isSilent = (there.get(name) ?? 0) < Date.now() - SILENT_MS;
      if (asSet.get(name) === when && !isSilent) continue;
      const payload = { version: 1 as const, schedule: name };
      await alarms.put(name, { cron, tz }, payload);
      // Lost while it was due: the next one would be a night late.
      if (isSilent && nextDue <= clock()) await queue.add([{ id: `due-${name}-${nextDue}`, payload }]);
      asSet.set(name, when);
    }
  };

  await set();
  const worker = startJobWorker({
    backend,
    queue,
    definitions: [nightlySync],
    ports: { due },
    concurrency: 1,
    onError,
  });
  const keep = setInterval(() => {
    if (line.pendingCount + line.activeCount === 0) line(set).catch(onError);
  }, KEEP_MS);

  return {
    set: () => line(set),
    close: async (deadlineMs) => {
      clearInterval(keep);
      const leave = backend.shared ? setTimeout(() => worker.abort(), deadlineMs) : undefined;
      await worker.close();
      clearTimeout(leave);
      line.clearQueue();
      await Promise.all([queue.close(), alarms.close()]);
    },
  };
}
