import { z } from 'zod';
import type { SyncState } from '../membership/sync-state.ts';
import { type ImportView, operationOfImports } from './imports.ts';
import { fileOf } from './operation.ts';
import type { RunningImport } from './overview.ts';

/** Server-sent events. Their data is JSON. */

/** Events of `GET /v1/events`, by name. */
export interface ListEvents {
  /** Those that changed; one that is sent, with the time that is left and the regions that hold it up. */
  readonly imports: { readonly imports: readonly (ImportView | RunningImport)[] };
  readonly removed: { readonly id: string };
  /** A sync is in another state. */
  readonly sync: { readonly id: string; readonly state: SyncState };
  /** Schedules have changed, or runs of this one. */
  readonly schedules: { readonly id?: string };
  /** An import is in another state. */
  readonly import: { readonly id: string };
  /** The check of the import has come further, is over, or has stopped. */
  readonly check: { readonly id: string };
  readonly export: { readonly id: string };
  /** The planning of a sync has come further. */
  readonly planning: { readonly id: string };
}

export const eventOperations = {
  lists: operationOfImports('GET /v1/events', 'viewer', {
    summary:
      'Follow the lists: events `imports` with those that changed, `removed`, `schedules`, and `import`, `sync`, `planning` (of a sync), `check` or `export` where one moved, or has come further (once a second)',
    query: z.strictObject({
      id: z.string().max(200).optional().meta({
        description: 'Only events of this import, with its check, or of this sync, export, or schedule (its name).',
      }),
    }),
    answer: fileOf('Events as they happen.', 'text/event-stream'),
  }),
};
