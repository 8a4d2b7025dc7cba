import pLimit from 'p-limit';
import { kindOf } from '../../membership/import-kind.ts';
import { NEEDS_ATTENTION } from '../../membership/outcome.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { isLedgerError } from '../../platform/database-errors.ts';
import type { Catalog, ImportRecord } from '../catalog.ts';
import type { Emit, EndState } from '../import-event.ts';
import { readOptions } from '../import-options.ts';
import { ledgerIsThere } from '../lost-ledger.ts';
import type { IntakeNote } from '../read/notes.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { LedgerThreads } from '../report/ledger-threads.ts';
import { appsOf } from '../target.ts';

interface ClosingOptions {
  readonly dir: DataDir;
  readonly catalog: Pick<Catalog, 'attend' | 'find' | 'get' | 'setProblems' | 'setTotals' | 'unfinished'>;
  /** Checks the sum and writes reports in other threads: it takes long, and this thread serves other imports. */
  readonly reading: LedgerThreads;
  readonly emit: Emit;
}

/** Imports that are closed at the same time, so that a small one does not wait for the reports of ten million rows. */
const CLOSINGS = 4;

export type Closings = ReturnType<typeof createClosings>;

/** Closes imports whose rows all have outcomes: checks the sum and writes the reports. Each import once. */
export function createClosings(options: ClosingOptions) {
  const { dir, catalog, reading, emit } = options;
  const line = pLimit(CLOSINGS);
  const underWay = new Set<string>();
  let stopped = false;

  const close = async (id: string, state: EndState, reason?: string) => {
    if (stopped) return;
    catalog.attend(id);
    const path = dir.ledger(id);
    const { difference } = await reading.of(path).check();
    await reading.indexUids(path);
    const notes = await noteEnds(id, path);
    const code = codeOf(state, difference);
    // The reports are of the import as it will be when they are written: the state moves last.
    const record = { ...catalog.get(id), state, code: code ?? null };
    const { totals, problems } = await reading.writeReports({ path, folder: dir.folder(id), record, notes });
    // Open there, it could not be put into one file.
    await reading.forget(path);
    if (stopped) return;
    catalog.setTotals(id, totals);
    catalog.setProblems(
      id,
      problems.filter(({ status }) => NEEDS_ATTENTION.has(status)).map(({ code, count }) => ({ code, rows: count })),
    );
    underWay.delete(id);
    const said = difference === '' ? reason : `the sum of outcomes does not hold: ${difference}`;
    await emit(id, { kind: 'closed', state, reason: said, code });
  };

  /** Before the state moves: after a crash it is done again. Returns what a person should know. */
  const noteEnds = async (id: string, ledger: string): Promise<IntakeNote[]> => {
    const record = catalog.get(id);
    const at = record.createdAt;
    const earlier = catalog.unfinished().filter((other) => other.id !== id && other.createdAt <= at);
    const { isCorrected, ...origin } = originOf(record);
    const isRetry = origin.id !== id && !isCorrected;
    try {
      await reading.noteEnds({
        ends: dir.ends,
        ledger,
        by: id,
        at,
        apps: appsOf(readOptions(record)),
        earlier: earlier.map((one) => dir.ledger(one.id)),
        isOfSync: ['sync', 'undo'].includes(kindOf(origin)),
        retried: isRetry && ledgerIsThere(dir.ledger(origin.id)) ? dir.ledger(origin.id) : undefined,
      });
      return [];
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      return [{ code: 'ENDS_NOT_NOTED', text: `The ends of its memberships are not noted: ${error.message}` }];
    }
  };

  /** The import whose rows are sent again, by retries of retries too, and whether people have edited them in one of these. */
  const originOf = (record: ImportRecord): ImportRecord & { readonly isCorrected: boolean } => {
    const isCorrected = readOptions(record).corrected === true;
    const earlier = record.retryOf === null ? undefined : catalog.find(record.retryOf);
    if (earlier === undefined) return { ...record, isCorrected };
    const origin = originOf(earlier);
    return { ...origin, isCorrected: isCorrected || origin.isCorrected };
  };

  return {
    /** Does nothing if that is running already. */
    begin: (id: string, state: EndState, reason?: string) => {
      if (stopped || underWay.has(id)) return;
      underWay.add(id);
      line(() => close(id, state, reason)).catch((error: unknown) => {
        underWay.delete(id);
        if (!stopped) void emit(id, { kind: 'fault', code: 'CLOSING_FAILED', error });
      });
    },
    isUnderWay: (id: string) => underWay.has(id),
    /** Begins no more. Running work is dropped when its threads are closed; the next start does it again. */
    stop: () => {
      stopped = true;
    },
  };
}

function codeOf(state: EndState, difference: string): ReasonCode | undefined {
  if (difference !== '') return 'WRONG_SUM';
  // Only too many errors abort an import.
  return state === 'aborted' ? 'TOO_MANY_ERRORS' : undefined;
}
