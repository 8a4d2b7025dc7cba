import { expect } from 'vitest';
import { WAIT_MS } from './hangs.ts';

/** Expects it to become so. The limit ends what hangs: a busy machine takes long, and a dead worker's lock must run out. */
export function eventually<Value>(look: () => Value) {
  return expect.poll(look, { timeout: WAIT_MS, interval: 50 });
}
