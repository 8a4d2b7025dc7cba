/** Whether the server answers. Whoever finds that it does not says so; this asks until it does again. */
import { signal } from '@preact/signals';

const MAX_WAIT_S = 5;
/** Over a network that is gone, an answer may fail to come for minutes. */
const MAX_ANSWER_MS = 5000;

/** Tells `back` when the server answers again. */
class Connection extends EventTarget {
  /** The time of the next attempt, in ms since 1970; null while the server answers. */
  dueAt = signal<number | null>(null);
  /**
   * The time at which the server was found not to answer, in ms since 1970: the page is from before; null while it
   * answers.
   */
  asOf = signal<number | null>(null);
  #waitS = 0;
  #asking: Promise<void> | undefined;
  #timer: number | undefined;

  constructor() {
    super();
    addEventListener('online', () => this.away && void this.ask());
    addEventListener('offline', () => this.lost());
  }

  get away() {
    return this.dueAt.peek() !== null;
  }

  /** A request has had no answer at all. One that was merely cut off brings no banner: the next attempt is at once. */
  lost() {
    if (!this.away) void this.ask();
  }

  /** Resolves when it is known whether the server answers. */
  ask() {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask() {
    clearTimeout(this.#timer);
    const answered = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(MAX_ANSWER_MS) })
      .then(
        // Read to its end: an answer that is not kept and not read holds its connection.
        (reply) => reply.text().then(() => reply.ok),
      )
      .catch(() => false);
    const was = this.away;
    if (answered) {
      this.#waitS = 0;
      this.dueAt.value = null;
      this.asOf.value = null;
      if (was) this.dispatchEvent(new Event('back'));
      return;
    }
    this.asOf.value ??= Date.now();
    this.#waitS = Math.min(MAX_WAIT_S, Math.max(1, this.#waitS * 2));
    this.dueAt.value = Date.now() + this.#waitS * 1000;
    this.#timer = setTimeout(() => void this.ask(), this.#waitS * 1000);
  }
}

export const connection = new Connection();
