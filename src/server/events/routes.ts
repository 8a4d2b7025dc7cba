import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { eventOperations } from '../../api/operations/import-operations.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { Api, ServerContext } from '../context.ts';
import { serveAll } from '../serve.ts';
import type { Watcher } from './channel.ts';

/** `GET /v1/imports/:id/events` and `GET /v1/events`: server-sent events. */
export function eventRoutes(app: Api, { coordinator, events, isStillAllowed }: ServerContext): void {
  const headers = z.object({ 'last-event-id': z.string().optional() });
  const group = {
    one: { ...eventOperations.one, exposeHeadRoute: false, headers },
    lists: { ...eventOperations.lists, exposeHeadRoute: false },
  };
  serveAll(app, group, {
    one: async ({ id }, { request, reply }) => {
      const record = coordinator.find(id);
      const since = lastEvent(request.headers['last-event-id']);
      await events.watchImport(record, since, watcherOf(request, reply, isStillAllowed));
      return reply;
    },
    lists: async (_, { request, reply }) => {
      await events.watchList(watcherOf(request, reply, isStillAllowed));
      return reply;
    },
  });
}

function lastEvent(text: string | string[] | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,15}$/.test(String(text))) return Number(text);
  const what = `Last-Event-ID is ${JSON.stringify(text)}; it must be the id of an event of this server`;
  throw new RollcallError('BAD_OPTION', { what, field: 'Last-Event-ID' });
}

/** Takes the response over from the framework: events are written to the socket as they are. */
function watcherOf(
  request: FastifyRequest,
  reply: FastifyReply,
  isStillAllowed: ServerContext['isStillAllowed'],
): Watcher {
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    // Proxies that collect answers before they pass them on would hold events back.
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  response.on('error', () => {});
  return { response, isStillAllowed: () => isStillAllowed(request) };
}
