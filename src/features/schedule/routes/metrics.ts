import { Gauge, type Registry } from 'prom-client';
import type { ScheduleCatalogReader, ScheduleHealth } from '../schedule-catalog.ts';

export function scheduleMetrics(schedules: Pick<ScheduleCatalogReader, 'health'>, registry: Registry): void {
  const registers = [registry];
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
