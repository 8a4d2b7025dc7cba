import type { DatabaseSync } from 'node:sqlite';
import { fileId, isSameFile } from '../../platform/file-id.ts';
import { durably, inTransaction, type Statements } from '../../platform/sqlite.ts';

/** Takes all that has no result for uncertain where the ledger at `path` is a copy of one that was sent; once. */
export function doubtCopy(database: DatabaseSync, sql: Statements, path: string, uncertainty: string): void {
  const before = sql<{ file: string | null }>('sent_from').get()?.file;
  if (typeof before === 'string' && isSameFile(before, path)) return;
  durably(database, () =>
    inTransaction(database, () => {
      if (before !== null) sql('doubt_rest').run({ uncertainty });
      sql('send_from').run(fileId(path));
    }),
  );
}
