/** Answers of the server, kept up to date while they are shown: one document, or a list page by page. */

import { batch, signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ListEvents } from './answers.ts';
import { useListNews, useSoon } from './live.ts';
import { type Address, ApiError, connection, query, request } from './requests.ts';

/** Events of the lists after which an answer is asked for again. */
interface News {
  news?: readonly (keyof ListEvents)[];
  /** Whether one of them changes the answer. Default: each does */
  concerns?: (data: ListEvents[keyof ListEvents]) => boolean;
}

export interface Answer<T> {
  /** Undefined until it is there. */
  data: T | undefined;
  /** The error; undefined while there is an answer, or may be one soon. */
  error: unknown;
  reload: () => Promise<void>;
  /** Replaces the data by a newer answer from elsewhere. */
  set: (data: T) => void;
}

interface AnswerOptions<T> extends News {
  /** It may depend on what is known by then; undefined: not again. */
  everyMs?: (data: T | undefined, error: unknown) => number | undefined;
  /** It is asked for again when this has changed. */
  turn?: unknown;
}

/**
 * Asks when the path changes, when the server is back, after news, and every so often while the page is looked at. The last
 * answer stays in sight while the server is away.
 * @param path null: nothing is asked for
 */
export function useAnswer<T>(
  path: Address<T> | string | null,
  { everyMs, turn, news, concerns }: AnswerOptions<T> = {},
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
  useListNews(news, () => ask.current.now(), concerns);
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

interface PagesOptions<Name> extends News {
  /** Under which the answer has the items. */
  name: Name;
  /** Items of a page. Default: 50. */
  limit?: number;
  /** Items that come when more are asked for. Default: a page. */
  step?: number;
  /** Items that are held; the first ones make room. */
  most?: number;
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
  useListNews(options.news, () => pages.follow(), options.concerns);
  return pages;
}

/** The part of a list that is there. */
interface Shown<T> {
  /** Undefined until the first page is there. */
  items?: readonly T[];
  /** The number of all items, if the answer has it. */
  total: number | null;
  /** Names that the pages give of what they could not read. */
  unread: ReadonlySet<string>;
  /** The place at which further items begin; null where there are none. */
  cursor: string | null;
  /** Whether the first ones have made room. */
  dropped: boolean;
  error?: unknown;
  /** The path that the items answer. */
  path: string | null;
}

/** A component that reads `shown` is drawn again when it changes. */
export class Pages<T> {
  path: string | null = null;
  /** Items that come when more are asked for. */
  readonly step: number;
  readonly #options: Required<Pick<PagesOptions<string>, 'name' | 'limit' | 'most'>>;
  readonly #shown = signal<Shown<T>>({ total: null, unread: new Set(), cursor: null, dropped: false, path: null });
  #asked = 0;
  #underWay = 0;
  /** Items that are to be shown, with those of a question that a later one has overtaken. */
  #goal = 0;
  #leaving = new AbortController();

  constructor({ name, limit = PAGE, step = limit, most = Number.POSITIVE_INFINITY }: PagesOptions<string>) {
    this.#options = { name, limit, most };
    this.step = step;
  }

  get shown(): Readonly<Shown<T>> {
    return this.#shown.value;
  }

  /** Whether the items answer another path, and those of this one are still to come. */
  get isOld(): boolean {
    return this.shown.items !== undefined && this.shown.path !== this.path;
  }

  /** Asks for the first page of a path; returns the function that leaves it. */
  begin(): () => void {
    this.#leaving = new AbortController();
    void this.restart();
    return () => this.#leaving.abort();
  }

  more(): Promise<void> {
    this.#goal += this.step;
    // The answer to what is under way would be lost: one question for both.
    return this.#load(this.#underWay === 0 || this.#goal > this.#options.most);
  }

  /** The first page. */
  restart(): Promise<void> {
    this.#goal = this.#options.limit;
    return this.#load();
  }

  refresh(): Promise<void> {
    return this.#load();
  }

  /** The same, where the first items have not made room. */
  async follow(): Promise<void> {
    if (!this.#shown.peek().dropped && !this.#leaving.signal.aborted) await this.refresh();
  }

  async #load(isMore = false): Promise<void> {
    const { path, step } = this;
    if (path === null) return;
    const own = ++this.#asked;
    const { signal } = this.#leaving;
    const { name, most } = this.#options;
    const before = this.#shown.peek();
    const kept = isMore ? (before.items ?? []) : [];
    const wanted = isMore ? step : Math.min(most, this.#goal);
    // Of what was asked for before, all comes back.
    const least = isMore || before.path !== path ? 1 : wanted;
    const found: T[] = [];
    const unread = new Set(isMore ? before.unread : []);
    let { cursor, total } = isMore ? before : { cursor: null, total: null };
    this.#underWay += 1;
    try {
      // A page may be shorter than was asked for, even empty, and have a next one.
      do {
        const rest = query({ limit: Math.min(MAX_PAGE, wanted - found.length), cursor });
        const page = await request<Page>(`${path}${path.includes('?') ? rest.replace('?', '&') : rest}`, { signal });
        found.push(...((page[name] as T[] | undefined) ?? []));
        for (const one of page.unread ?? []) unread.add(one);
        total ??= page.total ?? null;
        cursor = page.nextCursor ?? null;
        // A later question is under way: its answer counts.
        if (own !== this.#asked) return;
      } while (cursor !== null && found.length < least);
      const items = [...kept, ...found];
      const dropped = isMore && (before.dropped || items.length > most);
      this.#shown.value = { items: items.slice(-most), total, unread, cursor, dropped, path };
    } catch (error) {
      if (signal.aborted || own !== this.#asked) return;
      const present = this.#shown.peek();
      // The banner says it; what is shown stays until the server is back.
      if (!(isAway(error) && present.items !== undefined)) this.#shown.value = { ...present, error };
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** A page of a list, as the server answers. */
type Page = Readonly<Record<string, unknown>> & {
  nextCursor?: string | null;
  total?: number | null;
  unread?: readonly string[];
};

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
