import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import type { ImportRecord } from '../../src/imports/catalog.ts';
import { Stagings } from '../../src/imports/stage/staging.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { eventually } from '../eventually.ts';
import { tempDir } from '../temp-dir.ts';

test('files of one person that take for ever leave a place for the file of another', async () => {
  const folder = tempDir();
  const source = join(folder, 'members.csv');
  writeFileSync(source, 'uid,guid\nu,g\n');
  const dir = dataDir(folder);
  const begun: string[] = [];
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
    emit: async () => {},
    stage: ({ signal }) =>
      new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  onTestFinished(() => stagings.stop());
  for (const id of ['ann-1', 'ann-2', 'ann-3', 'ann-4', 'ann-5', 'bob-1', 'bob-2', 'cat-1']) {
    mkdirSync(dir.folder(id), { recursive: true });
    stagings.begin(id);
  }
  await eventually(() => begun).toEqual(['ann-1', 'ann-2', 'ann-3', 'bob-1']);
  // People take turns for each place that gets free.
  await stagings.abort('ann-1');
  await stagings.abort('bob-1');
  await stagings.abort('ann-2');
  await eventually(() => begun.slice(4)).toEqual(['ann-4', 'bob-2', 'cat-1']);
});
