import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../src/queue/embedded.ts';

/**
 * Creating an embedded queue takes seconds, copying one a tenth of that: it is created once and copied from then on.
 * The name holds a hash of all that decides what is in it, so that a stale one is never used.
 */
const TEMPLATE = join(tmpdir(), `rollcall-queue-template-${fingerprint()}`);

/** Puts a queue that is ready to be opened into `<dataDir>/queue`. */
export async function layEmbeddedQueue(dataDir: string): Promise<void> {
  if (!existsSync(TEMPLATE)) await makeTemplate();
  await mkdir(dataDir, { recursive: true });
  await cp(TEMPLATE, join(dataDir, 'queue'), { recursive: true });
}

async function makeTemplate(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'rollcall-queue-'));
  const made = join(home, 'queue');
  const pool = await openEmbedded(made);
  await pool.end();
  // Another process may have been faster: a directory that has files in it is not replaced.
  await rename(made, TEMPLATE).catch(() => {});
  await rm(home, { recursive: true, force: true });
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const file of [
    '../../src/queue/embedded.ts',
    '../../node_modules/bullmq/package.json',
    '../../node_modules/@electric-sql/pglite/package.json',
  ]) {
    hash.update(readFileSync(new URL(file, import.meta.url)));
  }
  return hash.digest('hex').slice(0, 12);
}
