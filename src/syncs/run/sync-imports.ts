import type { ImportState } from '../../membership/import-state.ts';

/** An import as a sync sees it. */
interface SyncedImport {
  readonly state: ImportState;
  readonly file: string;
  /** Path of its ledger. */
  readonly ledger: string;
  readonly sandbox: boolean;
}

/** Imports, as far as syncs need them. */
export interface SyncImports {
  find(id: string): SyncedImport | undefined;
  /** Imports a file of changes (plan-csv.ts) under this id. */
  begin(changes: { id: string; file: string; source: string; sandbox: boolean }): Promise<void>;
  /** Goes on with one that was interrupted, paused or blocked. */
  resume(id: string): Promise<void>;
  /** Ends one that is paused, blocked or failed: the rest of it is not sent. */
  cancel(id: string): Promise<void>;
  /** Tells of every move of every import until what it returns is called. */
  onState(listener: (id: string, state: ImportState) => void): () => void;
}
