import type { ImportTotals } from '../api/import-summary.ts';
import type { FollowUp, ImportView } from '../api/imports.ts';
import { asParameter } from '../errors/named-options.ts';
import { checkFacts } from '../features/check/check-view.ts';
import { viewWithCorrections } from '../features/correct/corrections.ts';
import type { Sync } from '../features/sync/kept-sync.ts';
import type { SyncRunner } from '../features/sync/run/sync-runner.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { hasLedger, isLedgerLost } from '../imports/lost-ledger.ts';
import type { Counters } from '../imports/record/counters.ts';
import { importView, rowsOfImport, type ViewSources } from '../imports/report/import-view.ts';
import { totalsOf } from '../imports/report/summarize.ts';
import { isFinal } from '../membership/import-state.ts';
import { NEEDS_ATTENTION } from '../membership/outcome.ts';
import { isFinalSync } from '../membership/sync-state.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { type Logger, quietly } from '../platform/log.ts';
import type { DataReader } from './data-reader.ts';
import { followStaging } from './running-imports.ts';

const NO_ROWS: Counters = new Map();

interface ImportViewsParts {
  readonly coordinator: Coordinator;
  readonly dir: DataDir;
  readonly reading: DataReader;
  readonly log: Logger;
  readonly syncs: Pick<SyncRunner, 'catalog'>;
}

export type ImportViews = ReturnType<typeof openImportViews>;

/** Imports as this server shows them. */
export function openImportViews({ coordinator, dir, reading, log, syncs }: ImportViewsParts) {
  const staging = followStaging(coordinator);

  /** Counts from its ledger, and keeps the totals if it has ended: those that an older rollcall ended have none. */
  const counted = async (record: ImportRecord): Promise<ImportTotals> => {
    const { id, state } = record;
    if (isLedgerLost(record.code) || !hasLedger(record, dir.ledger(id))) return totalsOf(NO_ROWS, isFinal(state));
    const rows = reading.rowsOf(id);
    const totals = totalsOf(await rows.counters(), isFinal(state), await rows.input());
    if (isFinal(state)) coordinator.catalog.setTotals(id, totals);
    return totals;
  };

  const followUpOf = async ({ id, state, importId }: Sync): Promise<FollowUp> => {
    const carrier = importId === null ? undefined : reading.find(importId);
    const rows = carrier === undefined ? null : await rowsOfImport(carrier, sources);
    return { kind: 'undo', id, state, isOpen: !isFinalSync(state), rows, isPart: false };
  };

  const sources: ViewSources = {
    catalog: reading,
    folder: dir.folder,
    totals: counted,
    uncounted: quietly((error) => log.error({ err: error }, 'the rows of an import cannot be counted')),
    staging: (id) => staging.get(id) ?? null,
    reports: addressesOf,
    write: asParameter,
    /** With what its corrections, its check and its undos say of it. */
    complete: async (record, own) => {
      const { id, state } = record;
      const undos = await Promise.all(syncs.catalog.undos(id).map(followUpOf));
      const { refused, ...facts } = await checkFacts(dir.folder(id), state, own.rows.skipped);
      const corrected = await viewWithCorrections(dir, coordinator.catalog, record, own, refused);
      return { ...corrected, ...facts, followUps: [...own.followUps, ...undos] };
    },
  };
  return {
    of: (record: ImportRecord) => importView(record, sources),
    /** Ids of imports whose files are being read now; others that are staging wait for their turn. */
    beingRead: () => [...staging.keys()],
  };
}

/** The addresses of reports that were written. */
function addressesOf(id: string, { all, failed, retry, created }: ImportView['reports']): ImportView['reports'] {
  const address = (query: string) => `/v1/imports/${id}/report?${query}`;
  return {
    all: all && address('format=csv'),
    failed: failed && address(`format=csv&status=${[...NEEDS_ATTENTION].join(',')}`),
    retry: retry && address('retryable=true'),
    created: created && `/v1/imports/${id}/created`,
  };
}
