import { expect, test } from 'vitest';
import { isImportId, newImportId } from '../../src/imports/import-id.ts';

test('a server that makes thousands of imports in one second gives each an id of its own', () => {
  const now = new Date('2026-11-23T16:05:03.000Z');
  const ids = Array.from({ length: 5_000 }, () => newImportId(now));
  expect(new Set(ids).size).toBe(5_000);
  expect(ids.filter((id) => !isImportId(id) || !id.startsWith('20261123-160503-'))).toEqual([]);
});
