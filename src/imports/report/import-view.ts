import type { ImportSummary } from '../../api/import-summary.ts';
import type { FollowUp, ImportView, Staging } from '../../api/imports.ts';
import type { WriteOption } from '../../errors/named-options.ts';
import { kindOf } from '../../membership/import-kind.ts';
import { actionsOf, isFinal } from '../../membership/import-state.ts';
import { completeRetry, NEEDS_ATTENTION, RETRYABLE, sumOfOutcomes } from '../../membership/outcome.ts';
import { isFinalSync } from '../../membership/sync-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { busyIn, isLedgerError, type LedgerCode } from '../../platform/database-errors.ts';
import { isObject } from '../../platform/stored-json.ts';
import { type CatalogReader, type ImportRecord, tagsOf, uncheckedOptions } from '../catalog.ts';
import { hasRows, isLedgerLost, ledgerIsThere } from '../lost-ledger.ts';
import type { InputDescription } from '../read/notes.ts';
import { optionsToAgree, reasonFor } from '../reason-codes.ts';
import type { Counters } from '../record/counters.ts';
import { nextOf, type ToCorrect } from './next-steps.ts';
import { writtenReports } from './report-paths.ts';
import { keptTotals, summaryOf, totalsOf } from './summarize.ts';
import { sentenceOf } from './verdict.ts';

/** Sources of a view beside the import's record. */
export interface ViewSources {
  readonly dir: Pick<DataDir, 'folder' | 'ledger'>;
  readonly catalog: Pick<CatalogReader, 'find' | 'retries' | 'undos'>;
  /** Reads the ledger at `path`, where the catalog has no totals. */
  count(path: string): Counted | Promise<Counted>;
  /** Rows could not be counted; the view says so. */
  uncounted?(error: Error): void;
  /** The progress of the files that this process reads, by import. Default: it reads none. */
  readonly staging?: ReadonlyMap<string, Staging> | undefined;
  /** Paths or addresses of the reports that were written. */
  reports(id: string, written: ImportSummary['reports']): ImportSummary['reports'];
  /** Names options in the reason. */
  readonly write: WriteOption;
  /** Adds what features know of its rows. */
  complete(record: ImportRecord, own: Unsaid): Promise<Unsaid>;
}

type Counted = readonly [counters: Counters, input: InputDescription];

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
  const { id, state } = record;
  const own = await ownView(record, sources);
  const followUps = await followUpsOf(id, sources);
  const retried = completeRetry({ followUps });
  const { failed, invalid } = own.rows;
  // Without its ledger, nothing of it can be sent again.
  const lost = { ...own, followUps, retryable: 0, corrected: 0, toCorrect: 0, ready: 0 };
  const whole = {
    ...lost,
    retryable: retried === undefined ? sumOfOutcomes(own.rows, RETRYABLE) : 0,
    // Rows that failed, and were not retried as they are, can be corrected once it is over.
    toCorrect: invalid + (isFinal(state) && retried === undefined ? failed : 0),
  };
  const path = sources.dir.ledger(id);
  const { ready, toCorrect, ...found } = ledgerIsThere(path)
    ? await sources
        .complete(record, whole)
        .catch((error: unknown) => (isLost(path, unreadable(error, sources)) ? lost : whole))
    : lost;
  const actions = found.actions.filter((action) => action !== 'retry' || found.retryable > 0);
  const view = { ...found, actions };
  const sentAgain = view.corrected + (retried?.rows?.read ?? 0);
  return {
    ...view,
    attention: Math.max(0, sumOfOutcomes(view.rows, NEEDS_ATTENTION) - sentAgain),
    sentence: sentenceOf(view),
    next: nextOf(view, { ready, toCorrect: state === 'staging' ? 0 : toCorrect }),
  };
}

async function ownView(record: ImportRecord, sources: ViewSources) {
  const { id, state, createdAt, createdBy, retryOf } = record;
  // An import whose options this version cannot read must not hide the other imports of a list.
  const { dryRun, sandbox, shape } = uncheckedOptions(record);
  const { totals, fault, code = record.code } = await counted(record, sources);
  const written = writtenReports(sources.dir.folder(id));
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
    staging: sources.staging?.get(id) ?? null,
  };
}

/** A file that cannot be read must not hide the other imports of a list. @throws any other error */
export function unreadable(error: unknown, sources: Pick<ViewSources, 'uncounted'>) {
  const known = isLedgerError(error) ? error : busyIn(error);
  if (known === undefined) throw error;
  sources.uncounted?.(known);
  return known;
}

/** Whether the ledger at `path` is lost, and not another file: what needs that one is refused, and says which it is. */
function isLost(path: string, { code, facts }: ReturnType<typeof unreadable>) {
  return isLedgerLost(code) && (facts.path ?? path) === path;
}

async function counted(record: ImportRecord, sources: ViewSources) {
  const isOver = isFinal(record.state);
  const path = sources.dir.ledger(record.id);
  const none = totalsOf(new Map(), isOver);
  try {
    const kept = keptTotals(record);
    if (kept !== undefined) return { totals: kept, fault: '' };
    if (!hasRows(record, path)) return { totals: none, fault: '' };
    const [counters, input] = await sources.count(path);
    return { totals: totalsOf(counters, isOver, input), fault: '' };
  } catch (error) {
    const known = unreadable(error, sources);
    const fault = UNCOUNTED[isLedgerError(known) ? known.code : 'DATABASE_BUSY'];
    return { totals: none, fault, ...(isLedgerLost(known.code) && { code: known.code }) };
  }
}

/** Its retries, and the syncs that undo it. */
function followUpsOf(importId: string, sources: ViewSources): Promise<FollowUp[]> {
  const { catalog } = sources;
  const rowsOf = async (record: ImportRecord) => (await counted(record, sources)).totals.rows;
  return Promise.all([
    ...catalog.retries(importId).map(async (retry): Promise<FollowUp> => {
      const { id, state } = retry;
      const { corrected, retryOnly } = uncheckedOptions(retry);
      const kind = corrected === true ? 'correction' : 'retry';
      return { kind, id, state, isOpen: !isFinal(state), rows: await rowsOf(retry), isPart: retryOnly !== undefined };
    }),
    ...catalog.undos(importId).map(async ({ id, state, importId: carrier }): Promise<FollowUp> => {
      const record = carrier === null ? undefined : catalog.find(carrier);
      const rows = record === undefined ? null : await rowsOf(record);
      return { kind: 'undo', id, state, isOpen: !isFinalSync(state), rows, isPart: false };
    }),
  ]);
}
