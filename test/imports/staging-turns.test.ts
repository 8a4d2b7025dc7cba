import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ImportRecord } from '../../src/imports/catalog.ts';
import type { ImportEvent } from '../../src/imports/import-event.ts';
import { Stagings } from '../../src/imports/stage/staging.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { freeBytes } from '../../src/platform/files.ts';
import { eventually } from '../eventually.ts';
import { tempDir } from '../temp-dir.ts';

/** Imports of one file, whose reading takes for ever. An id begins with the person whose import it is. */
function endlessStagings(text: string | Buffer) {
  const folder = tempDir();
  const source = join(folder, 'members.csv');
  writeFileSync(source, text);
  const dir = dataDir(folder);
  const begun: string[] = [];
  const events: ImportEvent[] = [];
  const record = (id: string) =>
    ({
      id,
      state: 'staging',
      source,
      file: 'members.csv',
      createdBy: id.split('-')[0],
      options: '{"region":"us"}',
    }) as ImportRecord;
  const stagings = new Stagings({
    dir,
    catalog: { get: record, attend: (id) => void begun.push(id), sameSourceBefore: () => [] },
    progress: () => {},
    emit: async (_, event) => void events.push(event),
    stage: ({ signal }) =>
      new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  onTestFinished(() => stagings.stop());
  const begin = (id: string) => {
    mkdirSync(dir.folder(id), { recursive: true });
    stagings.begin(id);
  };
  return { source, begun, events, stagings, begin };
}

test('files of one person that take for ever leave a place for the file of another', async () => {
  const { begun, stagings, begin } = endlessStagings('uid,guid\nu,g\n');
  for (const id of ['ann-1', 'ann-2', 'ann-3', 'ann-4', 'ann-5', 'bob-1', 'bob-2', 'cat-1']) begin(id);
  await eventually(() => begun).toEqual(['ann-1', 'ann-2', 'ann-3', 'bob-1']);
  // People take turns for each place that gets free.
  await stagings.abort('ann-1');
  await stagings.abort('bob-1');
  await stagings.abort('ann-2');
  await eventually(() => begun.slice(4)).toEqual(['ann-4', 'bob-2', 'cat-1']);
});

const JOURNAL = 4 * 1024 * 1024;

test.each([
  { of: 'text', start: 'u,g\n'.repeat(16_384), rowsPerByte: 1 / 4 },
  { of: 'something else, whose rows nobody can count', start: Buffer.alloc(65_536), rowsPerByte: 0 },
])('a file of $of is refused where its import would fill the disk', async ({ start, rowsPerByte }) => {
  const { source, events, begin } = endlessStagings(start);
  // As large as all that is free: no file system refuses that, and it keeps the beginning only.
  const size = await freeBytes(dirname(source));
  truncateSync(source, size);
  begin('ann-1');
  await eventually(() => events).toHaveLength(1);
  const needed = 2 * size + size * rowsPerByte * 250 + JOURNAL;
  expect(events).toMatchObject([{ kind: 'fault', error: { code: 'DISK_FULL', facts: { needed } } }]);
});
