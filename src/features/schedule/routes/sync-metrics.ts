import { Gauge, type Registry } from 'prom-client';
import { isFinalSync, SYNC_STATES } from '../../../membership/sync-state.ts';
import type { SyncCatalogReader } from '../../sync/sync-catalog.ts';
import type { ScheduleCatalogReader, ScheduleHealth } from '../schedule-catalog.ts';

const NOT_OVER = SYNC_STATES.filter((state) => !isFinalSync(state));

/** Metrics of syncs and schedules. */
export function syncMetrics(
  syncs: Pick<SyncCatalogReader, 'count'>,
  schedules: Pick<ScheduleCatalogReader, 'health'>,
  registry: Registry,
): void {
  const registers = [registry];
  new Gauge({
    name: 'rollcall_syncs',
    help: 'Syncs that are not over, by state; held ones wait for a person',
    labelNames: ['state'],
    registers,
    collect() {
      const counts = syncs.count(NOT_OVER);
      for (const state of NOT_OVER) this.set({ state }, counts.get(state) ?? 0);
    },
  });
  const gauge = (name: string, help: string, read: (schedule: ScheduleHealth) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['schedule'],
      registers,
      collect() {
        this.reset();
        for (const one of schedules.health()) {
          const value = read(one);
          if (value !== null) this.set({ schedule: one.name }, value);
        }
      },
    });
  gauge(
    'rollcall_schedule_last_success_timestamp_seconds',
    'When the last successful run ended, after which every member was in place; absent when there was none',
    ({ success }) => success && success / 1000,
  );
  gauge(
    'rollcall_schedule_unsuccessful_runs',
    'Runs since the last success that failed, were missed, or wait for a person',
    ({ unsuccessful }) => unsuccessful,
  );
  gauge(
    'rollcall_schedule_next_run_timestamp_seconds',
    'When the schedule runs next; absent while it is paused',
    ({ paused, nextDue }) => (paused ? null : nextDue / 1000),
  );
  gauge('rollcall_schedule_paused', '1 while the schedule is paused', ({ paused }) => Number(paused));
}
