import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { isIntakeError } from '../../../src/imports/read/intake-error.ts';
import { openImportReader } from '../../../src/imports/report/import-reader.ts';
import { stageFile } from '../../../src/imports/stage/stage-file.ts';
import { writeSettled } from '../../settled-file.ts';
import { tempDir } from '../../temp-dir.ts';
import { drained, OPTIONS } from './reading.ts';
import { STRUCTURES, WAYS } from './structures.ts';

/** Cases of each structure, at random, by hand: `FUZZ_CASES=10000 npx vitest run test/imports/read/structures.test.ts`. */
const BY_HAND = process.env['FUZZ_CASES'];
const CASES = Number(BY_HAND ?? 200);
/** Cases that go into a ledger, which takes a hundred times as long. */
const STAGED = Number(BY_HAND ?? 5);

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
          if (!isIntakeError(error)) throw error;
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

test.each(Object.entries(STRUCTURES))(
  'an import of a file with the structure of %s is refused with a code, or every row of it is in the ledger',
  async (kind, structure) => {
    const root = tempDir();
    let staged = 0;
    await fc.assert(
      fc.asyncProperty(structure, WAYS, async (bytes, way) => {
        if (staged === STAGED) return;
        const folder = mkdtempSync(join(root, 'one-'));
        const name = `members.${kind}`;
        const paths = { source: join(folder, name), ledger: join(folder, 'ledger.sqlite') };
        writeSettled(paths.source, bytes);
        const task = { ...paths, name, options: { ...OPTIONS, ...way }, signal: new AbortController().signal };
        try {
          let rows = 0;
          await stageFile(task, (progress) => {
            rows = progress.rows;
          });
          const reader = openImportReader(paths.ledger);
          expect(reader.rows().toArray()).toHaveLength(rows);
          expect(reader.check()).toMatchObject({ holds: true });
          reader.close();
          staged += 1;
        } catch (error) {
          // Anything else would be an import that has failed, as by a fault of rollcall.
          if (!isIntakeError(error)) throw error;
        }
        rmSync(folder, { recursive: true });
      }),
      { numRuns: CASES, ...(BY_HAND === undefined && { seed: 2 }) },
    );
    expect(staged).toBeGreaterThan(Math.min(STAGED - 1, CASES / 20));
    if (BY_HAND !== undefined) process.stdout.write(`${kind}: ${staged} of ${CASES} were staged\n`);
  },
  24 * 3_600_000,
);
