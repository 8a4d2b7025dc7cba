import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataDir, ownDataDir } from '../../src/platform/data-dir.ts';
import { tempDir } from '../temp-dir.ts';

test.each([
  ['the queue of an earlier version is deleted', 'queue', 'PG_VERSION', false],
  ['half a queue of an earlier version is deleted', 'queue.new', 'PG_VERSION', false],
  ['a directory of that name that is not ours stays', 'queue', 'notes.txt', true],
])('on taking a data directory, %s', (_, name, file, stays) => {
  const dir = dataDir(tempDir());
  const old = join(dir.root, name);
  mkdirSync(join(old, 'base'), { recursive: true });
  writeFileSync(join(old, file), '17\n');
  const release = ownDataDir(dir);
  release();
  expect(existsSync(old)).toBe(stays);
});
