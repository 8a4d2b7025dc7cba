import { setTimeout } from 'node:timers/promises';
import { RollcallError } from '../errors/rollcall-error.ts';

/** Before each attempt to go on, in ms: most breaks are of one connection, and a server that starts again takes seconds. */
const WAITS_MS = [0, 1_000, 10_000];

/**
 * The bytes of something; where they break off they go on, a few times.
 * @param rest asks for the same thing from a byte on; undefined where a part cannot be known to be of the same
 * @throws RollcallError of `rest` at once; other errors when no attempt is left
 */
export async function* resumed(
  first: AsyncIterable<Uint8Array>,
  rest: ((from: number) => Promise<AsyncIterable<Uint8Array>>) | undefined,
  {
    failed,
    signal,
    wait = setTimeout,
  }: {
    /** Returns the error that people are told. */
    readonly failed: (error: unknown) => unknown;
    readonly signal: AbortSignal;
    readonly wait?: (ms: number, value: undefined, about: { readonly signal: AbortSignal }) => Promise<unknown>;
  },
): AsyncGenerator<Uint8Array> {
  const waits = WAITS_MS.values();
  let read = 0;
  let next = async () => first;
  while (true) {
    try {
      for await (const piece of await next()) {
        read += piece.length;
        yield piece;
      }
      return;
    } catch (error) {
      const ms = waits.next().value;
      if (signal.aborted || error instanceof RollcallError || rest === undefined || ms === undefined)
        throw failed(error);
      next = async () => {
        await wait(ms, undefined, { signal });
        return rest(read);
      };
    }
  }
}
