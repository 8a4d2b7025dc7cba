import { statSync } from 'node:fs';
import type { ImportState } from '../membership/import-state.ts';
import { missingLedger } from '../platform/database-errors.ts';
import type { ImportRecord } from './catalog.ts';
import { isMachineWait } from './reason-codes.ts';

type LostCode = 'LEDGER_MISSING' | 'DAMAGED_LEDGER';

/** States in which an import has a ledger, whatever came before. The others may come before its file was read. */
const AFTER_READING: ReadonlySet<ImportState> = new Set<ImportState>([
  ...(['staged', 'running', 'pausing', 'paused', 'blocked'] as const),
  ...(['completed', 'aborted'] as const),
]);

/** A crash of the system, or a copy onto a full disk, may leave an empty file, which SQLite would take for a new one. */
export function ledgerIsThere(path: string) {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Whether the ledger is there; false where the file was not read yet, or was refused.
 * @throws LEDGER_MISSING where the import had one: an empty one in its place would say that it had no rows
 */
export function hasLedger({ state, code, totals }: Pick<ImportRecord, 'state' | 'code' | 'totals'>, path: string) {
  if (ledgerIsThere(path)) return true;
  const wasRead = AFTER_READING.has(state) && !isMachineWait(code);
  if (wasRead || totals !== null || code === 'LEDGER_MISSING') throw missingLedger(path);
  return false;
}

/** Whether its rows can be read: false also where its state says that they are lost. @throws as `hasLedger` */
export function hasRows(record: Pick<ImportRecord, 'state' | 'code' | 'totals'>, path: string) {
  return !isLedgerLost(record.code) && hasLedger(record, path);
}

/** Whether the rows of an import are lost with its ledger, as the code of its state or of an error says. */
export function isLedgerLost(code: string | null): code is LostCode {
  return code === 'LEDGER_MISSING' || code === 'DAMAGED_LEDGER';
}
