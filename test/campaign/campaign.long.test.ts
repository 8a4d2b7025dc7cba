import { expect, test } from 'vitest';
import { BLOWS, lacking } from './blows.ts';

/** The campaign in a short form; `campaign.ts` says how to run it at its full length. */
const NAMES = Object.keys(BLOWS).filter((name) => !name.includes('500 ms'));

test.each(NAMES)('%s: every row is where the report says, and nothing was done twice', async (name) => {
  if (lacking(name) !== undefined) return;
  const { wrong, rows, ...counts } = (await BLOWS[name]?.({ rows: 1_000, outageMs: 8_000, seed: 7 })) ?? {};
  expect(rows).toBe(1_000);
  expect(wrong).toEqual([]);
  expect(counts).toEqual({ lost: 0, twice: 0, givenUp: 0, unconfirmed: 0, duplicateAdds: 0, help: 0 });
});
