import type { Clock } from './schedule-book.ts';
import type { ScheduleCatalog } from './schedule-catalog.ts';

/** Rings when a schedule is due. The catalog says when that is, and one process owns it: a timer is all it takes. */
export interface ScheduleAlarms {
  /** Looks at the catalog again, which has changed. */
  set(): void;
  close(): void;
}

export interface ScheduleAlarmsOptions {
  readonly catalog: Pick<ScheduleCatalog, 'list'>;
  /** A schedule is due. Its next time must be in the catalog when this returns. */
  readonly due: (name: string) => void;
  readonly clock: Clock;
  /** The catalog cannot be read or written. */
  readonly fail: (error: unknown) => void;
}

/** Longest sleep, in ms: a clock may be put right, and a machine that sleeps stops its timers. */
const MAX_SLEEP_MS = 30_000;

export function startScheduleAlarms({ catalog, due, clock, fail }: ScheduleAlarmsOptions): ScheduleAlarms {
  let timer: NodeJS.Timeout | undefined;
  const times = () => catalog.list().filter(({ paused }) => !paused);
  const sleep = (): void => {
    clearTimeout(timer);
    const next = Math.min(...times().map(({ nextDue }) => nextDue));
    timer = setTimeout(ring, Math.min(Math.max(0, next - clock()), MAX_SLEEP_MS));
  };
  const ring = (): void => {
    try {
      for (const { name, nextDue } of times()) if (nextDue <= clock()) due(name);
      sleep();
    } catch (error) {
      fail(error);
      // It may be a full disk, which ends nothing.
      clearTimeout(timer);
      timer = setTimeout(ring, MAX_SLEEP_MS);
    }
  };
  sleep();
  return { set: sleep, close: () => clearTimeout(timer) };
}
