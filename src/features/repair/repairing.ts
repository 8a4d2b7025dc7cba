import { existsSync } from 'node:fs';
import type { Repairing } from '../../imports/life/feature.ts';
import { attachForReading, readStatements } from '../../platform/sqlite.ts';
import { REPAIR_SCHEMA, repairFile, STATEMENTS } from './repair-ledger.ts';
import { doRepair, inTurn } from './repair-work.ts';

/** Rows that people edit are sent with their edits, in an import of their own, and in no other way. */
export const repairing: Repairing = {
  whileNoneEdits: inTurn,
  edited: (ledger, { folder }) => {
    if (!existsSync(repairFile(folder))) return;
    attachForReading(ledger, repairFile(folder), 'repair', REPAIR_SCHEMA);
    ledger.prepare(readStatements(STATEMENTS).get('find_edited') ?? '').run();
  },
  rest: async ({ folder, options }, path, filter) =>
    existsSync(repairFile(folder)) ? doRepair({ folder, options, isTaken: false }, 'rest', path, filter) : undefined,
};
