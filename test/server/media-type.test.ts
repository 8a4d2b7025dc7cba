import { expect, test } from 'vitest';
import { uploadOptions } from '../../src/server/uploads/upload-options.ts';

const encodingOf = (contentType: string) =>
  uploadOptions({ dryRun: true } as Parameters<typeof uploadOptions>[0], { contentType, region: 'us', sandbox: false })
    .encoding;

test.each([
  ['text/csv; charset=utf-16le', 'utf-16le'],
  ['text/csv;charset="Windows-1252"', 'windows-1252'],
  ['text/csv; header=present; charset = utf-16le', 'utf-16le'],
  ['text/csv; charset=UTF-8', undefined],
  ['text/csv', undefined],
])('the charset of %s is %s', (contentType, encoding) => {
  expect(encodingOf(contentType)).toBe(encoding);
});

test('a charset of any length takes no time', () => {
  const startedAt = process.cpuUsage().user;
  for (const filler of ['"', ' ', 'a ']) {
    expect(() => encodingOf(`text/csv; charset=${filler.repeat(60_000)}x"y`)).toThrow();
  }
  expect((process.cpuUsage().user - startedAt) / 1e6).toBeLessThan(1);
});
