import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { RegionStatus } from '../api/region-status.ts';
import { AWAY, BUDGET, backlogGauge, LIMITED, regionGauge, STOPPED } from '../app/call-metrics.ts';
import type { Counters } from '../imports/record/import-ledger.ts';
import { IMPORT_STATES, isFinal } from '../membership/import-state.ts';
import { OUTCOMES } from '../membership/outcome.ts';
import { busyIn } from '../platform/database-busy.ts';
import { LedgerError } from '../platform/sqlite.ts';
import type { Api, ServerContext } from './context.ts';
import { answersSoon } from './http-answers.ts';

const NOT_OVER = IMPORT_STATES.filter((state) => !isFinal(state));
/** Imports counted one by one, at most. */
const MAX_IMPORTS = 1_000;

/** Metrics of requests, imports and regions. */
export function serverMetrics(app: Api, { coordinator, reading, events }: ServerContext, registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Counter({
    name: 'rollcall_http_requests_total',
    help: 'Requests by route and status',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode }) => {
    requests.inc({ method, route: routeOptions.url ?? 'unknown', status: statusCode });
  });
  /** A ledger that cannot be read must not hide the other metrics. */
  const countersOf = (id: string): Promise<Counters> =>
    reading
      .rowsOf(id)
      .counters()
      .catch((error: unknown) => {
        if (error instanceof LedgerError || busyIn(error) !== undefined) return new Map();
        throw error;
      });
  const underWay = () => reading.page({ state: NOT_OVER, limit: MAX_IMPORTS }).imports;
  new Gauge({
    name: 'rollcall_imports',
    help: 'Imports that are not over, by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      for (const state of NOT_OVER) this.set({ state }, 0);
      for (const { state } of underWay()) this.inc({ state });
    },
  });
  new Gauge({
    name: 'rollcall_rows',
    help: 'Rows of imports that are not over, by region and outcome; pending rows have none yet',
    labelNames: ['region', 'outcome'],
    registers,
    async collect() {
      this.reset();
      for (const { id } of underWay()) {
        if (!reading.hasRows(id)) continue;
        for (const [region, { rows }] of await countersOf(id)) {
          for (const outcome of OUTCOMES) {
            this.inc({ region, outcome: outcome === 'unprocessed' ? 'pending' : outcome }, rows[outcome]);
          }
        }
      }
    },
  });
  new Gauge({
    name: 'rollcall_event_streams',
    help: 'Browsers and programs that follow imports',
    registers,
    collect() {
      this.set(events.watchers());
    },
  });
  stagedRows(coordinator, registry);
  regionMetrics(coordinator, registry);
}

/** Rows that were read. While an import is being staged, this shows that it makes progress. */
function stagedRows({ events }: ServerContext['coordinator'], registry: Registry): void {
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

function regionMetrics(coordinator: ServerContext['coordinator'], registry: Registry): void {
  let asked: Promise<RegionStatus[]> | undefined;
  /** All gauges are collected at the same time: the regions are asked once for them. */
  const regions = (): Promise<RegionStatus[]> => {
    asked ??= answersSoon(coordinator.regions())
      .catch(() => [])
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
  const gauge = (name: string, help: string, read: (region: RegionStatus) => number | null) =>
    regionGauge(registry, name, help, async () =>
      (await regions()).map((one) => ({ region: one.region, value: read(one) })),
    );
  gauge('rollcall_limited_seconds', LIMITED, ({ limitedForMs }) => limitedForMs / 1000);
  gauge('rollcall_calls_per_minute', BUDGET, ({ callsPerMinute }) => callsPerMinute);
  gauge('rollcall_region_stopped', STOPPED, ({ stopped }) => Number(stopped));
  gauge('rollcall_service_away', AWAY, ({ circuit }) => Number(circuit.state !== 'closed'));
  gauge('rollcall_workers', 'Processes that send the calls of the region', ({ workers }) => workers);
  backlogGauge(registry, regions);
}
