/** Server-sent events that come back by themselves. */
import { call } from './requests.ts';
import { connection } from './server-connection.ts';

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
