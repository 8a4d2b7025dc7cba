import { regionsAnswer } from '../api/regions.ts';
import { auditPage, auditQuery, settingsAnswer } from '../api/service.ts';
import { LIMITS } from '../syncs/guard-limits.ts';
import type { Api, ServerContext } from './context.ts';
import { numberCursor } from './paging.ts';
import { refusals } from './problem-schema.ts';
import { answersSoon } from './queue-answer.ts';
import type { Notifications } from './webhook/notifications.ts';

const tags = ['service'];

/** How the server was started, what its regions do, and who did what. */
export function settingsRoutes(
  app: Api,
  { coordinator, settings, access }: ServerContext,
  notifications: Pick<Notifications, 'view'>,
): void {
  app.get(
    '/v1/settings',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'How the server was started; no key, no password',
        response: { 200: settingsAnswer, ...refusals() },
      },
    },
    async () => ({
      ...settings,
      notifyHost: notifications.view().host,
      guardLimits: Object.entries(LIMITS).map(([name, limit]) => ({ name, ...limit })),
    }),
  );
  app.get(
    '/v1/regions',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'What the regions do that imports have used so far',
        response: { 200: regionsAnswer, ...refusals() },
      },
    },
    async () => {
      const [regions, queues] = await answersSoon(Promise.all([coordinator.regions(), coordinator.lookAtQueues()]));
      return {
        regions: regions.map((status) => {
          const { nextAddedAt, stalled = 0 } = queues.get(status.region) ?? {};
          return {
            ...status,
            waitingSince: nextAddedAt === undefined ? null : new Date(nextAddedAt).toISOString(),
            stalled,
          };
        }),
      };
    },
  );
  app.get(
    '/v1/audit',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Who did what, newest first',
        querystring: auditQuery,
        response: { 200: auditPage, ...refusals('BAD_OPTION', 'BAD_CURSOR') },
      },
    },
    async ({ query: { limit, cursor, from, to, ...filter } }) => {
      const found = access.audit({
        ...{ limit: limit + 1, before: numberCursor(cursor), since: from, until: to },
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
  );
}
