import { expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { Imports } from '../../src/cli/client/imports.ts';
import { nextSteps } from '../../src/cli/screen/conclude.ts';
import { type rowCounts, summaryOf } from '../imports/report/fixtures.ts';

test('the file of rows to correct is said to have others too, where rows were not sent or are unconfirmed', () => {
  const said = (rows: Parameters<typeof rowCounts>[0]) => {
    const next: ImportView['next'] = [{ operation: 'correct', name: 'Correct rows', why: 'Correct 300 rows' }];
    const found = { ...summaryOf(rows, { state: 'aborted' }), reason: 'too many errors', next, sandbox: false };
    const imports = {
      command: (...words: readonly string[]) => words.join(' '),
      files: () => [['needs attention', 'failed.csv']],
    };
    return nextSteps(imports as unknown as Imports, found as unknown as ImportView).join('\n');
  };
  expect(said({ added: 5, invalid: 300 })).toContain('Correct 300 rows. They are in failed.csv:\n');
  expect(said({ invalid: 300, unprocessed: 700, unconfirmed: 2 })).toMatch(/in failed\.csv, with 702 rows/);
});
