import { expect, test } from 'vitest';
import { listedFiles, measuredFiles } from '../tools/row-way.ts';

/** It may become shorter; a file more is one more to understand for everyone. */
const MAX_FILES = 50;
/** Driven by a clock: on a slow machine they run more often than there are batches. */
const CLOCKED: readonly string[] = ['src/queue/circuit.ts', 'src/queue/flow.ts'];
const isCounted = (path: string) => !CLOCKED.includes(path);

test('docs/architecture.md lists the files that work for every batch, as an import shows them', {
  timeout: 300_000,
}, async () => {
  const files = (await measuredFiles()).filter(isCounted);
  const listed = listedFiles();
  expect(files).toContain('src/imports/read/csv.ts');
  expect(files, 'node tools/row-way.ts writes the list').toEqual(listed.filter(isCounted).sort());
  expect(files.length).toBeLessThanOrEqual(MAX_FILES);
});
