import { existsSync, statSync } from 'node:fs';
import type { FollowUp, ImportView, Staging } from '../api/imports.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import { checkOf } from '../imports/check/checks.ts';
import { readOptions } from '../imports/import-options.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { optionsToAgree, reasonFor } from '../imports/reason.ts';
import type { Tallies } from '../imports/record/import-ledger.ts';
import { filesFormat, NEEDS_ATTENTION, reportPaths } from '../imports/report/report-paths.ts';
import { summaryOf } from '../imports/report/summarize.ts';
import { actionsOf } from '../membership/import-actions.ts';
import { isFinal } from '../membership/import-state.ts';
import { isFinalSync } from '../membership/sync-state.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { SyncCatalogReader } from '../syncs/sync-catalog.ts';
import { asParameter } from '../text/named-options.ts';
import type { Reading } from './reading.ts';

export interface ImportViews {
  of(record: ImportRecord): Promise<ImportView>;
  staging(id: string): Staging | null;
}

/** An import without what came after it: over, it never changes. */
type OwnView = Omit<ImportView, 'followUps'>;

/** Of imports that are over, the views of so many are kept. */
const MOST_KEPT = 1_000;

const NO_ROWS: Tallies = new Map();

export function importViews(
  coordinator: Coordinator,
  dir: DataDir,
  reading: Reading,
  syncs: SyncCatalogReader,
): ImportViews {
  const staging = new Map<string, Staging>();
  const kept = new Map<string, OwnView>();
  coordinator.events.on('staging', (id, progress) => {
    const totalBytes = staging.get(id)?.totalBytes ?? sizeOf(coordinator.find(id).source);
    staging.set(id, { ...progress, totalBytes });
  });
  coordinator.events.on('state', ({ id, state }) => {
    if (state !== 'staging') staging.delete(id);
  });
  coordinator.events.on('removed', (id) => {
    staging.delete(id);
    kept.delete(id);
  });

  const view = async (record: ImportRecord): Promise<OwnView> => {
    const { id, state, createdAt, retryOf } = record;
    const { dryRun, sandbox } = readOptions(record);
    const hasRows = reading.hasRows(id);
    const input = hasRows ? await reading.rowsOf(id).input() : undefined;
    const paths = reportPaths(dir.folder(id), input === undefined ? 'csv' : filesFormat(input));
    const summary = summaryOf(record, hasRows ? await reading.rowsOf(id).tallies() : NO_ROWS, paths, input);
    const { maxCreate } = record.code === 'CREATE_LIMIT' ? optionsToAgree(record) : {};
    const address = (query: string) => `/v1/imports/${id}/report?${query}`;
    const { all, failed, retry } = summary.reports;
    return {
      ...summary,
      reports: {
        all: all && address('format=csv'),
        failed: failed && address(`format=csv&status=${[...NEEDS_ATTENTION].join(',')}`),
        retry: retry && address('retryable=true'),
      },
      reason: reasonFor(record, asParameter),
      ...(maxCreate !== undefined && { maxCreate }),
      ...(checkOf(dir.folder(id)) !== undefined && { hasCheck: true as const }),
      createdAt: new Date(createdAt).toISOString(),
      retryOf,
      dryRun,
      sandbox,
      actions: [...actionsOf(state, retry !== null)],
      staging: staging.get(id) ?? null,
    };
  };

  const ownView = async (record: ImportRecord): Promise<OwnView> => {
    const known = kept.get(record.id);
    // An id is never used again, but the state of a record that is over may have been asked for before it was.
    if (known !== undefined && isFinal(record.state)) return known;
    const made = await view(record);
    if (isFinal(record.state)) {
      kept.set(record.id, made);
      const [oldest] = kept.keys();
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    }
    return made;
  };
  const followUpsOf = async (id: string): Promise<FollowUp[]> => {
    const retries = reading.retries(id).map(async (retry): Promise<FollowUp> => {
      const { state, rows } = await ownView(retry);
      return { kind: 'retry', id: retry.id, state, isOpen: !isFinal(state), rows };
    });
    const undos = syncs.undos(id).map(async (undo): Promise<FollowUp> => {
      const carrier = undo.importId === null ? undefined : reading.find(undo.importId);
      const rows = carrier === undefined ? null : (await ownView(carrier)).rows;
      return { kind: 'undo', id: undo.id, state: undo.state, isOpen: !isFinalSync(undo.state), rows };
    });
    return Promise.all([...retries, ...undos]);
  };

  return {
    staging: (id) => staging.get(id) ?? null,
    of: async (record) => {
      const own = await ownView(record);
      const followUps = await followUpsOf(record.id);
      // A retry takes all rows that can be sent again: what is left of them afterwards is the retry's to offer.
      const isRetried = followUps.some(({ kind, state }) => kind === 'retry' && state !== 'rejected');
      return {
        ...own,
        followUps,
        actions: isRetried ? own.actions.filter((action) => action !== 'retry') : own.actions,
      };
    },
  };
}

function sizeOf(path: string): number | null {
  return existsSync(path) ? statSync(path).size : null;
}
