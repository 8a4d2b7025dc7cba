import { existsSync } from 'node:fs';
import type { Retrying } from '../../imports/life/feature.ts';
import { repairFile } from './repair-ledger.ts';
import { doRepair } from './repair-work.ts';

/** Rows that were repaired and sent are left out of a retry. */
export const retrying: Retrying = {
  rest: async ({ folder, options }, path, filter) =>
    existsSync(repairFile(folder))
      ? doRepair({ folder, options, isTaken: false }, 'rest', { path, filter })
      : undefined,
};
