import { test } from 'vitest';
import { expiryLaw } from './expiry-law.ts';

test('nobody is removed before the time, nobody whom a later row kept, and who is over is gone after the night', async () => {
  await expiryLaw(2);
});
