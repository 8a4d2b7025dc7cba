import { once } from 'node:events';
import type { ScheduleRun } from '../../src/features/schedule/operations.ts';
import type { ScheduleCatalogReader } from '../../src/features/schedule/schedule-catalog.ts';
import type { ScheduleRuns } from '../../src/features/schedule/schedule-runs.ts';

interface Schedules {
  readonly catalog: Pick<ScheduleCatalogReader, 'findRun'>;
  readonly runs: Pick<ScheduleRuns, 'events'>;
}

/** Resolves when a run has ended, or waits for a person. @param isWaiting whether it waits for something else */
export async function runOver({ catalog, runs }: Schedules, id: number, isWaiting = () => false): Promise<ScheduleRun> {
  for (;;) {
    const run = catalog.findRun(id);
    if (run === undefined) throw new Error(`there is no run ${id}`);
    if (run.state !== 'running' || isWaiting()) return run;
    await once(runs.events, 'run');
  }
}
