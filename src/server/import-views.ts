import { existsSync, statSync } from 'node:fs';
import type { FollowUp, ImportView, Staging } from '../api/imports.ts';
import { asParameter } from '../errors/named-options.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import { checkOf } from '../imports/check/checks.ts';
import { readOptions } from '../imports/import-options.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { optionsToAgree, reasonFor } from '../imports/reason.ts';
import type { Tallies } from '../imports/record/import-ledger.ts';
import { filesFormat, NEEDS_ATTENTION, reportPaths } from '../imports/report/report-paths.ts';
import { summaryOf } from '../imports/report/summarize.ts';
import { actionsOf } from '../membership/import-actions.ts';
import { kindOf } from '../membership/import-kind.ts';
import { isFinal } from '../membership/import-state.ts';
import { RETRYABLE } from '../membership/outcome.ts';
import { isFinalSync } from '../membership/sync-state.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { SyncCatalogReader } from '../syncs/sync-catalog.ts';
import type { Reading } from './reading.ts';

export interface ImportViews {
  of(record: ImportRecord): Promise<ImportView>;
  staging(id: string): Staging | null;
  /** Ids of imports whose files are being read now; others that are staging wait for their turn. */
  beingRead(): string[];
}

/** An import without its follow-ups: once it has finished, it never changes. */
type OwnView = Omit<ImportView, 'followUps' | 'retryable'>;

/** Number of finished imports whose views are cached. */
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
  coordinator.events.on('changed', ({ id }) => kept.delete(id));
  coordinator.events.on('removed', (id) => {
    staging.delete(id);
    kept.delete(id);
  });

  const view = async (record: ImportRecord): Promise<OwnView> => {
    const { id, state, createdAt, createdBy, tags, retryOf } = record;
    const { dryRun, sandbox, shape } = readOptions(record);
    const hasRows = reading.hasRows(id);
    const input = hasRows ? await reading.rowsOf(id).input() : undefined;
    const paths = reportPaths(dir.folder(id), input === undefined ? 'csv' : filesFormat(input));
    const summary = summaryOf(record, hasRows ? await reading.rowsOf(id).tallies() : NO_ROWS, paths, input);
    const { maxCreate, maxRemovals } = optionsToAgree(record);
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
      ...(maxRemovals !== undefined && { maxRemovals }),
      ...(checkOf(dir.folder(id)) !== undefined && { hasCheck: true as const }),
      ...(shape?.actions !== undefined && { fileOfChanges: true as const }),
      createdAt: new Date(createdAt).toISOString(),
      createdBy,
      kind: kindOf(record),
      tags: JSON.parse(tags),
      retryOf,
      dryRun,
      sandbox,
      actions: [...actionsOf(state, retry !== null)],
      staging: staging.get(id) ?? null,
    };
  };

  const ownView = async (record: ImportRecord): Promise<OwnView> => {
    const known = kept.get(record.id);
    // Ids are never used again. A cached view may be older than its import's end, so the state is checked.
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
      const { repaired, retryOnly } = readOptions(retry);
      const kind = repaired === true ? 'repair' : 'retry';
      return { kind, id: retry.id, state, isOpen: !isFinal(state), rows, isPart: retryOnly !== undefined };
    });
    const undos = syncs.undos(id).map(async (undo): Promise<FollowUp> => {
      const carrier = undo.importId === null ? undefined : reading.find(undo.importId);
      const rows = carrier === undefined ? null : (await ownView(carrier)).rows;
      return { kind: 'undo', id: undo.id, state: undo.state, isOpen: !isFinalSync(undo.state), rows, isPart: false };
    });
    return Promise.all([...retries, ...undos]);
  };

  /** Rows that a retry would still send: a full retry takes all that is left, a partial or repaired one only its rows. */
  const retryableLeft = async ({ id, rows }: OwnView, followUps: readonly FollowUp[]): Promise<number> => {
    const taken = followUps.filter(({ kind, state, isPart }) => kind !== 'undo' && !isPart && state !== 'rejected');
    if (taken.some(({ kind }) => kind === 'retry')) return 0;
    const retryable = [...RETRYABLE].reduce((sum, outcome) => sum + rows[outcome], 0);
    return taken.length === 0 ? retryable : retryable - (await coordinator.repairs.retryableSent(id));
  };

  return {
    staging: (id) => staging.get(id) ?? null,
    beingRead: () => [...staging.keys()],
    of: async (record) => {
      const own = await ownView(record);
      const followUps = await followUpsOf(record.id);
      const retryable = await retryableLeft(own, followUps);
      return {
        ...own,
        followUps,
        retryable,
        actions: retryable > 0 ? own.actions : own.actions.filter((action) => action !== 'retry'),
      };
    },
  };
}

function sizeOf(path: string): number | null {
  return existsSync(path) ? statSync(path).size : null;
}
