import { eventOperations } from '../../api/events.ts';
import type { Api, ServerContext } from '../context.ts';
import { serveAll } from '../serve.ts';

/** `GET /v1/events`: server-sent events. */
export function eventRoutes(app: Api, { events, isStillAllowed }: ServerContext): void {
  serveAll(
    app,
    { lists: { ...eventOperations.lists, exposeHeadRoute: false } },
    {
      lists: async ({ id }, { request, reply }) => {
        // Proxies that collect answers before they pass them on would hold events back.
        reply.type('text/event-stream').header('cache-control', 'no-store').header('x-accel-buffering', 'no');
        return reply.send(await events.watch(id, () => isStillAllowed(request)));
      },
    },
  );
}
