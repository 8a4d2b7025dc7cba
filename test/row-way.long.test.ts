import { expect, test } from 'vitest';
import { listedWay, measuredFiles, wayTable } from '../tools/row-way.ts';

/** It may become shorter; a file more is one more to understand for everyone. */
const MAX_FILES = 49;

test('docs/architecture.md lists the files that work for every batch, as an import shows them', {
  timeout: 300_000,
}, async () => {
  const files = await measuredFiles();
  expect(files).toContain('src/imports/read/csv.ts');
  expect(wayTable(files), 'node tools/row-way.ts writes the list').toBe(listedWay());
  expect(files.length).toBeLessThanOrEqual(MAX_FILES);
});
