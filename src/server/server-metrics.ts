import { Counter, collectDefaultMetrics, type Registry } from 'prom-client';
import { readGauge, regionGauges } from '../app/call-metrics.ts';
import type { ScheduleCatalogReader, ScheduleHealth } from '../features/schedule/schedule-catalog.ts';
import type { SyncCatalogReader } from '../features/sync/sync-catalog.ts';
import { rowsOf } from '../imports/record/counters.ts';
import { IMPORT_STATES, isFinal } from '../membership/import-state.ts';
import { OUTCOMES } from '../membership/outcome.ts';
import { isFinalSync, SYNC_STATES } from '../membership/sync-state.ts';
import { busyIn, isLedgerError } from '../platform/database-errors.ts';
import type { Api, ServerContext } from './context.ts';
import { answersSoon } from './http-answers.ts';

const NOT_OVER = IMPORT_STATES.filter((state) => !isFinal(state));
/** Imports whose rows are counted, at most. */
const MAX_IMPORTS = 1_000;

export function serverMetrics(app: Api, context: ServerContext, registry: Registry) {
  const { coordinator, reading, events, syncs, schedules } = context;
  collectDefaultMetrics({ register: registry });
  syncMetrics(syncs.catalog, registry);
  scheduleMetrics(schedules.catalog, registry);
  const requests = new Counter({
    name: 'rollcall_http_requests_total',
    help: 'Requests by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode }) => {
    requests.inc({ method, route: routeOptions.url ?? 'unknown', status: statusCode });
  });
  /** A ledger that cannot be read must not hide the other metrics. */
  const countersOf = (id: string) =>
    reading
      .rowsOf(id)
      .counters()
      .catch((error: unknown) => {
        if (isLedgerError(error) || busyIn(error) !== undefined) return new Map();
        throw error;
      });
  readGauge(registry, 'rollcall_imports', 'Imports that are not over, by state', ['state'], () => {
    const counts = reading.counts();
    return NOT_OVER.map((state) => [{ state }, counts.get(state) ?? 0] as const);
  });
  readGauge(
    registry,
    'rollcall_rows',
    'Rows of imports that are not over, by region and outcome; pending rows have none yet',
    ['region', 'outcome'],
    async () => {
      const values: [{ readonly region: string; readonly outcome: string }, number][] = [];
      // One after the other: a queue of questions has an end.
      for (const { id } of reading.page({ state: NOT_OVER, limit: MAX_IMPORTS }).imports) {
        if (!reading.hasRows(id)) continue;
        for (const [region, counts] of await countersOf(id)) {
          const rows = rowsOf([counts]);
          for (const one of OUTCOMES) {
            values.push([{ region, outcome: one === 'unprocessed' ? 'pending' : one }, rows[one]]);
          }
        }
      }
      return values;
    },
  );
  readGauge(registry, 'rollcall_event_streams', 'Browsers and programs that follow imports', [], () => [
    [{}, events.watchers()],
  ]);
  stagedRows(coordinator, registry);
  regionMetrics(coordinator, registry);
}

/** Rows that were read. While an import is being staged, this shows that it makes progress. */
function stagedRows({ events }: ServerContext['coordinator'], registry: Registry) {
  const staged = new Counter({
    name: 'rollcall_staged_rows_total',
    help: 'Rows read from files',
    registers: [registry],
  });
  const known = new Map<string, number>();
  events.on('staging', (id, { rows }) => {
    staged.inc(Math.max(0, rows - (known.get(id) ?? 0)));
    known.set(id, rows);
  });
  events.on('state', ({ id, state }) => {
    if (state !== 'staging') known.delete(id);
  });
}

function regionMetrics({ regions }: ServerContext['coordinator'], registry: Registry) {
  const { gauge, gauges } = regionGauges(registry, async () => {
    const known = await answersSoon(regions.status()).catch(() => []);
    return known.map((one) => ({ ...one, atOnce: one.pace.atOnce, isAway: one.circuit.state !== 'closed' }));
  });
  gauge('rollcall_workers', 'Processes that send the calls of the region', ({ workers }) => workers);
  gauges(
    'rollcall_limited_by',
    '1 for the reason why the region sends no faster: nothing, rate, concurrency, group or service',
    ['by'],
    ({ pace: { limitedBy: by } }) => (by === null ? [] : [[{ by }, 1]]),
  );
}

const SYNCS_NOT_OVER = SYNC_STATES.filter((state) => !isFinalSync(state));

function syncMetrics(syncs: Pick<SyncCatalogReader, 'count'>, registry: Registry) {
  const help = 'Syncs that are not over, by state; held ones wait for a person';
  readGauge(registry, 'rollcall_syncs', help, ['state'], () => {
    const counts = syncs.count(SYNCS_NOT_OVER);
    return SYNCS_NOT_OVER.map((state) => [{ state }, counts.get(state) ?? 0] as const);
  });
}

function scheduleMetrics(schedules: Pick<ScheduleCatalogReader, 'health'>, registry: Registry) {
  const gauge = (name: string, help: string, read: (schedule: ScheduleHealth) => number | null) =>
    readGauge(registry, name, help, ['schedule'], () =>
      schedules.health().map((one) => [{ schedule: one.name }, read(one)] as const),
    );
  gauge(
    'rollcall_schedule_last_success_timestamp_seconds',
    'When the last successful run ended, after which every member was in place; absent when there was none',
    ({ success }) => success && success / 1000,
  );
  gauge(
    'rollcall_schedule_unsuccessful_runs',
    'Runs since the last success that failed, were missed, or wait for a person',
    ({ unsuccessful }) => unsuccessful,
  );
  gauge(
    'rollcall_schedule_next_run_timestamp_seconds',
    'When the schedule runs next; absent while it is paused',
    ({ nextDue }) => nextDue && nextDue / 1000,
  );
  gauge('rollcall_schedule_paused', '1 while the schedule is paused', ({ nextDue }) => Number(nextDue === null));
}
