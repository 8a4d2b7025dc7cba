/** Answers of the server, kept up to date while they are shown: one document, or a list page by page. */

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Question, type Renewal } from './question.ts';
import { type Address, query, request } from './requests.ts';

interface AnswerOptions<T> extends Renewal<T> {
  /** It is asked for again soon after this has changed. */
  turn?: unknown;
  /** Asks for what is shown beside it, which is never older than the answer: without it, the answer does not count. */
  beside?: () => Promise<unknown>;
}

/**
 * Asks when the path changes, when the server is back or can answer again, after news, and every so often while the page is
 * looked at. The last answer stays in sight while the server is away.
 * @param path null: nothing is asked for
 */
export function useAnswer<T>(path: Address<T> | string | null, { turn, beside, ...renewal }: AnswerOptions<T> = {}) {
  const question = useMemo(() => new Question<T>(), []);
  const look = async (signal: AbortSignal) => {
    const answer = await request<T>(path ?? '', { signal });
    await beside?.();
    return answer;
  };
  question.look = path === null ? undefined : look;
  question.renewal = renewal;
  useEffect(() => {
    void question.ask();
    return question.follow();
  }, [path]);
  const asked = useRef({ path, turn });
  useEffect(() => {
    // Another path is asked already.
    if (asked.current.path === path && asked.current.turn !== turn) question.soon();
    asked.current = { path, turn };
  }, [path, turn]);
  return {
    data: question.data.value,
    error: question.error.value,
    /** It has the present answer, also where this was not drawn again. */
    question,
    /** Replaces the data by an answer from elsewhere, and asks again soon: news of something later may have come first. */
    set: (known: T) => {
      question.set(known);
      question.soon();
    },
    reload: async () => void (await question.ask()),
  };
}

/** Calls when a value has changed since it was last drawn, not at first. */
export function useChange(value: unknown, onChange: () => void) {
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else onChange();
  }, [value]);
}

type ItemOf<Page, Name extends keyof Page> = Page[Name] extends readonly (infer Item)[] ? Item : never;

interface PagesOptions<Name, T> extends Renewal<Shown<T>> {
  /** Under which the answer has the items. */
  name: Name;
  /** Items of the first page. Default: 50. */
  limit?: number;
  /** Items that come when more are asked for. Default: as many. */
  step?: number;
  /** Items that are held; the first ones make room. */
  most?: number;
}

/**
 * A list that is asked for page by page, from the start whenever the path changes.
 * @param path without limit and cursor; null: nothing is asked for
 * @param options but for its renewal, they do not change
 */
export function usePages<Page, Name extends keyof Page & string, T = ItemOf<Page, Name>>(
  path: Address<Page> | null,
  options: PagesOptions<Name, T>,
): Pages<T> {
  const pages = useMemo(() => new Pages<T>(options), []);
  pages.path = path;
  pages.renewal = options;
  useEffect(() => {
    if (path === null) return;
    void pages.restart();
    return pages.follow();
  }, [path]);
  return pages;
}

/** A page of a list, as the server answers. */
type Page = Readonly<Record<string, unknown>> & {
  nextCursor?: string | null;
  total?: number | null;
  unread?: readonly string[];
};

/** Maximum number of entries that the server gives at a time. */
const MAX_PAGE = 200;

/** The part of a list that is there. */
interface Shown<T> {
  items: readonly T[];
  /** The number of all items, if the answer has it. */
  total: number | null;
  /** Names that the pages give of what they could not read. */
  unread: ReadonlySet<string>;
  /** The place at which further items begin; null where there are none. */
  cursor: string | null;
  /** The number of the first ones that have made room. */
  dropped: number;
  /** The path that the items answer. */
  path: string | null;
}

const NOTHING = { items: [], total: null, unread: new Set<string>(), cursor: null, dropped: 0, path: null };

/** A component that reads `shown` is drawn again when it changes. */
export class Pages<T> extends Question<Shown<T>> {
  path: string | null = null;
  /** Items that come when more are asked for. */
  readonly step: number;
  readonly #options;
  /** Items that are to be shown, with those of a question that a later one has overtaken. */
  #goal = 0;

  constructor({ name, limit = 50, step = limit, most = Number.POSITIVE_INFINITY }: PagesOptions<string, T>) {
    super();
    this.#options = { name, limit, most };
    this.step = step;
    this.look = async (signal) => {
      const known = this.data.peek();
      // Where the first items have made room, those that are shown stay.
      return known?.path === this.path && known.dropped > 0 ? known : this.#read(signal);
    };
  }

  get shown() {
    return { ...NOTHING, items: undefined, ...this.data.value, error: this.error.value };
  }

  /** Whether the items answer another path, and those of this one are still to come. */
  get isOld(): boolean {
    return this.shown.items !== undefined && this.shown.path !== this.path;
  }

  /** The number of items that come next; undefined where it is not known: more may fit by now than were counted. */
  get coming() {
    const { items = [], total, dropped } = this.shown;
    const left = (total ?? 0) - dropped - items.length;
    return left > 0 ? Math.min(this.step, left) : undefined;
  }

  async more() {
    this.#goal += this.step;
    // The answer to what is under way would be lost: one question for both.
    if (this.isAsking && this.#goal <= this.#options.most) await this.refresh();
    else await this.ask((signal) => this.#read(signal, this.data.peek()));
  }

  /** More until there are enough, or no more, or the signal aborts. @throws the reason why none came */
  async moreUntil(areEnough: () => boolean, left: AbortSignal) {
    while (!areEnough() && this.shown.cursor !== null) {
      await this.more();
      left.throwIfAborted();
      if (this.failure !== undefined) throw this.failure;
    }
  }

  /** The first page. */
  restart() {
    this.#goal = this.#options.limit;
    return this.refresh();
  }

  /** All that were asked for, from the start. */
  async refresh() {
    if (this.path !== null) await this.ask((signal) => this.#read(signal));
  }

  /** Takes newer items from elsewhere, whatever is under way. */
  renew(renewed: (item: T) => T) {
    const known = this.data.peek();
    if (known !== undefined) this.data.value = { ...known, items: known.items.map(renewed) };
  }

  /** @param before the items that others follow; absent: from the start */
  async #read(signal: AbortSignal, before?: Shown<T>): Promise<Shown<T>> {
    const { path, step } = this;
    const { name, most } = this.#options;
    const wanted = before === undefined ? Math.min(most, this.#goal) : step;
    // Of what was asked for before, all comes back.
    const least = before === undefined && this.data.peek()?.path === path ? wanted : 1;
    const found: T[] = [];
    let { items, total, unread, cursor, dropped }: Shown<T> = before ?? NOTHING;
    // A page may be shorter than was asked for, even empty, and have a next one.
    do {
      const rest = query({ limit: Math.min(MAX_PAGE, wanted - found.length), cursor });
      const page = await request<Page>(`${path}${path?.includes('?') ? rest.replace('?', '&') : rest}`, { signal });
      found.push(...((page[name] as T[] | undefined) ?? []));
      unread = new Set([...unread, ...(page.unread ?? [])]);
      total ??= page.total ?? null;
      cursor = page.nextCursor ?? null;
    } while (cursor !== null && found.length < least);
    items = [...items, ...found];
    dropped += Math.max(0, items.length - most);
    return { items: items.slice(-most), total, unread, cursor, dropped, path };
  }
}
