import { nextRun } from '../../queue/cron.ts';
import type { Schedule, ScheduleCatalog } from './schedule-catalog.ts';

/** The clock and the catalog of the schedules that ring. */
export interface AlarmOptions {
  readonly catalog: ScheduleCatalog;
  /** In ms since 1970. */
  readonly clock: () => number;
  /** The catalog cannot be written: nothing can continue. */
  readonly fail: (error: unknown) => void;
}

/** A clock that is put back further was wrong before: runs of that time do not count. In ms. */
const SET_BACK_MS = 60 * 60_000;
/** Longest sleep, in ms: a clock may be put right, and a machine that sleeps stops its timers. */
const MAX_SLEEP_MS = 30_000;

/** Rings when schedules are due. The catalog says when, and one process owns that: a timer is all it takes. */
export function scheduleAlarm({ catalog, clock, fail }: AlarmOptions, begin: (schedule: Schedule) => void) {
  let timer: NodeJS.Timeout | undefined;
  let seenAt = Number.POSITIVE_INFINITY;

  const times = () => catalog.list().filter(({ paused }) => !paused);

  function sleep(ms: number) {
    clearTimeout(timer);
    timer = setTimeout(ring, Math.min(Math.max(0, ms), MAX_SLEEP_MS));
  }

  function set() {
    sleep(Math.min(...times().map(({ nextDue }) => nextDue)) - clock());
  }

  function ring() {
    try {
      for (const schedule of takeDue()) begin(schedule);
      set();
    } catch (error) {
      fail(error);
      // It may be a full disk, which ends nothing.
      sleep(MAX_SLEEP_MS);
    }
  }

  /** Schedules that are due, each once: the catalog has its next time already, and that of none behind it. */
  function* takeDue() {
    const now = clock();
    // What was planned by a wrong time is planned again, and nothing runs twice at a time.
    const isSetBack = now < seenAt;
    seenAt = now;
    for (const record of times()) {
      const { name, cron, tz, nextDue } = record;
      const isDue = nextDue <= now;
      if (!isDue && !isSetBack) continue;
      const [last] = isDue ? [] : catalog.runs(name, 1);
      const isTrue = last !== undefined && Date.parse(last.at) <= now + SET_BACK_MS;
      const next = nextRun(cron, tz, isTrue ? Math.max(now, Date.parse(last.dueAt)) : now);
      if (isDue || next < nextDue) catalog.note(record, { nextDue: next });
      if (isDue) yield record;
    }
  }

  return {
    takeDue,
    ring,
    set,
    /** Sets it again, if it was set. */
    changed: () => {
      if (timer !== undefined) set();
    },
    stop: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
