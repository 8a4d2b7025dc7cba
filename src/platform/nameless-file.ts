import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Opens a file for what does not fit into memory. It has no name any more: whatever happens, nothing is left of it. */
export function namelessFile(folder: string): number {
  const own = mkdtempSync(join(folder, 'passing-'));
  const file = openSync(join(own, 'file'), 'wx+', 0o600);
  rmSync(own, { recursive: true, force: true });
  return file;
}
