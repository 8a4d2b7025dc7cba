/** What runs and what needs a person, for every page: asked for again when the server tells of changes. */
import { signal } from '@preact/signals';
import { request } from './api.js';
import { connection } from './connection.js';
import { follow } from './live.js';

/** @import { ListEvents, Overview } from './answers.d.ts' */

/** Undefined until it is there, and for who is not logged in. */
export const overview = signal(/** @type {Overview | undefined} */ (undefined));

/** After a change, in ms: several come together. */
const SOON_MS = 1500;
/** Without a change: schedules tell of none, and the time that is left is not in the events. */
const EVERY_MS = 15_000;
/** In a hidden tab, whose events rest: its title and its notifications shall still be right. */
const HIDDEN_MS = 30_000;

/** @typedef {{ [K in keyof ListEvents]: (data: ListEvents[K]) => void }} ListHandlers */
/** @type {Set<{ handlers: Partial<ListHandlers>, onReturn: () => void }>} */
const listeners = new Set();
/** @type {AbortController | undefined} */
let watching;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

async function ask() {
  const { signal: left } = watching ?? new AbortController();
  clearTimeout(timer);
  timer = undefined;
  try {
    if (!connection.away) {
      /** @type {Overview} */
      const answer = await request('/v1/overview', { signal: left });
      if (!left.aborted) overview.value = answer;
    }
  } catch {
    // The page that needs the answer shows the error; this tries again.
  }
  if (!left.aborted) later(document.hidden ? HIDDEN_MS : EVERY_MS);
}

/** @param {number} ms */
function later(ms) {
  clearTimeout(timer);
  timer = setTimeout(() => void ask(), ms);
}

let isDue = false;

/** Asks soon, once for all changes that come until then. */
function askSoon() {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    if (watching !== undefined) void ask();
  }, SOON_MS);
}

/** Asks now: something was done here. */
export function refreshOverview() {
  if (watching !== undefined) void ask();
}

/** @template {keyof ListEvents} K @param {K} name @param {ListEvents[K]} data */
function tell(name, data) {
  for (const { handlers } of listeners) handlers[name]?.(data);
}

/** Takes what an event says of imports that are known; asks where one is new or in another state. @param {ListEvents['imports']} data */
function take({ imports }) {
  const known = overview.peek();
  const states = new Map(
    [...(known?.running ?? []), ...(known?.waiting ?? []), ...(known?.ready.imports ?? [])].map((one) => [
      one.id,
      one.state,
    ]),
  );
  if (known === undefined || imports.some(({ id, state }) => states.get(id) !== state)) return askSoon();
  const latest = new Map(imports.map((view) => [view.id, view]));
  overview.value = { ...known, running: known.running.map((one) => ({ ...one, ...latest.get(one.id) })) };
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
  };
  follow('/v1/events', handlers, {
    present: 'imports',
    signal: left,
    onReturn: () => {
      for (const { onReturn } of listeners) onReturn();
      void ask();
    },
  });
  document.addEventListener('visibilitychange', () => !document.hidden && void ask(), { signal: left });
  void ask();
}

/** No one is logged in any more. */
export function leaveOverview() {
  watching?.abort();
  watching = undefined;
  clearTimeout(timer);
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
