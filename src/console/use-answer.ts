/** Answers of the server, kept up to date while they are shown: one document, or a list page by page. */

import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ListEvents } from './answers.ts';
import { useChange } from './kit/form.tsx';
import { useListNews, useSoon } from './live.ts';
import { type Address, connection, isBusy, Question, query, request } from './requests.ts';

/** Events of the lists after which an answer is asked for again. */
interface News {
  news?: readonly (keyof ListEvents)[];
  /** Whether one of them changes the answer. Default: each does */
  concerns?: (data: ListEvents[keyof ListEvents]) => boolean;
}

interface AnswerOptions<T> extends News {
  /** The answer that an event brings with it, in place of a question. */
  brought?: (data: ListEvents[keyof ListEvents]) => T | undefined;
  /** It may depend on what is known by then; undefined: not again. */
  everyMs?: (data: T | undefined, error: unknown) => number | undefined;
  /** It is asked for again soon after this has changed. */
  turn?: unknown;
}

/** A server that cannot answer now is asked again after so long, in ms. */
const AGAIN_MS = 2000;

/**
 * Asks when the path changes, when the server is back or can answer again, after news, and every so often while the page is
 * looked at. The last answer stays in sight while the server is away.
 * @param path null: nothing is asked for
 */
export function useAnswer<T>(
  path: Address<T> | string | null,
  { everyMs, turn, news, concerns = () => true, brought }: AnswerOptions<T> = {},
) {
  const question = useMemo(() => new Question<T>(), []);
  const ask = useRef({ now: async () => {}, later: () => {} });
  const every = useRef(everyMs);
  every.current = everyMs;
  useEffect(() => {
    if (path === null) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const { data, error } = question;
    let timer: number | undefined;
    const later = () => {
      clearTimeout(timer);
      const ms = every.current?.(data.peek(), error.peek()) ?? (isBusy(error.peek()) ? AGAIN_MS : undefined);
      if (ms !== undefined && !signal.aborted) timer = setTimeout(now, ms);
    };
    const now = async () => {
      clearTimeout(timer);
      if (data.peek() === undefined || (!document.hidden && !connection.away))
        await question.ask(() => request<T>(path, { signal }), signal);
      later();
    };
    ask.current = { now, later };
    connection.addEventListener('back', now, { signal });
    void now();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [path]);
  /** Replaces the data by a newer answer from elsewhere. */
  const set = (known: T) => {
    question.set(known);
    ask.current.later();
  };
  const reload = () => ask.current.now();
  useRenewal(turn, reload);
  useListNews(news, reload, (event) => {
    const answer = brought?.(event);
    if (answer === undefined) return concerns(event);
    set(answer);
    return false;
  });
  return { data: question.data.value, error: question.error.value, reload, set };
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
  items: readonly T[];
  /** The number of all items, if the answer has it. */
  total: number | null;
  /** Names that the pages give of what they could not read. */
  unread: ReadonlySet<string>;
  /** The place at which further items begin; null where there are none. */
  cursor: string | null;
  /** Whether the first ones have made room. */
  dropped: boolean;
  /** The path that the items answer. */
  path: string | null;
}

/** Before the first page is there. */
const NOTHING = { items: undefined, total: null, unread: new Set<string>(), cursor: null, dropped: false, path: null };

/** A component that reads `shown` is drawn again when it changes. */
export class Pages<T> {
  path: string | null = null;
  /** Items that come when more are asked for. */
  readonly step: number;
  readonly #options: Required<Pick<PagesOptions<string>, 'name' | 'limit' | 'most'>>;
  readonly #question = new Question<Shown<T>>();
  #underWay = 0;
  /** Items that are to be shown, with those of a question that a later one has overtaken. */
  #goal = 0;
  #leaving = new AbortController();

  constructor({ name, limit = PAGE, step = limit, most = Number.POSITIVE_INFINITY }: PagesOptions<string>) {
    this.#options = { name, limit, most };
    this.step = step;
  }

  get shown() {
    return { ...(this.#question.data.value ?? NOTHING), error: this.#question.error.value };
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
    if (!this.#question.data.peek()?.dropped && !this.#leaving.signal.aborted) await this.refresh();
  }

  async #load(isMore = false): Promise<void> {
    const { path, step } = this;
    if (path === null) return;
    const { signal } = this.#leaving;
    const { name, most } = this.#options;
    const before = this.#question.data.peek() ?? NOTHING;
    const wanted = isMore ? step : Math.min(most, this.#goal);
    // Of what was asked for before, all comes back.
    const least = isMore || before.path !== path ? 1 : wanted;
    const look = async (isLatest: () => boolean) => {
      const found: T[] = [];
      const unread = new Set(isMore ? before.unread : []);
      let { cursor, total } = isMore ? before : NOTHING;
      // A page may be shorter than was asked for, even empty, and have a next one.
      do {
        const rest = query({ limit: Math.min(MAX_PAGE, wanted - found.length), cursor });
        const page = await request<Page>(`${path}${path.includes('?') ? rest.replace('?', '&') : rest}`, { signal });
        found.push(...((page[name] as T[] | undefined) ?? []));
        for (const one of page.unread ?? []) unread.add(one);
        total ??= page.total ?? null;
        cursor = page.nextCursor ?? null;
      } while (cursor !== null && found.length < least && isLatest());
      const items = isMore ? [...(before.items ?? []), ...found] : found;
      const dropped = isMore && (before.dropped || items.length > most);
      return { items: items.slice(-most), total, unread, cursor, dropped, path };
    };
    this.#underWay += 1;
    await this.#question.ask(look, signal);
    this.#underWay -= 1;
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
  useChange(state, useSoon(ask));
}
