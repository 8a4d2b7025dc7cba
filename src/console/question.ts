/** Questions to the server that are asked again for as long as their answers are shown. */

import { batch, signal } from '@preact/signals';
import type { ListEvents } from './answers.ts';
import { connection, isAway, isBusy } from './requests.ts';

/** After a change, in ms: several come together. */
const SOON_MS = 300;
/** After an answer, the next question rests so many times the time that it took: a slow one was much work for the server. */
const REST = 10;
/** However slow answers are, what is shown is not much older than this, in ms. */
const MAX_REST_MS = 10_000;
/** A server that cannot answer now is asked again after so long, in ms. */
const BUSY_MS = 2000;

/** The data of an event: the imports that changed, or the id of something else that did. */
export type Told = Partial<ListEvents['imports'] & { id: string }>;
type Look<T> = (signal: AbortSignal) => Promise<T>;

export interface Renewal<T> {
  /** Events after which it is asked again soon, and when some may have been missed. */
  news?: readonly (keyof ListEvents)[] | undefined;
  /** Whether one of them changes the answer. Default: each does. */
  concerns?: ((data: Told) => boolean) | undefined;
  /** The answer that an event brings with it, in place of a question. */
  brought?: ((data: Told) => T | undefined) | undefined;
  /** The time until it is asked again, by what is known by then; undefined: it is not. */
  everyMs?: ((data: T | undefined) => number | undefined) | undefined;
}

/** Those that are being followed. */
const followed = new Set<Pick<Question<unknown>, 'again' | 'hear' | 'missed'>>();

/** Its latest answer stays in sight while the server is away. Only an answer that nothing has overtaken counts. */
export class Question<T> {
  /** Undefined until it is there. */
  readonly data = signal<T | undefined>(undefined);
  /** Undefined while there is an answer, or may be one soon. */
  readonly error = signal<unknown>(undefined);
  /** The reason why the last attempt brought no answer, also where an older one stays in sight. */
  failure: unknown;
  /** Undefined: there is nothing to ask. */
  look: Look<T> | undefined;
  renewal: Renewal<T> = {};
  /** Ends what is under way. */
  #asking: AbortController | undefined;
  /** Whether something has changed since it was asked, or since it should have been: the answer may be older. */
  #isBehind = false;
  #restUntil = 0;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #later: ReturnType<typeof setTimeout> | undefined;

  get isAsking() {
    return this.#asking !== undefined;
  }

  /** From now on it is asked after changes, when the server is back, and when it is time. @returns ends that */
  follow(): () => void {
    followed.add(this);
    return () => {
      followed.delete(this);
      this.#stop();
    };
  }

  /** Asks now. @returns whether nothing has overtaken the answer */
  async ask(look: Look<T> | undefined = this.look): Promise<boolean> {
    if (look === undefined) return false;
    this.#stop();
    const asking = new AbortController();
    this.#asking = asking;
    const askedAt = performance.now();
    const { data, error } = this;
    try {
      const answer = await look(asking.signal);
      asking.signal.throwIfAborted();
      this.#take(answer);
    } catch (failure) {
      if (asking.signal.aborted) return false;
      this.failure = failure;
      // The banner says it.
      if (!(isAway(failure) && data.peek() !== undefined)) error.value = failure;
    }
    this.#asking = undefined;
    this.#restUntil = performance.now() + Math.min(MAX_REST_MS, REST * (performance.now() - askedAt));
    this.#plan();
    if (this.#isBehind) this.soon();
    return true;
  }

  /** Asks soon, once for all that changes until then, and never before the last answer is there. */
  soon() {
    this.#isBehind = this.isAsking;
    if (!this.#isBehind && followed.has(this))
      this.#soon ??= setTimeout(() => this.again(), Math.max(SOON_MS, this.#restUntil - performance.now()));
  }

  /** Asks unless the page is not looked at, or the server is away. */
  again() {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    if (this.data.peek() === undefined || !(document.hidden || connection.away)) return void this.ask();
    this.#isBehind = true;
    this.#plan();
  }

  /** Takes a newer answer from elsewhere. */
  set(answer: T) {
    this.#stop();
    this.#take(answer);
    this.#plan();
  }

  hear(name: keyof ListEvents, data: Told) {
    const { news, concerns, brought } = this.renewal;
    if (news?.includes(name) !== true) return;
    const answer = brought?.(data);
    if (answer !== undefined) this.set(answer);
    else if (concerns?.(data) !== false) this.soon();
  }

  /** Events may have been missed: the page was hidden, or the server away. */
  missed() {
    if (this.renewal.news !== undefined || this.#isBehind) this.soon();
  }

  #take(answer: T) {
    batch(() => {
      this.data.value = answer;
      this.error.value = undefined;
    });
  }

  #plan() {
    const ms = this.renewal.everyMs?.(this.data.peek()) ?? (isBusy(this.error.peek()) ? BUSY_MS : undefined);
    clearTimeout(this.#later);
    if (ms !== undefined && followed.has(this)) this.#later = setTimeout(() => this.again(), ms);
  }

  /** Nothing comes of what is under way or due. */
  #stop() {
    this.#asking?.abort();
    this.#asking = undefined;
    this.failure = undefined;
    this.#isBehind = false;
    clearTimeout(this.#soon);
    this.#soon = undefined;
    clearTimeout(this.#later);
  }
}

/** Has all questions hear of a change. */
export function tell(name: keyof ListEvents, data: Told) {
  for (const question of followed) question.hear(name, data);
}

export function tellMissed() {
  for (const question of followed) question.missed();
}

connection.addEventListener('back', () => {
  for (const question of followed) question.again();
});
