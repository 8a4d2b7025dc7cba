import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory for one test. It goes when the test is over. Ask for it first: what is in it must be closed before. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'rollcall-test-'));
  // A process in the background may still write into it, for a moment.
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}
