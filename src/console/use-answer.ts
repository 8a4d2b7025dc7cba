/** Answers of the server, kept up to date while they are shown: one document, or a list page by page. */

import { batch, signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ListEvents } from './answers.ts';
import { useListNews, useSoon } from './live.ts';
import { type Address, ApiError, connection, request } from './requests.ts';
export interface Answer<T> {
  /** Undefined until it is there. */
  data: T | undefined;
  /** The error; undefined while there is an answer, or may be one soon. */
  error: unknown;
  reload: () => Promise<void>;
  /** Replaces the data by a newer answer from elsewhere. */
  set: (data: T) => void;
}

interface AnswerOptions<T> {
  /** It may depend on what is known by then; undefined: not again. */
  everyMs?: (data: T | undefined, error: unknown) => number | undefined;
  /** It is asked for again when this has changed. */
  turn?: unknown;
  /** Events after which it is asked for again. */
  news?: readonly (keyof ListEvents)[];
}

/**
 * Asks when the path changes, when the server is back, after news, and every so often while the page is looked at. The last
 * answer stays in sight while the server is away.
 * @param path null: nothing is asked for
 */
export function useAnswer<T>(
  path: Address<T> | string | null,
  { everyMs, turn, news = [] }: AnswerOptions<T> = {},
): Answer<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const ask = useRef({ now: async () => {}, later: () => {} });
  const every = useRef(everyMs);
  every.current = everyMs;
  const asked = useRef(0);
  useEffect(() => {
    if (path === null) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer: number | undefined;
    const later = () => {
      clearTimeout(timer);
      const ms = every.current?.(data.peek(), error.peek());
      if (ms !== undefined && !signal.aborted) timer = setTimeout(now, ms);
    };
    const now = async () => {
      clearTimeout(timer);
      const own = ++asked.current;
      try {
        if (data.peek() === undefined || (!document.hidden && !connection.away)) {
          const answer = await request<T>(path, { signal });
          if (own !== asked.current) return;
          batch(() => {
            data.value = answer;
            error.value = undefined;
          });
        }
      } catch (failure) {
        if (signal.aborted || own !== asked.current) return;
        if (!(isAway(failure) && data.peek() !== undefined)) error.value = failure;
      } finally {
        if (own === asked.current) later();
      }
    };
    ask.current = { now, later };
    connection.addEventListener('back', now, { signal });
    void now();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [path, turn]);
  useListNews(news, () => ask.current.now());
  return {
    data: data.value,
    error: error.value,
    reload: () => ask.current.now(),
    set: (known) => {
      asked.current += 1;
      data.value = known;
      ask.current.later();
    },
  };
}

/** Names under which an answer has items. */
type ListsOf<Page> = {
  [Name in keyof Page & string]: Page[Name] extends readonly unknown[] ? Name : never;
}[keyof Page & string];
type ItemOf<Page, Name extends keyof Page> = Page[Name] extends readonly (infer Item)[] ? Item : never;

interface PagesOptions<Name> {
  /** Under which the answer has the items. */
  name: Name;
  /** Items of a page. Default: 50. */
  limit?: number;
  /** Items that come when more are asked for. Default: a page. */
  step?: number;
  /** Items that are held; the first ones make room. */
  most?: number;
  /** Events after which the list is asked for again. */
  news?: readonly (keyof ListEvents)[];
  /** Whether an event changes the list. Default: each does */
  concerns?: (data: ListEvents[keyof ListEvents]) => boolean;
}

/** Items that come at a time. */
const PAGE = 50;

/**
 * A list that is asked for page by page, from the start whenever the path changes.
 * @param path without limit and cursor; null: nothing is asked for
 * @param options do not change
 */
export function usePages<Page, Name extends ListsOf<Page>, T = ItemOf<Page, Name>>(
  path: Address<Page> | null,
  options: PagesOptions<Name>,
): Pages<T> {
  const pages = useMemo(() => new Pages<T>(options), []);
  pages.path = path;
  useEffect(() => pages.begin(), [path]);
  useListNews(options.news ?? [], () => pages.follow(), options.concerns);
  return pages;
}

/** The items of a list that are there. A component that reads one of these is drawn again when it changes. */
export class Pages<T> {
  path: string | null = null;
  readonly #options: Required<Omit<PagesOptions<string>, 'news' | 'concerns'>>;
  readonly #items = signal<readonly T[] | undefined>(undefined);
  readonly #total = signal<number | null>(null);
  readonly #unread = signal<ReadonlySet<string>>(new Set());
  readonly #cursor = signal<string | null>(null);
  readonly #dropped = signal(false);
  readonly #error = signal<unknown>(undefined);
  /** The path that the items answer. */
  #answered: string | null = null;
  #asked = 0;
  #underWay = 0;
  /** Items that are to be shown, with those of a question that a later one has overtaken. */
  #goal = 0;
  #edits: ((items: readonly T[]) => readonly T[])[] = [];
  #leaving = new AbortController();

  constructor({ name, limit = PAGE, step = limit, most = Number.POSITIVE_INFINITY }: PagesOptions<string>) {
    this.#options = { name, limit, step, most };
  }

  /** Items that come when more are asked for. */
  get step(): number {
    return this.#options.step;
  }

  /** Undefined until the first page is there. */
  get items(): readonly T[] | undefined {
    return this.#items.value;
  }

  /** The total of all pages, if the answer has it. */
  get total(): number | null {
    return this.#total.value;
  }

  /** Names that the pages give of what they could not read. */
  get unread(): ReadonlySet<string> {
    return this.#unread.value;
  }

  /** Whether the items answer another path, and those of this one are still to come. */
  get isOld(): boolean {
    return this.items !== undefined && this.#answered !== this.path;
  }

  get hasMore(): boolean {
    return this.#cursor.value !== null;
  }

  /** Whether the first ones have made room. */
  get dropped(): boolean {
    return this.#dropped.value;
  }

  get error(): unknown {
    return this.#error.value;
  }

  /** Asks for the first page of a path; returns the function that leaves it. */
  begin(): () => void {
    this.#leaving = new AbortController();
    void this.restart();
    return () => this.#leaving.abort();
  }

  more(): Promise<void> {
    const all = this.#goal + this.#options.step;
    // The answer to what is under way would be lost: one question for both.
    if (this.#underWay === 0 || all > this.#options.most) return this.#load('more');
    this.#goal = all;
    return this.#load('again');
  }

  /** The first page. */
  restart(): Promise<void> {
    return this.#load('start');
  }

  refresh(): Promise<void> {
    return this.#load('again');
  }

  /** The same, where the first items have not made room. */
  async follow(): Promise<void> {
    if (!this.#dropped.peek() && !this.#leaving.signal.aborted) await this.refresh();
  }

  /** Also of the answers that are under way, which may be from before. */
  edit(change: (items: readonly T[]) => readonly T[]): void {
    if (this.#underWay > 0) this.#edits.push(change);
    const items = this.#items.peek();
    if (items !== undefined) this.#items.value = change(items);
    this.#goal = Math.max(this.#goal, this.#items.peek()?.length ?? 0);
  }

  async #load(from: 'start' | 'more' | 'again'): Promise<void> {
    const { path } = this;
    if (path === null) return;
    const own = ++this.#asked;
    const isLatest = () => own === this.#asked;
    const { signal } = this.#leaving;
    const { name, limit, step, most } = this.#options;
    const before = from === 'more' ? (this.#items.peek() ?? []) : [];
    if (from === 'start') this.#goal = limit;
    if (from === 'more') this.#goal = Math.min(most, before.length + step);
    const wanted = from === 'more' ? step : this.#goal;
    const least = from === 'again' ? wanted : 1;
    const since = from === 'more' ? this.#cursor.peek() : null;
    this.#underWay += 1;
    try {
      const { found, counted, unread, after } = await askPages<T>(
        path,
        { name, wanted, least, after: since, signal },
        isLatest,
      );
      // A later question is under way: its answer counts.
      if (!isLatest()) return;
      batch(() => {
        const all = this.#edits.reduce<readonly T[]>((those, change) => change(those), [...before, ...found]);
        this.#dropped.value = from === 'more' && (this.#dropped.peek() || all.length > most);
        this.#items.value = all.slice(-most);
        this.#answered = path;
        this.#unread.value = new Set([...(from === 'more' ? this.#unread.peek() : []), ...unread]);
        this.#cursor.value = after;
        if (from !== 'more') this.#total.value = counted ?? null;
        this.#error.value = undefined;
      });
    } catch (failure) {
      if (signal.aborted || !isLatest()) return;
      // The banner says it; what is shown stays until the server is back.
      if (!(isAway(failure) && this.#items.peek() !== undefined)) this.#error.value = failure;
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#edits = [];
    }
  }
}

interface PagesWanted {
  /** Under which the answer has the items. */
  name: string;
  /** Items, at most. */
  wanted: number;
  /** Items that are enough. */
  least: number;
  /** Cursor of the first page. */
  after: string | null;
  signal: AbortSignal;
}

/** Asks for pages until there are enough items, or a later question is under way. */
async function askPages<T>(path: string, { name, wanted, least, after, signal }: PagesWanted, isLatest: () => boolean) {
  let counted: number | null | undefined;
  let cursor = after;
  const found: T[] = [];
  const unread: string[] = [];
  const separator = path.includes('?') ? '&' : '?';
  // A page may be shorter than was asked for, even empty, and have a next one.
  do {
    const rest = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await request<
      Record<string, T[]> & { nextCursor?: string | null; total?: number | null; unread?: string[] }
    >(`${path}${separator}limit=${Math.min(MAX_PAGE, wanted - found.length)}${rest}`, { signal });
    found.push(...(page[name] ?? []));
    unread.push(...(page.unread ?? []));
    counted ??= page.total;
    cursor = page.nextCursor ?? null;
  } while (isLatest() && cursor !== null && found.length < least);
  return { found, counted, unread, after: cursor };
}

/** Maximum number of entries that the server gives at a time. */
const MAX_PAGE = 200;

/** Asks again after a state, such as a count, has changed. */
export function useRenewal(state: unknown, ask: () => unknown) {
  const seen = useRef(state);
  const soon = useSoon(ask);
  useEffect(() => {
    if (state !== seen.current) soon();
    seen.current = state;
  }, [state]);
}

export function isAway(error: unknown) {
  return error instanceof ApiError && error.code === 'AWAY';
}
