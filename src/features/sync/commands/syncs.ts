import type { Imports } from '../../../cli/target/imports.ts';
import type { SyncEntry, SyncView } from '../api.ts';
import type { Finding } from '../api-plan.ts';

/** The syncs that commands are about: those of a data directory (local-syncs.ts), or of a server (remote-syncs.ts). */
export interface Syncs {
  /** The imports there: those that carry the syncs out are among them. */
  readonly imports: Imports;
  /** Where they are, in words that complete "there are no syncs …". */
  readonly place: string;
  /** Newest first. */
  list(limit: number): Promise<ListedSync[]>;
  /** @throws UnknownSync, ServerRefused */
  find(id: string): Promise<KeptSync>;
  /** Everything that the guards object to. */
  findings(id: string): Promise<readonly Finding[]>;
  /** A plan for a terminal; undefined while there is none. */
  planText(id: string, terminal: { readonly color: boolean; readonly width: number }): Promise<string | undefined>;
  /** A plan in pieces, made as they are taken. @throws UsageError, ServerRefused while there is none */
  plan(id: string, format: 'csv' | 'json'): Promise<AsyncIterable<string | Uint8Array>>;
}

export type ListedSync = Pick<
  SyncEntry,
  | 'id'
  | 'state'
  | 'code'
  | 'reason'
  | 'file'
  | 'undoOf'
  | 'importId'
  | 'createdAt'
  | 'finishedAt'
  | 'approved'
  | 'totals'
>;

export interface KeptSync extends ListedSync, Pick<SyncView, 'moves' | 'unknownGroups' | 'left' | 'before'> {
  /** Whether the commands that continue it need `--sandbox`. */
  readonly sandbox: boolean;
}
