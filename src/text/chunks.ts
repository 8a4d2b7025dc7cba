/** Characters in a chunk: big enough that writing it costs nothing per row, small enough to stay out of the way. */
const CHUNK_LENGTH = 64 * 1024;

/** Joins many short texts into few long ones, in order and without holding more than one chunk. */
export function* inChunks(texts: Iterable<string>) {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length >= CHUNK_LENGTH) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}
