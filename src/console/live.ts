/** Server-sent events that come back by themselves. */

import type { ImportView, ListEvents, Overview } from './answers.ts';
import { Question, type Told, tell, tellMissed } from './question.ts';
import { addressOf, call, connection } from './requests.ts';

const MAX_WAIT_MS = 30_000;
const NAMES = ['imports', 'removed', 'sync', 'schedules', 'check', 'export', 'planning'] as const;
/**
 * Streams that stay open. Browsers allow six connections to one server over HTTP/1.1, for all windows together: two are
 * left for requests, without which a seventh stream would keep every page from loading.
 */
const MAX_STREAMS = 4;
/** A window without one looks at the stream so often, in ms. */
const GLANCE_EVERY_MS = 5000;

/**
 * Listens to the events of the lists until the signal aborts. While the page is hidden it rests. When other windows have all
 * the streams that may stay open, it takes the present state every few seconds. When it begins, and after every break,
 * those who hear are told that events were missed.
 */
async function follow(left: AbortSignal) {
  let waitMs = 0;
  while (!left.aborted) {
    if (document.hidden || connection.away) {
      await turn(left);
      continue;
    }
    const over = new AbortController();
    const turned = turn(AbortSignal.any([left, over.signal]));
    const leavePlace = await takePlace();
    const stream = new EventSource(addressOf('GET /v1/events', {}));
    stream.addEventListener('open', tellMissed);
    const pauseMs = await new Promise<number>((end) => {
      for (const name of NAMES) {
        stream.addEventListener(name, (event) => {
          waitMs = 0;
          hear(name, JSON.parse((event as MessageEvent<string>).data));
          // With it, the present state is complete.
          if (name === 'imports' && leavePlace === undefined) end(GLANCE_EVERY_MS);
        });
      }
      stream.addEventListener('error', () => {
        waitMs = Math.min(MAX_WAIT_MS, Math.max(1000, waitMs * 2));
        // Finds out why: a server that is away is waited for, one that wants a login gets it.
        call('GET /v1/imports', { query: { limit: 1 } }, left).catch(() => undefined);
        end(waitMs);
      });
      // Also one that looks open: nothing tells a browser that the other end has gone.
      void turned.then(() => end(0));
    });
    stream.close();
    leavePlace?.();
    over.abort();
    await turn(left, pauseMs);
  }
}

/** Resolves when the page is shown or hidden, the server is back, the time is over, or the signal aborts. */
function turn(left: AbortSignal, ms?: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = new AbortController();
  const listening = { signal: over.signal };
  document.addEventListener('visibilitychange', () => resolve(), listening);
  connection.addEventListener('back', () => resolve(), listening);
  left.addEventListener('abort', () => resolve(), listening);
  if (ms !== undefined) setTimeout(resolve, ms);
  return promise.finally(() => over.abort());
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
      .request(name, { ifAvailable: true }, (lock) => lock && new Promise<void>((free) => resolve(free)))
      .catch(() => undefined)
      // Others have it, or the page is being left.
      .then(() => resolve(undefined));
  });
}

/** Imports that were removed: an event or an answer from before may come after that. */
const removed = new Set<string>();

function hear(name: keyof ListEvents, told: Told) {
  if (name === 'removed' && told.id !== undefined) removed.add(told.id);
  const imports = told.imports?.filter(({ id }) => !removed.has(id));
  tell(name, imports === undefined ? told : { imports });
}

/** After a failure, in ms. */
const AGAIN_MS = 15_000;
/** In a hidden tab, whose events rest: its title shall still be right. */
const HIDDEN_MS = 60_000;

const question = new Question<Overview>();
question.renewal = {
  // Progress of anything else changes what pages show of one thing, and no list.
  news: ['imports', 'removed', 'sync', 'schedules'],
  concerns: ({ imports }) => imports === undefined || isUnknown(imports),
  everyMs: () => (question.error.peek() === undefined ? undefined : AGAIN_MS),
};
/** Undefined until it is there, and for who is not logged in. */
export const overview = question.data;
let leave: (() => void) | undefined;

export function watchOverview() {
  if (leave !== undefined) return;
  question.look = (left) => call('GET /v1/overview', {}, left);
  refreshOverview();
  const unfollow = question.follow();
  const watching = new AbortController();
  void follow(watching.signal);
  const clock = setInterval(() => document.hidden && refreshOverview(), HIDDEN_MS);
  leave = () => {
    watching.abort();
    unfollow();
    clearInterval(clock);
  };
}

/** No one is logged in any more. */
export function leaveOverview() {
  leave?.();
  leave = undefined;
  question.look = undefined;
  overview.value = undefined;
}

/** Asks now: something was done here. */
export function refreshOverview() {
  void question.ask();
}

/** Returns the part of an import that a move changes, as opposed to progress. */
export function stageOf({ state, staging }: ImportView) {
  return staging === null ? state : 'being read';
}

/** Takes what an event says of imports that are known. @returns whether one is new or has moved */
function isUnknown(imports: ListEvents['imports']['imports']) {
  const known = overview.peek();
  if (known === undefined) return imports.length > 0;
  const listed = [...known.running, ...known.waiting, ...known.ready.imports];
  const before = new Map(listed.map((one) => [one.id, stageOf(one)]));
  const same = imports.filter((view) => before.get(view.id) === stageOf(view));
  const latest = new Map(same.map((view) => [view.id, view]));
  const renewed = <V extends ImportView>(one: V): V => ({ ...one, ...latest.get(one.id) });
  if (same.length > 0)
    overview.value = {
      ...known,
      running: known.running.map(renewed),
      waiting: known.waiting.map(renewed),
      ready: { ...known.ready, imports: known.ready.imports.map(renewed) },
    };
  return same.length < imports.length;
}
