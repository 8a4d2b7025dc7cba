/** Whether the server answers. Whoever finds that it does not says so; this asks until it does again. */

const LONGEST_WAIT_S = 5;

/** Tells `away` (and again before each wait, with `waitS`), and `back`. */
class Connection extends EventTarget {
  away = false;
  /** Seconds until the next attempt, counted from its event. */
  waitS = 0;
  #asking = false;
  /** @type {number | undefined} */
  #timer;

  constructor() {
    super();
    addEventListener('online', () => this.away && void this.ask());
  }

  /** A request has had no answer at all. One that was merely cut off brings no banner: the next attempt is at once. */
  lost() {
    if (!this.away) void this.ask();
  }

  async ask() {
    if (this.#asking) return;
    this.#asking = true;
    clearTimeout(this.#timer);
    const answered = await fetch('/healthz', { cache: 'no-store' }).then(
      (reply) => reply.ok,
      () => false,
    );
    this.#asking = false;
    const was = this.away;
    this.away = !answered;
    if (answered) {
      this.waitS = 0;
      if (was) this.dispatchEvent(new Event('back'));
      return;
    }
    this.waitS = Math.min(LONGEST_WAIT_S, Math.max(1, this.waitS * 2));
    this.#timer = setTimeout(() => void this.ask(), this.waitS * 1000);
    this.dispatchEvent(new Event('away'));
  }
}

export const connection = new Connection();
