import type { Night, NightResult, Overview } from '../../../api/overview.ts';
import type { SyncState } from '../../../membership/sync-state.ts';
import type { ServerContext } from '../../../server/context.ts';
import { MAX_LISTED } from '../../../server/overview.ts';
import type { ScheduleCatalogReader, ScheduleHealth, ScheduleRecord, ScheduleRun } from '../schedule-catalog.ts';

/** The last run of each schedule. A schedule that only plans asks each night for a decision; any other plan is there for the person who made it. */
export function withNights(context: ServerContext, catalog: ScheduleCatalogReader, before: Overview): Overview {
  const { syncCatalog, syncViews } = context;
  const health = new Map(catalog.health().map((one) => [one.name, one]));
  const nights = catalog.list().map((schedule) => nightOf(context, catalog, schedule, health.get(schedule.name)));
  const asked = new Set(nights.flatMap(({ run }) => (run?.sync?.state === 'planned' ? [run.sync.id] : [])));
  const toApply = [...asked].flatMap((id) => syncCatalog.find(id) ?? []).map(syncViews.entry);
  return {
    ...before,
    nights,
    syncs: [...before.syncs, ...toApply].sort((a, b) => b.createdAt.localeCompare(a.createdAt)).slice(0, MAX_LISTED),
    ready: { ...before.ready, syncs: before.ready.syncs.filter(({ id }) => !asked.has(id)) },
    needs: {
      ...before.needs,
      syncs: before.needs.syncs + asked.size,
      schedules: nights.filter(({ paused, result }) => !paused && (result === 'failed' || result === 'missed')).length,
    },
  };
}

function nightOf(
  { syncCatalog }: ServerContext,
  catalog: ScheduleCatalogReader,
  { name, paused, tz, nextDue }: ScheduleRecord,
  health: ScheduleHealth | undefined,
): Night {
  const [run] = catalog.runs(name, 1);
  const sync = run?.syncId == null ? undefined : syncCatalog.find(run.syncId);
  const { success = null, unsuccessful = 0 } = health ?? {};
  return {
    name,
    paused,
    tz,
    next: paused ? null : iso(nextDue),
    result: resultOf(run, sync?.state),
    run:
      run === undefined
        ? null
        : {
            at: iso(run.at),
            state: run.state,
            reason: run.reason,
            sync: sync ? { id: sync.id, state: sync.state } : null,
          },
    lastSuccess: success === null ? null : iso(success),
    unsuccessful,
  };
}

/** The result of a run, in one word. A person may have decided about its sync since. */
function resultOf(run: ScheduleRun | undefined, sync: SyncState | undefined): NightResult {
  if (run === undefined) return 'none';
  switch (run.state) {
    case 'skipped-unchanged':
      return 'ok';
    case 'skipped-running':
    case 'missed':
      return 'missed';
    case 'failed':
      return 'failed';
    case 'running':
      return 'running';
    case 'waiting':
      return 'waits';
    case 'ran':
      if (sync === 'held' || sync === 'planned') return 'waits';
      if (sync === 'planning' || sync === 'applying') return 'running';
      if (sync === 'rejected') return 'rejected';
      return sync === undefined || sync === 'applied' || sync === 'unchanged' ? 'ok' : 'failed';
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
