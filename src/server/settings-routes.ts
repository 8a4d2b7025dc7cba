import { basename } from 'node:path';
import { serviceOperations } from '../api/service.ts';
import { LIMITS } from '../features/sync/guard-limits.ts';
import { numberCursor } from '../platform/cursors.ts';
import { addressName, sourceName } from '../text/address-text.ts';
import type { Api, ServerContext } from './context.ts';
import { regionHandlers } from './import-handlers.ts';
import { overviewOf } from './overview.ts';
import { serveAll } from './serve.ts';

/** Serves the server's settings, its regions, the overview, and the audit log. */
export function settingsRoutes(app: Api, context: ServerContext): void {
  const { coordinator, settings, access, notifications } = context;
  serveAll(app, serviceOperations, {
    ...regionHandlers(coordinator),
    overview: () => overviewOf(context),
    settings: async () => {
      const { host: notifyHost } = notifications.view();
      const guardLimits = Object.entries(LIMITS).map(([name, limit]) => ({ name, ...limit }));
      return { ...settings, namedSources: reachedBy(context), notifyHost, guardLimits };
    },
    audit: async ({ limit, cursor, from, to, ...filter }) => {
      const found = access.audit({
        limit: limit + 1,
        before: numberCursor(cursor),
        since: from,
        until: to,
        search: filter.search || undefined,
        who: filter.who || undefined,
        action: filter.action || undefined,
      });
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        entries: page.map(({ id: _, at, ...entry }) => ({ at: new Date(at).toISOString(), ...entry })),
        nextCursor: found.length > limit && last !== undefined ? String(last.id) : null,
      };
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
