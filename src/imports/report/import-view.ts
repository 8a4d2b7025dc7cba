import type { ImportSummary, ImportTotals } from '../../api/import-summary.ts';
import type { FollowUp, ImportView, Staging } from '../../api/imports.ts';
import type { WriteOption } from '../../errors/named-options.ts';
import { kindOf } from '../../membership/import-kind.ts';
import { actionsOf, isFinal } from '../../membership/import-state.ts';
import { completeRetry, NEEDS_ATTENTION, RETRYABLE, sumOfOutcomes } from '../../membership/outcome.ts';
import { busyIn, isLedgerError, type LedgerCode } from '../../platform/database-errors.ts';
import { isObject } from '../../platform/stored-json.ts';
import { type ImportRecord, tagsOf, uncheckedOptions } from '../catalog.ts';
import { isLedgerLost } from '../lost-ledger.ts';
import { optionsToAgree, reasonFor } from '../reason-codes.ts';
import { nextOf, type ToCorrect } from './next-steps.ts';
import { writtenReports } from './report-paths.ts';
import { keptTotals, summaryOf, totalsOf } from './summarize.ts';
import { sentenceOf } from './verdict.ts';

/** Sources of a view beside the import's record. */
export interface ViewSources {
  readonly catalog: { retries(id: string): readonly ImportRecord[] };
  folder(id: string): string;
  /** Asked where the record has none. @throws LEDGER_MISSING, DAMAGED_LEDGER, DATABASE_BUSY where its rows cannot be counted */
  totals(record: ImportRecord): ImportTotals | Promise<ImportTotals>;
  /** They could not be counted; the view says so. */
  uncounted?(error: Error): void;
  /** Null where it is not being read, as far as this process knows. */
  staging(id: string): Staging | null;
  /** Paths or addresses of the reports that were written. */
  reports(id: string, written: ImportSummary['reports']): ImportSummary['reports'];
  /** Names options in the reason. */
  readonly write: WriteOption;
  /** Adds what features know of it. */
  complete?(record: ImportRecord, own: Unsaid): Promise<Unsaid>;
}

/** Reasons why the rows of an import are not counted. The error names the file. */
const UNCOUNTED: Readonly<Record<LedgerCode | 'DATABASE_BUSY', string>> = {
  DATABASE_BUSY: 'another program holds its ledger, so its rows cannot be counted',
  DAMAGED_LEDGER: 'its ledger is damaged, so its rows cannot be counted',
  LEDGER_MISSING: 'its ledger is not there, so its rows cannot be counted',
  UNKNOWN_LEDGER: 'its ledger was written by another version of rollcall, so its rows cannot be counted',
};

/** Before what follows from it. */
export type Unsaid = Omit<ImportView, 'sentence' | 'attention' | 'next'> & ToCorrect;

/** An import as the API and commands show it. */
export async function importView(record: ImportRecord, sources: ViewSources): Promise<ImportView> {
  const own = await ownView(record, sources);
  const followUps = await retriesOf(record.id, sources);
  const retried = completeRetry({ followUps });
  const retryable = retried === undefined ? sumOfOutcomes(own.rows, RETRYABLE) : 0;
  const { failed, invalid } = own.rows;
  // Rows that failed, and were not retried as they are, can be corrected once it is over.
  const toCorrect = invalid + (isFinal(record.state) && retried === undefined ? failed : 0);
  const left = { ...own, followUps, retryable, corrected: 0, toCorrect, ready: 0 };
  const completed = await sources.complete?.(record, left).catch((error: unknown) => void unreadable(error, sources));
  const { ready, toCorrect: open, ...found } = completed ?? left;
  const actions = found.actions.filter((action) => action !== 'retry' || found.retryable > 0);
  const view = { ...found, actions };
  const sentAgain = view.corrected + (retried?.rows?.read ?? 0);
  return {
    ...view,
    attention: Math.max(0, sumOfOutcomes(view.rows, NEEDS_ATTENTION) - sentAgain),
    sentence: sentenceOf(view),
    next: nextOf(view, { ready, toCorrect: record.state === 'staging' ? 0 : open }),
  };
}

/** Its rows by outcome. */
export async function rowsOfImport(record: ImportRecord, sources: ViewSources): Promise<ImportView['rows']> {
  return (await ownView(record, sources)).rows;
}

async function ownView(record: ImportRecord, sources: ViewSources) {
  const { id, state, createdAt, createdBy, retryOf } = record;
  // An import whose options this version cannot read must not hide the other imports of a list.
  const { dryRun, sandbox, shape } = uncheckedOptions(record);
  const { totals, fault, code = record.code } = await counted(record, sources);
  const written = writtenReports(sources.folder(id));
  return {
    ...summaryOf({ ...record, code }, totals, sources.reports(id, written)),
    reason: [reasonFor(record, sources.write), fault].filter((part) => part !== '').join('; '),
    ...optionsToAgree(record),
    ...(isObject(shape) && shape['actions'] !== undefined && { fileOfChanges: true as const }),
    createdAt: new Date(createdAt).toISOString(),
    createdBy,
    kind: kindOf(record),
    tags: tagsOf(record),
    retryOf,
    dryRun: dryRun === true,
    sandbox: sandbox === true,
    actions: [...actionsOf(state, written.retry !== null)],
    staging: sources.staging(id),
  };
}

/** A ledger that cannot be read must not hide the other imports of a list. @throws any other error */
function unreadable(error: unknown, sources: ViewSources) {
  const known = isLedgerError(error) ? error : busyIn(error);
  if (known === undefined) throw error;
  sources.uncounted?.(known);
  return known;
}

async function counted(record: ImportRecord, sources: ViewSources) {
  try {
    return { totals: keptTotals(record) ?? (await sources.totals(record)), fault: '' };
  } catch (error) {
    const known = unreadable(error, sources);
    const fault = UNCOUNTED[isLedgerError(known) ? known.code : 'DATABASE_BUSY'];
    const totals = totalsOf(new Map(), isFinal(record.state));
    return { totals, fault, ...(isLedgerLost(known.code) && { code: known.code }) };
  }
}

function retriesOf(id: string, sources: ViewSources) {
  return Promise.all(
    sources.catalog.retries(id).map(async (retry): Promise<FollowUp> => {
      const { state, rows } = await ownView(retry, sources);
      const { corrected, retryOnly } = uncheckedOptions(retry);
      const kind = corrected === true ? 'correction' : 'retry';
      return { kind, id: retry.id, state, isOpen: !isFinal(state), rows, isPart: retryOnly !== undefined };
    }),
  );
}
