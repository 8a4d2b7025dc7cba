/** Number of times that a broken reading continues. */
const MAX_RESUMED = 3;

/**
 * The bytes of something; where they break off they go on, a few times.
 * @param rest asks for the same thing from a byte on, or throws; undefined where a part cannot be known to be of the same
 * @param failed what people are told
 */
export async function* resumed(
  first: AsyncIterable<Uint8Array>,
  rest: ((from: number) => Promise<AsyncIterable<Uint8Array>>) | undefined,
  { failed, signal }: { readonly failed: (error: unknown) => unknown; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let body = first;
  let read = 0;
  for (let times = 0; ; times += 1) {
    try {
      for await (const piece of body) {
        read += piece.length;
        yield piece;
      }
      return;
    } catch (error) {
      if (signal.aborted || rest === undefined || times === MAX_RESUMED) throw failed(error);
    }
    try {
      body = await rest(read);
    } catch (error) {
      throw failed(error);
    }
  }
}
