import { setImmediate as turn } from 'node:timers/promises';

/** Maximum time that reading may occupy the thread, in ms. */
const MAX_HOLD_MS = 25;

/**
 * The same items, with a turn of the event loop from time to time: data that is in memory already comes without one, and
 * neither a message nor a timer could stop it. Throws the signal's reason before the next item when it is aborted.
 */
export async function* interruptible<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  let turned = performance.now();
  for await (const item of items) {
    if (performance.now() - turned > MAX_HOLD_MS) {
      await turn();
      turned = performance.now();
    }
    signal?.throwIfAborted();
    yield item;
  }
}
