import type { FailedRun, Overview } from '../api/overview.ts';
import type { ScheduleRun } from '../features/schedule/operations.ts';
import type { Sync } from '../features/sync/kept-sync.ts';
import { entryOf } from '../features/sync/sync-views.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import { isOnlyRead } from '../imports/reason-codes.ts';
import { type ImportState, needsPerson } from '../membership/import-state.ts';
import type { SyncState } from '../membership/sync-state.ts';
import { asSentence, sumOf } from '../text/wording.ts';
import type { ServerContext } from './context.ts';

const SENDING: readonly ImportState[] = ['running', 'pausing', 'cancelling'];
/** Nothing happens to these until a person acts. */
const AT_REST: readonly ImportState[] = ['blocked', 'failed', 'paused', 'staged'];
const FINISHED: readonly ImportState[] = ['completed', 'cancelled', 'aborted', 'rejected'];
/** Entries of each list, at most. */
const MAX_LISTED = 20;
/** Imports at rest that are looked at, newest first: those that need a person are counted among them. */
const MAX_AT_REST = 1_000;
/** Imports with rows that need attention that are counted, at most. */
const MAX_ATTENTION = 1_000;
const READY = 5;
const RECENT = 10;

/** `GET /v1/overview`: what runs, what waits for a person. */
export async function overviewOf(context: ServerContext): Promise<Overview> {
  const { coordinator, reading, views, staging, running } = context;
  const counts = reading.counts();
  const strays = coordinator.strays();
  const atRest = reading.page({ state: AT_REST, limit: MAX_AT_REST }).imports;
  // A failed import is tried again by nobody else.
  const stuck = atRest
    .filter(needsDecision)
    .toSorted((one, other) => Number(other.state === 'failed') - Number(one.state === 'failed'));
  const attention = reading.attention(MAX_ATTENTION);
  const ready = atRest.filter((record) => !needsDecision(record));
  const viewsOf = (records: readonly ImportRecord[]) => Promise.all(records.map((record) => views.of(record)));
  const read = [...staging.keys()].flatMap((id) => reading.find(id) ?? []);
  const underWay = [...reading.page({ state: SENDING, limit: MAX_LISTED }).imports, ...read];
  const [now, waiting, open, readyImports, recent] = await Promise.all([
    running.askRegions().then(() => Promise.all(underWay.map(running.of))),
    viewsOf(stuck.slice(0, MAX_LISTED)),
    viewsOf(attention.slice(0, MAX_LISTED)),
    viewsOf(ready.slice(0, READY)),
    viewsOf(reading.page({ state: FINISHED, limit: RECENT }).imports),
  ]);
  const { toDecide, syncsUnderWay, planned, needs: waitingSyncs, schedules, failedRuns } = syncsAndRuns(context);
  return {
    imports: sumOf(counts.values()),
    running: now,
    queued: Math.max(0, (counts.get('staging') ?? 0) - read.length),
    waiting,
    attention: open,
    recent,
    ready: { imports: readyImports, syncs: planned },
    syncs: toDecide,
    syncsUnderWay,
    schedules,
    failedRuns,
    ...(strays.length > 0 && { unknownFolders: { count: strays.length, names: strays.slice(0, MAX_LISTED) } }),
    needs: {
      imports: stuck.length + attention.length + now.filter(({ stoppedRegions }) => stoppedRegions.length > 0).length,
      syncs: waitingSyncs,
      schedules: failedRuns.length,
    },
  };
}

/** A schedule that only plans asks each night for a decision; any other plan is there for the person who made it. */
function syncsAndRuns(context: ServerContext) {
  const { syncs, reading } = context;
  const { catalog: scheduled, runs } = context.schedules;
  const { catalog } = syncs;
  const entry = (sync: Sync) => entryOf(sync, syncs);
  const inState = (...states: readonly SyncState[]) =>
    catalog.page({ state: states, limit: MAX_LISTED }).syncs.map(entry);
  const schedules = scheduled.list();
  const lastRuns = schedules.flatMap(({ name, paused }) => scheduled.runs(name, 1).map((run) => ({ ...run, paused })));
  const health = new Map(scheduled.health().map(({ name, unsuccessful }) => [name, unsuccessful]));
  const asked = new Set(lastRuns.flatMap(({ sync }) => (sync?.state === 'planned' ? [sync.id] : [])));
  const toApply = [...asked].flatMap((id) => catalog.find(id) ?? []).map(entry);
  const toDecide = [...inState('held'), ...toApply].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  return {
    schedules: schedules.length,
    failedRuns: lastRuns
      .filter((run) => !run.paused && hasFailed(run) && reading.find(run.sync?.id ?? '')?.state !== 'cancelled')
      .map(
        ({ schedule, state, reason, sync }): FailedRun => ({
          schedule,
          state,
          reason,
          sync: sync?.id ?? null,
          unsuccessful: health.get(schedule) ?? 0,
          sentence: NOT_BEGUN[state] ?? asSentence(`the last run failed${reason === '' ? '' : `: ${reason}`}`),
          next: state in NOT_BEGUN && runs.underWay(schedule) === undefined ? [RUN_NOW] : [],
        }),
      ),
    toDecide: toDecide.slice(0, MAX_LISTED),
    planned: inState('planned')
      .filter(({ id }) => !asked.has(id))
      .slice(0, READY),
    syncsUnderWay: inState('planning', 'applying'),
    needs: (catalog.count(['held']).get('held') ?? 0) + asked.size,
  };
}

/** In all others a person decides, has decided or has ended it, or it is under way or done. */
const FAILURES: readonly SyncState[] = ['failed', 'stale', 'incomplete'];

/** Runs that did not happen: they can begin now, unless an earlier one goes on. */
const NOT_BEGUN: Partial<Record<ScheduleRun['state'], string>> = {
  'skipped-running': 'The last run was skipped: the one before was not over.',
  missed: 'The last run was missed: no server was running at its time.',
};
const RUN_NOW = { operation: 'run', name: 'Run now', why: 'To begin a run now' } as const;

function hasFailed({ state, sync }: ScheduleRun) {
  if (state === 'ran') return sync !== null && FAILURES.includes(sync.state);
  return state === 'failed' || state in NOT_BEGUN;
}

/** It waits although a person wanted it sent: it was not paused, and was not only to be read. */
function needsDecision({ state, code }: ImportRecord) {
  return needsPerson(state) || (code !== null && !isOnlyRead(code));
}
