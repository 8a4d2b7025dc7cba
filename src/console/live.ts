/** Server-sent events that come back by themselves. */

import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ImportView, ListEvents, Overview } from './answers.ts';
import { addressOf, call, connection, Question } from './requests.ts';

const MAX_WAIT_MS = 30_000;
/**
 * Streams that stay open. Browsers allow six connections to one server over HTTP/1.1, for all windows together: two are
 * left for requests, without which a seventh stream would keep every page from loading.
 */
const MAX_STREAMS = 4;
/** A window without one looks at the stream so often, in ms. */
const GLANCE_EVERY_MS = 5000;

/**
 * Has the events of the lists heard until the signal aborts. While the page is hidden it rests. When other windows have all
 * the streams that may stay open, it takes the present state every few seconds. When it begins, and after every break,
 * `onReturn` is called: events were missed.
 */
function follow(signal: AbortSignal, onReturn: () => void) {
  let source: EventSource | undefined;
  /** Gives back the place that the stream has; undefined while it has none. */
  let leavePlace: (() => void) | undefined;
  let opening = false;
  // The page asks before the stream is open.
  let broken = true;
  let waitMs = 0;
  let timer: number | undefined;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
    leavePlace?.();
    leavePlace = undefined;
  };
  /** Reconnects after a wait; events until then are missed. */
  const openAfter = (ms: number) => {
    broken = true;
    close();
    timer = setTimeout(open, ms);
  };
  const mayOpen = () => {
    if (signal.aborted || opening || source !== undefined) return false;
    if (!document.hidden && !connection.away) return true;
    broken = true;
    return false;
  };
  const open = async () => {
    if (!mayOpen()) return;
    opening = true;
    const leave = await takePlace();
    opening = false;
    if (!mayOpen()) return leave?.();
    leavePlace = leave;
    const stream = new EventSource(addressOf('GET /v1/events', {}));
    source = stream;
    stream.addEventListener('open', () => {
      if (broken) onReturn();
      broken = false;
    });
    for (const name of NAMES) {
      stream.addEventListener(name, (event) => {
        waitMs = 0;
        hear(name, JSON.parse((event as MessageEvent<string>).data));
        // With it, the present state is complete.
        if (name === 'imports' && leave === undefined) openAfter(GLANCE_EVERY_MS);
      });
    }
    stream.addEventListener('error', () => {
      waitMs = Math.min(MAX_WAIT_MS, Math.max(1000, waitMs * 2));
      openAfter(waitMs);
      // Finds out why: a server that is away is waited for, one that wants a login gets it.
      call('GET /v1/imports', { query: { limit: 1 } }, signal).catch(() => undefined);
    });
  };
  const turn = () => {
    if (!document.hidden) return void open();
    broken = true;
    close();
  };

  document.addEventListener('visibilitychange', turn, { signal });
  // Also one that looks open: nothing tells a browser that the other end has gone.
  connection.addEventListener('back', () => openAfter(0), { signal });
  signal.addEventListener('abort', close);
  void open();
}

/**
 * Takes one of the places for streams that all windows of this browser share, and gives what gives it back; undefined
 * while all are taken. A window that is closed or crashes gives its places back.
 */
async function takePlace(): Promise<(() => void) | undefined> {
  // Browsers have no locks on pages that came over plain http from another machine.
  if (navigator.locks === undefined) return () => undefined;
  for (let place = 1; place <= MAX_STREAMS; place += 1) {
    const leave = await lockIfFree(`rollcall stream ${place}`);
    if (leave !== undefined) return leave;
  }
  return undefined;
}

/** @returns what gives the lock back */
function lockIfFree(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock === null) return resolve(undefined);
        return new Promise((free) => resolve(() => free(undefined)));
      })
      // A page that is being left gets none.
      .catch(() => resolve(undefined));
  });
}

const question = new Question<Overview>();
/** Undefined until it is there, and for who is not logged in. */
export const overview = question.data;

/** After a change, in ms: several come together. */
const SOON_MS = 300;
/** After an answer, the next question rests so many times the time that it took: a slow one was much work for the server. */
const REST = 10;
/** However slow answers are, what is shown is not much older than this, in ms. */
const MAX_REST_MS = 10_000;

/** Asks soon after changes, once for all that come until then, and never before the last answer is there. */
class Pace {
  readonly #ask;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #restUntil = 0;
  #underWay = 0;
  /** Whether something changed while a question was under way, whose answer may be older. */
  #isBehind = false;

  constructor(ask: () => unknown) {
    this.#ask = ask;
  }

  soon(): void {
    this.#isBehind = this.#underWay > 0;
    if (this.#isBehind) return;
    this.#timer ??= setTimeout(() => void this.now(), Math.max(SOON_MS, this.#restUntil - performance.now()));
  }

  async now(): Promise<void> {
    this.stop();
    const askedAt = performance.now();
    this.#underWay += 1;
    try {
      await this.#ask();
    } finally {
      this.#underWay -= 1;
      this.#restUntil = performance.now() + Math.min(MAX_REST_MS, REST * (performance.now() - askedAt));
      if (this.#isBehind) this.soon();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isBehind = false;
  }
}

/** After a failure, in ms. */
const AGAIN_MS = 15_000;
/** In a hidden tab, whose events rest: its title shall still be right. */
const HIDDEN_MS = 60_000;

/** Progress changes what pages show of one thing, and no list. */
const PROGRESS: readonly (keyof ListEvents)[] = ['check', 'export', 'planning'];
const NAMES: readonly (keyof ListEvents)[] = ['imports', 'removed', 'sync', 'schedules', ...PROGRESS];
type Told = <K extends keyof ListEvents>(name: K, data: ListEvents[K]) => void;
/** Those who hear of changes in the lists, over the one stream that a page has, and when some may have been missed. */
const listeners = new Set<{ told: Told; onReturn: () => void }>();
let watching: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const pace = new Pace(async () => {
  const left = watching?.signal ?? AbortSignal.abort();
  clearTimeout(timer);
  if (!connection.away) await question.ask(() => call('GET /v1/overview', {}, left), left);
  if (left.aborted) return;
  if (document.hidden) later(HIDDEN_MS);
  else if (question.error.peek() !== undefined) later(AGAIN_MS);
});

function later(ms: number) {
  clearTimeout(timer);
  timer = setTimeout(() => void pace.now(), ms);
}

function askSoon() {
  if (watching !== undefined) pace.soon();
}

/** Asks now: something was done here. */
export function refreshOverview() {
  if (watching !== undefined) void pace.now();
}

/** Imports that were removed: an event or an answer from before may come after that. */
const removed = new Set<string>();

const hear: Told = (name, data) => {
  const tell: Told = (...event) => {
    for (const { told } of listeners) told(...event);
  };
  if ('imports' in data) {
    const imports = data.imports.filter(({ id }) => !removed.has(id));
    tell('imports', { imports });
    return take(imports);
  }
  if (name === 'removed' && data.id !== undefined) removed.add(data.id);
  tell(name, data);
  if (!PROGRESS.includes(name)) askSoon();
};

/** Returns the part of an import that a move changes, as opposed to progress. */
function stageOf({ state, staging }: ImportView) {
  return staging === null ? state : 'being read';
}

/** Takes what an event says of imports that are known; asks where one is new or has moved. */
function take(imports: ListEvents['imports']['imports']) {
  const known = overview.peek();
  if (imports.length === 0) return;
  if (known === undefined) return askSoon();
  const listed = [...known.running, ...known.waiting, ...known.ready.imports];
  const before = new Map(listed.map((one) => [one.id, stageOf(one)]));
  const isSame = (view: ImportView) => before.get(view.id) === stageOf(view);
  if (!imports.every(isSame)) askSoon();
  const latest = new Map(imports.filter(isSame).map((view) => [view.id, view]));
  if (latest.size === 0) return;
  const renewed = <V extends ImportView>(one: V): V => ({ ...one, ...latest.get(one.id) });
  overview.value = {
    ...known,
    running: known.running.map(renewed),
    waiting: known.waiting.map(renewed),
    ready: { ...known.ready, imports: known.ready.imports.map(renewed) },
  };
}

/** Begins to watch; does nothing where it has begun. */
export function watchOverview() {
  if (watching !== undefined) return;
  watching = new AbortController();
  const { signal: left } = watching;
  follow(left, () => {
    for (const { onReturn } of listeners) onReturn();
    void pace.now();
  });
  document.addEventListener('visibilitychange', () => document.hidden && later(HIDDEN_MS), { signal: left });
  void pace.now();
}

/** No one is logged in any more. */
export function leaveOverview() {
  watching?.abort();
  watching = undefined;
  clearTimeout(timer);
  pace.stop();
  overview.value = undefined;
}

/** Gives what asks at the pace of this page. @returns asks soon */
export function useSoon(ask: () => unknown): () => void {
  const latest = useRef(ask);
  latest.current = ask;
  const pace = useMemo(() => new Pace(() => latest.current()), []);
  useEffect(() => () => pace.stop(), []);
  return () => pace.soon();
}

/**
 * Asks again after events of these names, and when some may have been missed.
 * @param concerns whether an event changes what was asked for. Default: each does
 */
export function useListNews<K extends keyof ListEvents>(
  names: readonly K[] | undefined,
  ask: () => unknown,
  concerns: (data: ListEvents[K]) => boolean = () => true,
) {
  const latest = useRef(concerns);
  latest.current = concerns;
  const soon = useSoon(ask);
  useEffect(() => {
    if (names === undefined) return;
    const told: Told = (name, data) => {
      if ((names as readonly string[]).includes(name) && latest.current(data as ListEvents[K])) soon();
    };
    const listener = { told, onReturn: soon };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}
