import { z } from 'zod';
import { REGIONS } from '../membership/membership.ts';
import type { Api, ServerContext } from './context.ts';
import { cursorOption, limitOption, numberCursor } from './paging.ts';
import { refusals } from './problem-schema.ts';
import { answersSoon } from './queues/queue-answer.ts';

const count = z.int().nonnegative();
const tags = ['service'];

const regionStatus = z.strictObject({
  region: z.enum(REGIONS),
  waiting: count.meta({ description: 'Calls that wait for a worker.' }),
  delayed: count.meta({ description: 'Calls that wait for their next attempt.' }),
  active: count.meta({ description: 'Calls in flight.' }),
  stopped: z.boolean().meta({ description: "The service refused the region's key or plan." }),
  limitedForMs: count.meta({ description: 'Until the rate limit lets the next call start.' }),
  workers: count,
  key: z.string().nullable().meta({
    description: 'Fingerprint of the API key that this server uses; null where other processes make the calls.',
  }),
});

const settingsView = z.strictObject({
  version: z.string(),
  host: z.string(),
  sandbox: z.boolean(),
  queue: z.enum(['embedded', 'redis', 'postgres']),
  apps: z.partialRecord(z.enum(REGIONS), z.strictObject({ appId: z.string(), keySet: z.boolean() })),
  defaultRegion: z.enum(REGIONS),
  callsPerMinute: count,
  concurrency: count,
  keepDays: z.number().nullable(),
  maxUploadBytes: count,
  withWorkers: z.boolean(),
  notifyHost: z.string().nullable(),
});

/** How the server was started, what its regions do, and who did what. */
export function settingsRoutes(app: Api, { coordinator, settings, access }: ServerContext): void {
  app.get(
    '/v1/settings',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'How the server was started; no key, no password',
        response: { 200: settingsView, ...refusals() },
      },
    },
    async () => settings,
  );
  app.get(
    '/v1/regions',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'What the regions do that imports have used so far',
        response: { 200: z.strictObject({ regions: z.array(regionStatus) }), ...refusals() },
      },
    },
    async () => ({ regions: await answersSoon(coordinator.regions()) }),
  );
  app.get(
    '/v1/audit',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Who did what, newest first',
        querystring: z.strictObject({ limit: limitOption(100, 1_000), cursor: cursorOption.optional() }),
        response: {
          200: z.strictObject({
            entries: z.array(
              z.strictObject({
                at: z.iso.datetime(),
                who: z.string().meta({ description: 'Name of the token, or "local".' }),
                role: z.string().meta({ description: 'Empty if no one was identified.' }),
                action: z.string(),
                target: z.string(),
                detail: z.string().meta({ description: 'What was asked for, in short.' }),
                address: z.string().meta({ description: 'Where it came from; or "command line".' }),
              }),
            ),
            nextCursor: z.string().nullable(),
          }),
          ...refusals('BAD_OPTION', 'BAD_CURSOR'),
        },
      },
    },
    async ({ query: { limit, cursor } }) => {
      const found = access.audit(limit + 1, numberCursor(cursor));
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        entries: page.map(({ id: _, at, ...entry }) => ({ at: new Date(at).toISOString(), ...entry })),
        nextCursor: found.length > limit && last !== undefined ? String(last.id) : null,
      };
    },
  );
}
