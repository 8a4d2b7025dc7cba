/** Longest time that a timer of Node takes, in ms. */
const LONGEST_MS = 2 ** 31 - 1;

/** Why a wait ended. */
export type Wake = 'work' | 'cancelled';

/**
 * Idle workers of one queue, the one that waits longest first. Nothing polls: adding work wakes one of them,
 * and each worker that takes a job the next, as long as there is work. No wait keeps the process alive.
 */
export class Waiters {
  readonly #waiting = new Set<(wake: Wake) => void>();
  readonly #work: { ready(): boolean; nextDue(): number | undefined; becomeDue(): void };
  #alarm: NodeJS.Timeout | undefined;
  #alarmAt: number | undefined;

  /**
   * @param work whether a worker would get a job now; when the next delayed job is due, in ms since 1970; and what to do
   * when that time has come
   */
  constructor(work: { ready(): boolean; nextDue(): number | undefined; becomeDue(): void }) {
    this.#work = work;
  }

  /** Waits until there is work, or until `cancel` is called. */
  wait(): { readonly ended: Promise<Wake>; cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<Wake>();
    this.#waiting.add(resolve);
    this.stir();
    return {
      ended: promise,
      cancel: () => {
        if (!this.#waiting.delete(resolve)) return;
        resolve('cancelled');
        this.#setAlarm();
      },
    };
  }

  /** To be called after everything that may have made work. */
  stir(): void {
    if (this.#waiting.size === 0) return;
    if (this.#work.ready()) this.#wakeFirst();
    this.#setAlarm();
  }

  cancelAll(): void {
    for (const resolve of this.#waiting) resolve('cancelled');
    this.#waiting.clear();
    this.#setAlarm();
  }

  #wakeFirst(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#waiting.delete(first);
    first('work');
  }

  /** Sets the clock to the next delayed job, as long as a worker waits for it. */
  #setAlarm(): void {
    const due = this.#waiting.size === 0 ? undefined : this.#work.nextDue();
    if (due === this.#alarmAt) return;
    clearTimeout(this.#alarm);
    this.#alarmAt = due;
    if (due === undefined) return;
    const ring = () => {
      this.#alarmAt = undefined;
      this.#work.becomeDue();
      this.stir();
    };
    this.#alarm = setTimeout(ring, Math.min(Math.max(Math.ceil(due - Date.now()), 0), LONGEST_MS)).unref();
  }
}
