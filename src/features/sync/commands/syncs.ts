import type { SyncEntry } from '../../../api/sync-entry.ts';
import type { Imports } from '../../../cli/target/imports.ts';
import type { SyncView } from '../api.ts';
import type { Finding } from '../api-plan.ts';

/** The syncs that commands are about: those of a data directory (local-syncs.ts), or of a server (remote-syncs.ts). */
export interface Syncs {
  /** The imports there: those that carry the syncs out are among them. */
  readonly imports: Imports;
  /** Where they are, in words that complete "there are no syncs …". */
  readonly place: string;
  /** Newest first. */
  list(limit: number): Promise<readonly SyncEntry[]>;
  /** @throws UnknownSync, ServerRefused */
  find(id: string): Promise<SyncView>;
  /** Everything that the guards object to. */
  findings(id: string): Promise<readonly Finding[]>;
  /** A plan for a terminal; undefined while there is none. */
  planText(id: string, terminal: { readonly color: boolean; readonly width: number }): Promise<string | undefined>;
  /** A plan in pieces, made as they are taken. @throws UsageError, ServerRefused while there is none */
  plan(id: string, format: 'csv' | 'json' | 'markdown'): Promise<AsyncIterable<string | Uint8Array>>;
}

/**
 * As commands show it. @param sandbox whether the commands that continue it need `--sandbox`
 * @param before where the members are, before the sync, of groups that lose members
 */
export function shownSync(view: SyncView, sandbox: boolean, before: string | null): SyncView {
  return { ...view, sandbox, before, unknownGroups: view.create?.groups === true ? 0 : view.unknownGroups };
}
