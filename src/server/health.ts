import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { z } from 'zod';
import { IMPORT_STATES, isFinal } from '../membership/import-state.ts';
import { OUTCOMES } from '../membership/outcome.ts';
import type { Api, ServerContext } from './context.ts';
import { refusals } from './problem-schema.ts';
import { answersSoon } from './queues/queue-answer.ts';

const tags = ['service'];
const PUBLIC = { role: 'public' } as const;
const NOT_OVER = IMPORT_STATES.filter((state) => !isFinal(state));
/** Imports counted one by one, at most. */
const MOST_IMPORTS = 1_000;
/** `GET /healthz`: the process runs. `GET /readyz`: the queue answers. `GET /metrics`: for Prometheus. */
export function healthRoutes(app: Api, context: ServerContext): void {
  const { coordinator } = context;
  app.get(
    '/healthz',
    {
      config: PUBLIC,
      schema: {
        tags,
        summary: 'Whether the process runs',
        response: { 200: z.strictObject({ status: z.literal('ok') }) },
      },
    },
    async () => ({ status: 'ok' as const }),
  );
  app.get(
    '/readyz',
    {
      config: PUBLIC,
      schema: {
        tags,
        summary: 'Whether the queue answers',
        response: { 200: z.strictObject({ status: z.literal('ready') }), ...refusals('BUSY', 'STOPPING') },
      },
    },
    async () => {
      await answersSoon(coordinator.regions());
      return { status: 'ready' as const };
    },
  );
  const registry = metrics(app, context);
  app.get(
    '/metrics',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'Metrics for Prometheus',
        response: {
          200: { description: 'Metrics.', content: { 'text/plain': { schema: z.string() } } },
          ...refusals(),
        },
      },
    },
    async (_request, reply) => {
      reply.type(registry.contentType);
      return registry.metrics();
    },
  );
}

function metrics(app: Api, { coordinator, reading, events }: ServerContext): Registry {
  const registry = new Registry();
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
  const underWay = () => reading.page({ states: NOT_OVER, limit: MOST_IMPORTS }).imports;
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
        for (const [region, { rows }] of await reading.rowsOf(id).tallies()) {
          for (const outcome of OUTCOMES) {
            this.inc({ region, outcome: outcome === 'unprocessed' ? 'pending' : outcome }, rows[outcome]);
          }
        }
      }
    },
  });
  new Gauge({
    name: 'rollcall_backlog',
    help: "Batches in the region's queue by state",
    labelNames: ['region', 'state'],
    registers,
    async collect() {
      this.reset();
      for (const { region, waiting, delayed, active } of await answersSoon(coordinator.regions()).catch(() => [])) {
        for (const [state, n] of Object.entries({ waiting, delayed, active })) this.set({ region, state }, n);
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
  return registry;
}
