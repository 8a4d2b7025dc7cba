import { basename } from 'node:path';
import { option, type Words, words } from '../errors/named-options.ts';
import { isError, RollcallError } from '../errors/rollcall-error.ts';

const CODES = ['UNKNOWN_LEDGER', 'DAMAGED_LEDGER', 'LEDGER_MISSING'] as const;
export type LedgerCode = (typeof CODES)[number];

/** Whether a file of the data directory is gone, damaged, or of another version. */
export const isLedgerError = (error: unknown) => isError(error, ...CODES);

export function damagedFile(path: string, cause: Error) {
  const remedy = REMEDIES[basename(path)] ?? NO_LEDGER;
  return new RollcallError('DAMAGED_LEDGER', { what: `${path} is damaged (${cause.message})`, remedy }, { cause });
}

/** @param what in a clause: what SQLite reads and rollcall never writes */
export function ledgerContradiction(what: string) {
  return new RollcallError('DAMAGED_LEDGER', { what: `the ledger is damaged: ${what}`, remedy: NO_LEDGER });
}

export function missingLedger(path: string) {
  return new RollcallError('LEDGER_MISSING', { path, remedy: NO_LEDGER });
}

/** Names of the files of a data directory that go on without their content, and what is lost with it. */
export const CATALOG = 'catalog.sqlite';
export const ENDS = 'ends.sqlite';
export const MEMORY = 'memberships.sqlite';
const REMEDIES: Readonly<Record<string, Words>> = {
  [CATALOG]: '`rollcall doctor --rebuild-catalog` makes a new one from the folders of the imports',
  [ENDS]:
    'put it back from a backup, or move it away and import the files again whose memberships end: none ends until a row says so',
  [MEMORY]:
    'put it back from a backup, or move it away: the next run of each sync then counts every member as made by others',
};
/** Without it no one knows which rows were sent; a repeat finds that out, and changes nothing that is as it should be. */
const NO_LEDGER = words`put it back from a backup, or import the input again, with another ${option('dataDir')} if this one's disk fails: members who were added before are reported as already members`;
