/** Additions of features to pages of others. Their own pages are in pages.ts. */
import type { ComponentType } from 'preact';
import { ImportCheck } from '../features/check/page.tsx';
import { Notifications } from '../features/notify/page.tsx';
import { plannedUndo } from '../features/sync/pages/sync-actions.tsx';
import type { LiveImport } from './view/import/live-import.ts';
import type { RowsWanted } from './view/import/rows-wanted.tsx';

interface Parts {
  /** For an import that was read and not sent. */
  readonly Check?: ComponentType<{ id: string; live: LiveImport; filter: RowsWanted; hasCheck: boolean }>;
  /** Asks what an undo is to take back; what has it planned gives the id of its sync. Undefined where none is wanted. */
  readonly undo?: (
    uncertain: boolean,
  ) => Promise<((importId: string, signal: AbortSignal) => Promise<string>) | undefined>;
  /** For the settings. */
  readonly Notifications?: ComponentType<{ onChanged: () => void }>;
}

export const PARTS: Parts = {
  Check: ImportCheck,
  undo: plannedUndo,
  Notifications,
};
