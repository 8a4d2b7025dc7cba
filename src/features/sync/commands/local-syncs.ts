import { UsageError } from '../../../cli/errors.ts';
import { localImports } from '../../../cli/target/local-imports.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir, emptyPlace } from '../../../platform/data-dir.ts';
import { planCsv } from '../plan/plan-csv.ts';
import { planJson } from '../plan/plan-json.ts';
import { planMarkdown } from '../plan/plan-markdown.ts';
import { openPlanReader } from '../plan/plan-reading.ts';
import { planText } from '../plan/plan-text.ts';
import { planFiles } from '../plan/prepare.ts';
import { syncEntry, wholeSync } from '../plan/sync-view.ts';
import { findSync, withPlan, withSyncs } from './sync-data.ts';
import { type Syncs, shownSync } from './syncs.ts';

/** The syncs of a data directory, no matter which process runs them. */
export function localSyncs(config: Config): Syncs {
  const dir = dataDir(config.dataDir);
  const record = (id: string) => findSync(config.dataDir, id);
  return {
    imports: localImports(config),
    get place() {
      return emptyPlace(dir);
    },
    list: async (limit) => withSyncs(config.dataDir, (syncs) => syncs?.list(limit) ?? []).map((one) => syncEntry(one)),
    find: async (id) => {
      const moves = withSyncs(config.dataDir, (syncs) => syncs?.transitions(id) ?? []);
      const view = wholeSync(dir, record(id), moves);
      return shownSync(view, view.sandbox, view.before && planFiles(dir.sync(id)).before);
    },
    findings: async (id) => withPlan(dir, record(id), (plan) => plan.findings()) ?? [],
    planText: async (id, terminal) => withPlan(dir, record(id), (plan) => planText(plan, terminal)),
    plan: async (id, format) => {
      const { state, totals, reason } = record(id);
      if (totals === null) throw new UsageError(`sync ${id} is ${state} and has no plan to show: ${reason}`);
      return (async function* () {
        const plan = openPlanReader(planFiles(dir.sync(id)).plan);
        try {
          if (format === 'markdown') yield planMarkdown(plan);
          else yield* format === 'csv' ? planCsv(plan) : planJson(plan);
        } finally {
          plan.close();
        }
      })();
    },
  };
}
