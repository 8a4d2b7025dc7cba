import type { Aimed } from '../../../imports/target.ts';
import type { ImportState } from '../../../membership/import-state.ts';
import type { SyncOptions } from '../sync-options.ts';

/** An import as a sync sees it. */
interface SyncedImport extends Aimed {
  readonly state: ImportState;
  readonly file: string;
  /** Path of its ledger. */
  readonly ledger: string;
}

/** Imports, as far as syncs need them. */
export interface SyncImports {
  find(id: string): SyncedImport | undefined;
  /** Ledgers of later imports to the same service, undos and those that were undone left out: paths. */
  after(id: string): string[];
  /** Imports a file of changes (plan-csv.ts) under this id. */
  begin(changes: {
    readonly id: string;
    readonly file: string;
    readonly source: string;
    /** The options of the sync. */
    readonly options: SyncOptions;
    /** The person who asked for it; '' if no one did. */
    readonly createdBy: string;
    /** The import that it undoes. */
    readonly undoOf: string | null;
  }): Promise<void>;
  /** Continues one that was interrupted, paused or blocked. */
  resume(id: string): Promise<void>;
  /** Ends one that is paused, blocked or failed: the rest of it is not sent. */
  cancel(id: string): Promise<void>;
  /** Notifies of every move of every import. Call the result to stop. */
  onState(listener: (id: string, state: ImportState) => void): () => void;
}
