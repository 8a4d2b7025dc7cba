import { basename } from 'node:path';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { fileOf, operationsOf } from '../api/operation.ts';
import { overviewOperations } from '../api/overview.ts';
import { eventOperations, serviceOperations } from '../api/service.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { LIMITS } from '../features/sync/guard-limits.ts';
import { numberCursor, pageOf } from '../platform/cursors.ts';
import { addressName, sourceName } from '../text/address-text.ts';
import { isoTime } from '../text/wording.ts';
import type { WhoIs } from './access/guard.ts';
import type { Api, ServerContext } from './context.ts';
import { answersSoon } from './http-answers.ts';
import { regionHandlers } from './import-handlers.ts';
import { overviewOf } from './overview.ts';
import { serveAll } from './serve.ts';

export function settingsRoutes(app: Api, context: ServerContext) {
  const { coordinator, settings, access, notifications } = context;
  serveAll(app, overviewOperations, { overview: () => overviewOf(context) });
  serveAll(app, serviceOperations, {
    ...regionHandlers(coordinator),
    settings: async () => {
      const { host: notifyHost } = notifications.view();
      return { ...settings, namedSources: reachedBy(context), notifyHost, guardLimits: LIMITS };
    },
    audit: async ({ limit, cursor, ...filter }) => {
      const found = access.audit({ ...filter, limit: limit + 1, before: numberCursor(cursor) });
      const { items, nextCursor } = pageOf(found, limit, ({ id }) => String(id));
      return { entries: items.map(({ id: _, at, ...entry }) => ({ at: isoTime(at), ...entry })), nextCursor };
    },
  });
}

/** Returns what the allowed named sources reach, by name. */
function reachedBy({ settings: { sources }, fetching: { named } }: ServerContext) {
  const names = new Set(sources.flatMap((place) => sourceName(place) ?? []));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const source = named[name];
      if (source === undefined) return [];
      const { url, table, query } = source;
      const what = table === undefined ? (query === undefined ? '' : `, ${basename(query)}`) : `, table ${table}`;
      return [[name, `${addressName(url)}${what}`]];
    }),
  );
}

const operation = operationsOf('service');

/** `GET /healthz`: the process runs. `GET /readyz`: the queue answers, and results in it are taken. `GET /metrics`: for Prometheus. */
const healthOperations = {
  health: operation('GET /healthz', 'public', {
    summary: 'Whether the process runs',
    answer: z.strictObject({ status: z.literal('ok') }),
  }),
  ready: operation('GET /readyz', 'public', {
    summary: 'Whether the queue answers, and results that wait in it are taken',
    answer: z.strictObject({ status: z.literal('ready') }),
  }),
  metrics: operation('GET /metrics', 'viewer', {
    summary: 'Metrics for Prometheus',
    answer: fileOf('Metrics.', 'text/plain'),
  }),
};

export function healthRoutes(app: Api, { coordinator }: ServerContext, registry: Registry) {
  serveAll(app, healthOperations, {
    health: async () => ({ status: 'ok' as const }),
    ready: async () => {
      const [, areTaken] = await answersSoon(
        Promise.all([coordinator.regions.status(), coordinator.results.areTaken()]),
      );
      if (areTaken) return { status: 'ready' as const };
      throw new RollcallError('BUSY', {
        what: 'results wait in the queue, and none was taken for a minute',
        remedy: 'look at the log of the server for why, and restart it: results are kept in the queue',
      });
    },
    metrics: async (_, { reply }) => reply.type(registry.contentType).send(await registry.metrics()),
  });
}

export function eventRoutes(app: Api, { events }: ServerContext, whoIs: WhoIs) {
  serveAll(
    app,
    { lists: { ...eventOperations.lists, exposeHeadRoute: false } },
    {
      lists: async ({ id }, { request, reply }) => {
        // Proxies that collect answers before they pass them on would hold events back.
        reply.type('text/event-stream').header('cache-control', 'no-store').header('x-accel-buffering', 'no');
        return reply.send(await events.watch(id, () => whoIs(request) !== undefined));
      },
    },
  );
}
