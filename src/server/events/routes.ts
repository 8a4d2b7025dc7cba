import type { FastifyReply, FastifyRequest } from 'fastify';
import { eventOperations } from '../../api/operations/import-operations.ts';
import type { Api, ServerContext } from '../context.ts';
import { serveAll } from '../serve.ts';
import type { Watcher } from './list-channel.ts';

/** `GET /v1/events`: server-sent events. */
export function eventRoutes(app: Api, { events, isStillAllowed }: ServerContext): void {
  serveAll(
    app,
    { lists: { ...eventOperations.lists, exposeHeadRoute: false } },
    {
      lists: async (_, { request, reply }) => {
        await events.watchList(watcherOf(request, reply, isStillAllowed));
        return reply;
      },
    },
  );
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
