import { serviceOperations } from '../api/operations/service.ts';
import type { Night, NightResult, Overview } from '../api/overview.ts';
import type {
  ScheduleCatalogReader,
  ScheduleHealth,
  ScheduleRecord,
  ScheduleRun,
} from '../features/schedule/schedule-catalog.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import { type ImportState, needsPerson } from '../membership/import-state.ts';
import type { SyncState } from '../membership/sync-state.ts';
import type { Api, ServerContext } from './context.ts';
import { answersSoon } from './queue-answer.ts';
import { serve } from './serve.ts';

const SENDING: readonly ImportState[] = ['running', 'pausing', 'cancelling'];
/** Nothing happens to these until a person acts. */
const AT_REST: readonly ImportState[] = ['blocked', 'failed', 'paused', 'staged'];
const FINISHED: readonly ImportState[] = ['completed', 'cancelled', 'aborted', 'rejected'];
const SYNC_UNDER_WAY: readonly SyncState[] = ['planning', 'applying'];
/** Entries of each list, at most. */
const MAX_LISTED = 20;
/** Imports at rest that are looked at, newest first: those that need a person are counted among them. */
const MAX_AT_REST = 1_000;
/** Imports with rows that need attention that are counted, at most. */
const MAX_ATTENTION = 1_000;
const READY = 5;
const RECENT = 5;
const FAILING = 5;
const RECENT_MS = 14 * 24 * 60 * 60 * 1000;

/** `GET /v1/overview`: what runs, what waits for a person, the last night of each schedule, what keeps failing. */
export function overviewRoute(app: Api, context: ServerContext, schedules: ScheduleCatalogReader): void {
  const { reading, views, syncCatalog, syncViews } = context;

  serve(app, serviceOperations.overview, async (): Promise<Overview> => {
    const counts = reading.counts();
    const atRest = reading.page({ states: AT_REST, limit: MAX_AT_REST }).imports;
    const stuck = atRest.filter(needsDecision);
    const attention = reading.attention(MAX_ATTENTION);
    const ready = atRest.filter((record) => !needsDecision(record));
    const viewsOf = (records: readonly ImportRecord[]) => Promise.all(records.map(views.of));
    const syncsIn = (states: readonly SyncState[]) =>
      syncCatalog.page({ states, limit: MAX_LISTED }).syncs.map(syncViews.entry);
    const health = new Map(schedules.health().map((one) => [one.name, one]));
    const nights = schedules.list().map((schedule) => nightOf(context, schedules, schedule, health.get(schedule.name)));
    const read = views.beingRead().flatMap((id) => reading.find(id) ?? []);
    const [now, waiting, open, readyImports, recent] = await Promise.all([
      underWay(context, [...reading.page({ states: SENDING, limit: MAX_LISTED }).imports, ...read]),
      viewsOf(stuck.slice(0, MAX_LISTED)),
      viewsOf(attention.slice(0, MAX_LISTED)),
      viewsOf(ready.slice(0, READY)),
      viewsOf(reading.page({ states: FINISHED, limit: RECENT }).imports),
    ]);
    // A schedule that only plans asks each night for a decision; any other plan is there for the person who made it.
    const asked = new Set(nights.flatMap(({ run }) => (run?.sync?.state === 'planned' ? [run.sync.id] : [])));
    const planned = syncsIn(['planned']);
    const toApply = [...asked].flatMap((id) => syncCatalog.find(id) ?? []).map(syncViews.entry);
    return {
      imports: [...counts.values()].reduce((sum, one) => sum + one, 0),
      running: now,
      queued: Math.max(0, (counts.get('staging') ?? 0) - read.length),
      waiting,
      attention: open,
      recent,
      syncs: [...syncsIn(['held']), ...toApply]
        .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
        .slice(0, MAX_LISTED),
      ready: { imports: readyImports, syncs: planned.filter(({ id }) => !asked.has(id)).slice(0, READY) },
      syncsUnderWay: syncsIn(SYNC_UNDER_WAY),
      nights,
      failing: reading.recurringProblems(Date.now() - RECENT_MS, FAILING),
      needs: {
        imports: stuck.length + attention.length + now.filter(({ stoppedRegions }) => stoppedRegions.length > 0).length,
        syncs: (syncCatalog.count(['held']).get('held') ?? 0) + asked.size,
        schedules: nights.filter(({ paused, result }) => !paused && (result === 'failed' || result === 'missed'))
          .length,
      },
    };
  });
}

/** Whether it waits although a person wanted it sent: it was not paused, and it was not a dry run. */
function needsDecision({ state, code }: ImportRecord): boolean {
  return needsPerson(state) || (code !== null && code !== 'DRY_RUN');
}

async function underWay({ coordinator, running, log }: ServerContext, records: readonly ImportRecord[]) {
  if (records.length === 0) return [];
  const regions = await answersSoon(coordinator.regions()).catch((error: unknown) => {
    log.warn({ err: error }, 'the queue does not report its state');
    return [];
  });
  return Promise.all(records.map((record) => running.of(record, regions)));
}

function nightOf(
  { syncCatalog }: ServerContext,
  schedules: ScheduleCatalogReader,
  { name, paused, tz, nextDue }: ScheduleRecord,
  health: ScheduleHealth | undefined,
): Night {
  const [run] = schedules.runs(name, 1);
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
