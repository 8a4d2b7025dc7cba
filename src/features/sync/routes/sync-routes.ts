import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { attachment } from '../../../server/http-answers.ts';
import { handled } from '../../../server/perform.ts';
import { serve, serveAll } from '../../../server/serve.ts';
import { syncOperations } from '../operations.ts';
import { planFiles } from '../plan/plan-files.ts';
import { hasBefore } from '../sync-views.ts';
import { syncHandlers } from './sync-handlers.ts';

const TYPES = { csv: 'text/csv', json: 'application/json', markdown: 'text/markdown', text: 'text/plain' } as const;

/** Syncs: the list, one, what can be done with it, the undo of an import, and what syncs have as files. */
export function syncRoutes(app: Api, context: ServerContext): void {
  const { syncs, dir } = context;

  pageRoute(app, '/syncs');
  pageRoute(app, '/syncs/:id');
  pageRoute(app, '/syncs/new/columns');
  const { plan: download, ...handlers } = syncHandlers(context);
  serveAll(app, handled(syncOperations, handlers));

  const send = (
    reply: FastifyReply,
    id: string,
    format: keyof typeof TYPES,
    part: 'plan' | 'before',
    bytes: Readable,
  ) => {
    reply.type(`${TYPES[format]}; charset=utf-8`);
    const name = `${id}-${part}.${format === 'markdown' ? 'md' : format}`;
    reply.header('content-disposition', attachment(syncs.find(id).file, name));
    // It holds people's ids: no cache on the way keeps it.
    reply.header('cache-control', 'private, no-cache').header('accept-ranges', 'none');
    return reply.send(bytes);
  };
  serve(app, syncOperations.plan, async ({ params: { id }, query }, reply) => {
    const plan = await download({ ...query, id });
    return send(reply, id, query.format ?? 'csv', 'plan', Readable.from(plan, { objectMode: false }));
  });
  serve(app, syncOperations.before, async ({ params: { id } }, reply) => {
    if (!hasBefore(dir, syncs.find(id))) {
      throw new RollcallError('NOT_FOUND', {
        what: `sync ${id} was not carried out, or it takes nothing from anyone.`,
      });
    }
    return send(reply, id, 'csv', 'before', createReadStream(planFiles(dir.sync(id)).before));
  });
}
