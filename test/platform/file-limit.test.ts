import { expect, test } from 'vitest';
import { checkFileLimit } from '../../src/platform/file-limit.ts';

test('a process that may open too few files for an import does not begin, and says both numbers', () => {
  expect(() => checkFileLimit(false, 40)).toThrow(
    expect.objectContaining({ code: 'TOO_FEW_FILES', facts: { limit: 40, needed: 512, enough: 1024 } }),
  );
  expect(checkFileLimit(false, 512)).toBeUndefined();
});

test('a server that may open few files is warned', () => {
  expect(checkFileLimit(true, 600)).toContain('600 files');
  expect(checkFileLimit(true, 1024)).toBeUndefined();
});
