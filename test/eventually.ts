import { expect } from 'vitest';

/** Expects it to become so. The limit ends what hangs: a busy machine takes long, and a dead worker's lock must run out. */
export function eventually<Value>(look: () => Value) {
  return expect.poll(look, { timeout: 240_000, interval: 50 });
}
