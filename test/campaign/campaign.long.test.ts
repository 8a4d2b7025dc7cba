import { expect, test } from 'vitest';
import { BLOWS, mayMount } from './blows.ts';

/** Every kind of blow once, on a small import; `node test/campaign/campaign.ts` deals them to larger ones. */
test.each(Object.entries(BLOWS))('%s: no row is lost, told twice, told wrong or given up', async (name, blow) => {
  if (name.startsWith('disk') && !mayMount()) return;
  const result = await blow({ rows: 2_000, seed: 20261123, outageMs: 15_000 });
  expect(result).toMatchObject({ lost: 0, twice: 0, wrong: [], givenUp: 0, unconfirmed: 0, help: 0 });
});
