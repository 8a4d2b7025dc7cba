import { existsSync } from 'node:fs';
import { UsageError } from '../../../cli/errors.ts';
import { localImports } from '../../../cli/target/local-imports.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir, emptyPlace } from '../../../platform/data-dir.ts';
import { openFindings } from '../plan/findings.ts';
import { leftByUndo } from '../plan/left-by-undo.ts';
import { planCsv } from '../plan/plan-csv.ts';
import { planJson } from '../plan/plan-json.ts';
import { openPlanReader } from '../plan/plan-reading.ts';
import { planText } from '../plan/plan-text.ts';
import { readTotals } from '../plan/plan-totals.ts';
import { planFiles } from '../plan/prepare.ts';
import type { SyncRecord } from '../sync-catalog.ts';
import { readSyncOptions } from '../sync-options.ts';
import { findSync, withPlan, withSyncs } from './sync-data.ts';
import type { KeptSync, ListedSync, Syncs } from './syncs.ts';

/** The syncs of a data directory, no matter which process runs them. */
export function localSyncs(config: Config): Syncs {
  const dir = dataDir(config.dataDir);
  const record = (id: string) => findSync(config.dataDir, id);
  return {
    imports: localImports(config),
    get place() {
      return emptyPlace(dir);
    },
    list: async (limit) => withSyncs(config.dataDir, (syncs) => syncs?.list(limit) ?? []).map(listed),
    find: async (id): Promise<KeptSync> => {
      const found = record(id);
      const { create, sandbox } = readSyncOptions(found);
      const { before, plan } = planFiles(dir.sync(id));
      const moves = withSyncs(config.dataDir, (syncs) => syncs?.transitions(id) ?? []);
      return {
        ...listed(found),
        sandbox,
        unknownGroups: found.totals === null || create?.groups === true ? 0 : unknownGroups(plan),
        left: leftByUndo(found, plan),
        before: found.importId !== null && existsSync(before) ? before : null,
        moves: moves.map(({ at, ...move }) => ({ at: iso(at), ...move })),
      };
    },
    findings: async (id) => withPlan(dir, record(id), (plan) => plan.findings()) ?? [],
    planText: async (id, terminal) => withPlan(dir, record(id), (plan) => planText(plan, terminal)),
    plan: async (id, format) => {
      const { state, totals, reason } = record(id);
      if (totals === null) throw new UsageError(`sync ${id} is ${state} and has no plan to show: ${reason}`);
      return (async function* () {
        const plan = openPlanReader(planFiles(dir.sync(id)).plan);
        try {
          yield* format === 'csv' ? planCsv(plan) : planJson(plan);
        } finally {
          plan.close();
        }
      })();
    },
  };
}

function listed(record: SyncRecord): ListedSync {
  const { id, state, code, reason, file, undoOf, importId, createdAt, finishedAt } = record;
  const { approvedBy, approvedAt, approval } = record;
  return {
    ...{ id, state, reason, file, undoOf, importId },
    ...(code !== null && { code }),
    createdAt: iso(createdAt),
    finishedAt: finishedAt === null ? null : iso(finishedAt),
    approved: approvedBy === null ? null : { by: approvedBy, at: iso(approvedAt ?? 0), reason: approval ?? '' },
    totals: readTotals(record),
  };
}

function unknownGroups(plan: string): number {
  const findings = openFindings(plan, 'add');
  try {
    return findings.unknownGroups();
  } finally {
    findings.close();
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
