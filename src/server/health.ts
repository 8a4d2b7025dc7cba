import type { Registry } from 'prom-client';
import { z } from 'zod';
import { RollcallError } from '../errors/rollcall-error.ts';
import type { Api, ServerContext } from './context.ts';
import { answersSoon } from './http-answers.ts';
import { refusals } from './openapi.ts';

const tags = ['service'];
const PUBLIC = { role: 'public' } as const;

/** `GET /healthz`: the process runs. `GET /readyz`: the queue answers, and results in it are taken. `GET /metrics`: for Prometheus. */
export function healthRoutes(app: Api, { coordinator }: ServerContext, registry: Registry): void {
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
        summary: 'Whether the queue answers, and results that wait in it are taken',
        response: { 200: z.strictObject({ status: z.literal('ready') }), ...refusals('BUSY', 'STOPPING') },
      },
    },
    async () => {
      const [, areTaken] = await answersSoon(
        Promise.all([coordinator.regions.status(), coordinator.results.areTaken()]),
      );
      if (!areTaken) {
        throw new RollcallError('BUSY', {
          what: 'results wait in the queue, and none was taken for a minute',
          remedy: 'look at the log of the server for why, and restart it: results are kept in the queue',
        });
      }
      return { status: 'ready' as const };
    },
  );
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
