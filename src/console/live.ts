/** Server-sent events that come back by themselves. */

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ImportView, ListEvents, Overview } from './answers.ts';
import { addressOf, call, connection } from './requests.ts';

const MAX_WAIT_MS = 30_000;
/**
 * Streams that stay open. Browsers allow six connections to one server over HTTP/1.1, for all windows together: two are
 * left for requests, without which a seventh stream would keep every page from loading.
 */
const MAX_STREAMS = 4;
/** A window without one looks at the stream so often, in ms. */
const GLANCE_EVERY_MS = 5000;

interface FollowOptions<E extends object> {
  /** The event with which the present state is complete. */
  present: keyof E;
  signal: AbortSignal;
  onReturn: () => void;
  /** The page has asked before the stream is open, and may have missed events already. */
  isLate?: boolean;
}

/**
 * Follows a stream of events until it ends or the signal aborts. While the page is hidden it rests. When
 * other windows have all the streams that may stay open, it takes the present state every few seconds. After every break
 * `onReturn` is called: events were missed.
 * @template E events by name
 */
export function follow<E extends object>(
  path: string,
  handlers: { [K in keyof E]: (data: E[K]) => void },
  { present, signal, onReturn, isLate = false }: FollowOptions<E>,
) {
  let source: EventSource | undefined;
  /** Gives back the place that the stream has; undefined while it has none. */
  let leavePlace: (() => void) | undefined;
  let opening = false;
  let over = false;
  let broken = isLate;
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
    if (over || opening || source !== undefined) return false;
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
    const stream = new EventSource(path);
    source = stream;
    stream.addEventListener('open', () => {
      if (broken) onReturn();
      broken = false;
    });
    for (const name of Object.keys(handlers) as (keyof E & string)[]) {
      stream.addEventListener(name, (event) => {
        waitMs = 0;
        handlers[name](JSON.parse((event as MessageEvent<string>).data));
        if (name === present && leave === undefined) openAfter(GLANCE_EVERY_MS);
      });
    }
    stream.addEventListener('end', () => {
      over = true;
      close();
    });
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
  signal.addEventListener('abort', () => {
    over = true;
    close();
  });
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

/** Undefined until it is there, and for who is not logged in. */
export const overview = signal<Overview | undefined>(undefined);

/** After a change, in ms: several come together. */
const SOON_MS = 1500;
/** From one question to the next, in ms, however much changes. */
const REST_MS = 5000;
/** After a failure, in ms. */
const AGAIN_MS = 15_000;
/** In a hidden tab, whose events rest: its title shall still be right. */
const HIDDEN_MS = 60_000;

type ListHandlers = { [K in keyof ListEvents]: (data: ListEvents[K]) => void };
const listeners = new Set<{ handlers: Partial<ListHandlers>; onReturn: () => void }>();
let watching: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
/** The time of the next question, by `performance.now()`. */
let dueAt = Number.POSITIVE_INFINITY;
/** The last question. */
let askedAt = Number.NEGATIVE_INFINITY;
/** The number of questions under way. */
let asking = 0;
/** Whether imports moved while a question was under way, whose answer may be older. */
let isBehind = false;

async function ask() {
  const { signal: left } = watching ?? new AbortController();
  forgetTimer();
  askedAt = performance.now();
  asking += 1;
  let isAnswered = connection.away;
  try {
    if (!connection.away) {
      const answer = await call('GET /v1/overview', {}, left);
      if (!left.aborted) overview.value = answer;
      isAnswered = true;
    }
  } catch {
    // The page that needs the answer shows the error; this tries again.
  }
  asking -= 1;
  if (left.aborted) return;
  if (document.hidden) later(HIDDEN_MS);
  else if (!isAnswered) later(AGAIN_MS);
  if (isBehind) askSoon();
  isBehind = false;
}

function forgetTimer() {
  clearTimeout(timer);
  dueAt = Number.POSITIVE_INFINITY;
}

/** Asks then, if not before. */
function later(ms: number) {
  const at = performance.now() + ms;
  if (at >= dueAt) return;
  clearTimeout(timer);
  dueAt = at;
  timer = setTimeout(() => void ask(), ms);
}

/** Asks soon, once for all changes that come until then. */
function askSoon() {
  if (watching !== undefined) later(Math.max(SOON_MS, askedAt + REST_MS - performance.now()));
}

/** Asks now: something was done here. */
export function refreshOverview() {
  if (watching !== undefined) void ask();
}

function tell<K extends keyof ListEvents>(name: K, data: ListEvents[K]) {
  for (const { handlers } of listeners) handlers[name]?.(data);
}

/** Returns the part of an import that a move changes, as opposed to progress. */
function stageOf({ state, staging }: ImportView) {
  return staging === null ? state : 'being read';
}

/** Takes what an event says of imports that are known; asks where one is new or has moved. */
function take({ imports }: ListEvents['imports']) {
  const known = overview.peek();
  isBehind ||= asking > 0;
  if (known === undefined || imports.length === 0) return;
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
  const handlers: ListHandlers = {
    imports: (data) => {
      tell('imports', data);
      take(data);
    },
    removed: (data) => {
      tell('removed', data);
      askSoon();
    },
    sync: (data) => {
      tell('sync', data);
      askSoon();
    },
    schedules: (data) => {
      tell('schedules', data);
      askSoon();
    },
  };
  follow(addressOf('GET /v1/events', {}), handlers, {
    present: 'imports',
    signal: left,
    isLate: true,
    onReturn: () => {
      for (const { onReturn } of listeners) onReturn();
      void ask();
    },
  });
  document.addEventListener('visibilitychange', () => document.hidden && later(HIDDEN_MS), { signal: left });
  void ask();
}

/** No one is logged in any more. */
export function leaveOverview() {
  watching?.abort();
  watching = undefined;
  forgetTimer();
  isBehind = false;
  overview.value = undefined;
}

/**
 * Hears of changes in the lists, over the one stream that a page has.
 * @param onReturn changes may have been missed
 * @returns ends it
 */
export function onListEvents(handlers: Partial<ListHandlers>, onReturn: () => void): () => void {
  const listener = { handlers, onReturn };
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Asks after so many ms, once for all that changes until then. */
export function useLater(ask: () => void, ms: number): () => void {
  const latest = useRef(ask);
  latest.current = ask;
  const due = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(due.current), []);
  return () => {
    due.current ??= setTimeout(() => {
      due.current = undefined;
      latest.current();
    }, ms);
  };
}

/** From one question to the next, in ms, of a page that follows events. */
const NEWS_MS = 2000;

/**
 * Asks again after events of these names, at a bounded pace, and when some may have been missed.
 * @param concerns whether an event changes what was asked for. Default: each does
 */
export function useListNews<K extends keyof ListEvents>(
  names: readonly K[],
  ask: () => void,
  concerns: (data: ListEvents[K]) => boolean = () => true,
) {
  const latest = useRef(concerns);
  latest.current = concerns;
  const later = useLater(ask, NEWS_MS);
  useEffect(() => {
    if (names.length === 0) return;
    const hear = (data: ListEvents[K]) => latest.current(data) && later();
    return onListEvents(Object.fromEntries(names.map((name) => [name, hear])), later);
  }, []);
}
