/** Server-sent events that come back by themselves. */
import { request } from './api.js';
import { connection } from './connection.js';

const LONGEST_WAIT_MS = 30_000;

/**
 * Follows a stream of events until it ends or the signal aborts. While the page is hidden it rests: browsers allow few
 * connections to one server, and nobody looks. After every break `onReturn` is called: events were missed.
 * @template {object} E events by name
 * @param {string} path
 * @param {{ [K in keyof E]: (data: E[K]) => void }} handlers
 * @param {{ signal: AbortSignal, onReturn: () => void }} options
 */
export function follow(path, handlers, { signal, onReturn }) {
  /** @type {EventSource | undefined} */
  let source;
  let over = false;
  let broken = false;
  let waitMs = 0;
  /** @type {number | undefined} */
  let timer;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    if (over || source !== undefined) return;
    if (document.hidden || connection.away) {
      broken = true;
      return;
    }
    const stream = new EventSource(path);
    source = stream;
    stream.addEventListener('open', () => {
      if (broken) onReturn();
      broken = false;
    });
    for (const [name, handle] of Object.entries(handlers)) {
      stream.addEventListener(name, (event) => {
        waitMs = 0;
        handle(JSON.parse(/** @type {MessageEvent<string>} */ (event).data));
      });
    }
    stream.addEventListener('end', () => {
      over = true;
      close();
    });
    stream.addEventListener('error', () => {
      broken = true;
      close();
      waitMs = Math.min(LONGEST_WAIT_MS, Math.max(1000, waitMs * 2));
      timer = setTimeout(open, waitMs);
      // Finds out why: a server that is away is waited for, one that wants a login gets it.
      request('/v1/imports?limit=1', { signal }).catch(() => undefined);
    });
  };
  const turn = () => {
    if (!document.hidden) return open();
    broken = true;
    close();
  };

  document.addEventListener('visibilitychange', turn, { signal });
  connection.addEventListener('back', open, { signal });
  signal.addEventListener('abort', () => {
    over = true;
    close();
  });
  open();
}
