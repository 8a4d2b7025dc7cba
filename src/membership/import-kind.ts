/** Origins of an import: a file from a user, rows of an earlier import, or a plan. */
export const IMPORT_KINDS = ['file', 'retry', 'sync', 'undo'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** An import that carries out a sync has the sync's id. */
export function kindOf({ id, retryOf }: { readonly id: string; readonly retryOf: string | null }): ImportKind {
  if (id.startsWith('undo-')) return 'undo';
  if (id.startsWith('sync-')) return 'sync';
  return retryOf === null ? 'file' : 'retry';
}
