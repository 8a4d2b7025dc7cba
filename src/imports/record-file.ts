import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The file in an import's folder that has what the catalog says of it, so that a lost catalog can be made again. */
export function recordFile(folder: string): string {
  return join(folder, 'import.json');
}

/** Writes it, whole or not at all. */
export function keepRecord(catalog: string, record: { readonly id: string }): void {
  const folder = join(dirname(catalog), 'imports', record.id);
  if (!existsSync(folder)) return;
  const path = recordFile(folder);
  try {
    writeFileSync(`${path}.part`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${path}.part`, path);
  } catch {
    // A full disk, for one: the catalog itself has it, and an older copy is better than an end of the process.
  }
}
