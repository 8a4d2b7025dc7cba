import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Bytes that the tests may take there: many times what they take. */
const ROOM = 4 * 1024 ** 3;

/** The folder for what tests write: in memory where it has room, because ledgers wait for the disk at each mark. */
export function tempRoot(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mounted = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.includes(` ${MEMORY} `));
    // Tests write scripts and run them.
    const runs = mounted !== undefined && !/\bnoexec\b/.test(mounted);
    return runs && bavail * bsize >= ROOM ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
