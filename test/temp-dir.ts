import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory for one test. It goes when the test is over. Ask for it first: what is in it must be closed before. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'rollcall-test-'));
  // A command in the background may still be closing its files.
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 }));
  return path;
}
