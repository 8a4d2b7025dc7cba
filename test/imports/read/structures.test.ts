import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { IntakeError } from '../../../src/imports/read/intake-error.ts';
import { drained, OPTIONS } from './reading.ts';
import { STRUCTURES, WAYS } from './structures.ts';

/** Cases of each structure, at random, by hand: `FUZZ_CASES=10000 npx vitest run test/imports/read/structures.test.ts`. */
const BY_HAND = process.env['FUZZ_CASES'];
const CASES = Number(BY_HAND ?? 200);

test.each(Object.entries(STRUCTURES))(
  'a file with the structure of %s is read, or refused with what to do',
  async (kind, structure) => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(structure, WAYS, async (bytes, way) => {
        try {
          await drained(await openIntake({ bytes, name: `members.${kind}` }, { ...OPTIONS, ...way }));
          read += 1;
        } catch (error) {
          if (!(error instanceof IntakeError)) throw error;
          expect([error.what, error.remedy]).not.toContain('');
        }
      }),
      { numRuns: CASES, ...(BY_HAND === undefined && { seed: 1 }) },
    );
    // Else it would be the same refusal again and again.
    expect(read).toBeGreaterThan(CASES / 20);
    if (BY_HAND !== undefined) process.stdout.write(`${kind}: ${read} of ${CASES} were read\n`);
  },
  24 * 3_600_000,
);
