import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { durably, inTransaction, type Statements } from '../../platform/sqlite.ts';

/** Takes all that has no result for uncertain where the ledger at `path` is a copy of one that was sent; once. */
export function doubtCopy(database: DatabaseSync, sql: Statements, path: string, uncertainty: string): void {
  const before = sql<{ file: string | null }>('sent_from').get()?.file;
  const file = fileId(path);
  if (before === file || before === file.split(' ')[0]) return;
  durably(database, () =>
    inTransaction(database, () => {
      if (before !== null) sql('doubt_rest').run({ uncertainty });
      sql('send_from').run(file);
    }),
  );
}

/** A file as the system knows it: another name keeps it, a copy does not. */
function fileId(path: string): string {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  // Where the time of its making is not kept, Node gives that of the last change.
  return birthtimeNs === ctimeNs ? `${ino}` : `${ino} ${birthtimeNs}`;
}
