import { test } from 'vitest';
import { expiryLaw } from './expiry-law.ts';

test('over many orders of imports, syncs, hands and nights, expiries remove who is over and nobody else', async () => {
  await expiryLaw(40);
});
