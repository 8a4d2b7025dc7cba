import { utimesSync, writeFileSync } from 'node:fs';

/**
 * Writes a file as of a minute ago. Where a newer one ends in the middle of a line, reading waits a moment for the rest
 * (test/imports/read/changing-file.test.ts).
 */
export function writeSettled(path: string, content: string | Uint8Array): void {
  writeFileSync(path, content);
  const then = Date.now() / 1000 - 60;
  utimesSync(path, then, then);
}
