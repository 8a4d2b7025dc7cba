import { existsSync, statSync } from 'node:fs';
import type { ImportView, Staging } from '../api/imports.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import { readOptions } from '../imports/import-options.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { reasonFor } from '../imports/reason.ts';
import type { Tallies } from '../imports/record/import-ledger.ts';
import { NEEDS_ATTENTION, reportPaths } from '../imports/report/report-paths.ts';
import { summaryOf } from '../imports/report/summarize.ts';
import { actionsOf } from '../membership/import-actions.ts';
import { isFinal } from '../membership/import-state.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { asParameter } from '../text/named-options.ts';
import type { Reading } from './reading.ts';

export interface ImportViews {
  of(record: ImportRecord): Promise<ImportView>;
  staging(id: string): Staging | null;
}

/** Views of imports that are over never change; so many are kept. */
const MOST_KEPT = 1_000;

const NO_ROWS: Tallies = new Map();

export function importViews(coordinator: Coordinator, dir: DataDir, reading: Reading): ImportViews {
  const staging = new Map<string, Staging>();
  const kept = new Map<string, ImportView>();
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

  const view = async (record: ImportRecord): Promise<ImportView> => {
    const { id, state, createdAt, retryOf } = record;
    const { dryRun, sandbox } = readOptions(record);
    const hasRows = reading.hasRows(id);
    const paths = reportPaths(dir.folder(id), hasRows ? (await reading.rowsOf(id).input()).format : 'csv');
    const summary = summaryOf(record, hasRows ? await reading.rowsOf(id).tallies() : NO_ROWS, paths);
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
      createdAt: new Date(createdAt).toISOString(),
      retryOf,
      dryRun,
      sandbox,
      actions: [...actionsOf(state, retry !== null)],
      staging: staging.get(id) ?? null,
    };
  };

  return {
    staging: (id) => staging.get(id) ?? null,
    of: async (record) => {
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
    },
  };
}

function sizeOf(path: string): number | null {
  return existsSync(path) ? statSync(path).size : null;
}
