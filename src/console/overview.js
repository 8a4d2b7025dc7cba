/** What runs and what needs a person, for every page: asked for again only when the server tells of changes. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { request } from './api.js';
import { connection } from './connection.js';
import { follow } from './live.js';

/** @import { ImportView, ListEvents, Overview } from './answers.d.ts' */

/** Undefined until it is there, and for who is not logged in. */
export const overview = signal(/** @type {Overview | undefined} */ (undefined));

/** After a change, in ms: several come together. */
const SOON_MS = 1500;
/** From one question to the next, in ms, however much changes. */
const REST_MS = 5000;
/** After a failure, in ms. */
const AGAIN_MS = 15_000;
/** In a hidden tab, whose events rest: its title and its notifications shall still be right. */
const HIDDEN_MS = 60_000;

/** @typedef {{ [K in keyof ListEvents]: (data: ListEvents[K]) => void }} ListHandlers */
/** @type {Set<{ handlers: Partial<ListHandlers>, onReturn: () => void }>} */
const listeners = new Set();
/** @type {AbortController | undefined} */
let watching;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** When the timer asks, by `performance.now()`. */
let dueAt = Number.POSITIVE_INFINITY;
/** The last question. */
let askedAt = Number.NEGATIVE_INFINITY;
/** How many questions are under way. */
let asking = 0;
/** Imports as events tell of them while a question is under way, whose answer may be older. @type {ListEvents['imports']['imports'][number][]} */
let told = [];
/** What the latest events said of the imports: the lists of the overview hold some of them. @type {Map<string, string>} */
const stages = new Map();

async function ask() {
  const { signal: left } = watching ?? new AbortController();
  forgetTimer();
  askedAt = performance.now();
  asking += 1;
  let isAnswered = connection.away;
  try {
    if (!connection.away) {
      /** @type {Overview} */
      const answer = await request('/v1/overview', { signal: left });
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
  take({ imports: told.splice(0) });
}

function forgetTimer() {
  clearTimeout(timer);
  dueAt = Number.POSITIVE_INFINITY;
}

/** Asks then, if not before. @param {number} ms */
function later(ms) {
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

/** @template {keyof ListEvents} K @param {K} name @param {ListEvents[K]} data */
function tell(name, data) {
  for (const { handlers } of listeners) handlers[name]?.(data);
}

/** What a move changes, as opposed to progress. @param {ImportView} view */
function stageOf({ state, staging }) {
  return staging === null ? state : 'being read';
}

/** Takes what an event says of imports that are known; asks where one is new or has moved. @param {ListEvents['imports']} data */
function take({ imports }) {
  const known = overview.peek();
  if (known === undefined || asking > 0) return void told.push(...imports);
  if (imports.length === 0) return;
  const listed = [...known.running, ...known.waiting, ...known.ready.imports];
  const before = new Map(listed.map((one) => [one.id, stageOf(one)]));
  // One that is over changes only where a person does something with it.
  const isNews = imports.some(
    (view) => view.finishedAt !== null || (before.get(view.id) ?? stages.get(view.id)) !== stageOf(view),
  );
  for (const view of imports) stages.set(view.id, stageOf(view));
  if (isNews) askSoon();
  const latest = new Map(
    imports.filter((view) => before.get(view.id) === stageOf(view)).map((view) => [view.id, view]),
  );
  if (latest.size === 0) return;
  /** @template {ImportView} V @param {V} one @returns {V} */
  const renewed = (one) => ({ ...one, ...latest.get(one.id) });
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
  /** @type {ListHandlers} */
  const handlers = {
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
  follow('/v1/events', handlers, {
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
  told = [];
  stages.clear();
  overview.value = undefined;
}

/**
 * Hears of changes in the lists, over the one stream that a page has.
 * @param {Partial<ListHandlers>} handlers
 * @param {() => void} onReturn changes may have been missed
 * @returns {() => void} ends it
 */
export function onListEvents(handlers, onReturn) {
  const listener = { handlers, onReturn };
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** From one question to the next, in ms, of a page that follows events. */
const NEWS_MS = 2000;

/**
 * Asks again after events of these names, at a bounded pace, and when some may have been missed.
 * @template {keyof ListEvents} K
 * @param {readonly K[]} names
 * @param {() => void} ask
 * @param {(data: ListEvents[K]) => boolean} [concerns] whether an event changes what was asked for. Default: each does
 */
export function useListNews(names, ask, concerns = () => true) {
  const latest = useRef({ ask, concerns });
  latest.current = { ask, concerns };
  useEffect(() => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let due;
    const askLater = () => {
      due ??= setTimeout(() => {
        due = undefined;
        latest.current.ask();
      }, NEWS_MS);
    };
    /** @param {ListEvents[K]} data */
    const hear = (data) => latest.current.concerns(data) && askLater();
    const end = onListEvents(Object.fromEntries(names.map((name) => [name, hear])), askLater);
    return () => {
      clearTimeout(due);
      end();
    };
  }, []);
}
