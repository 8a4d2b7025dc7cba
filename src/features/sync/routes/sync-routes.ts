import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { attachment, sendFile } from '../../../server/http-answers.ts';
import { serveAll } from '../../../server/serve.ts';
import { syncOperations } from '../operations.ts';
import { planFiles } from '../plan/plan-files.ts';
import { hasBefore } from '../sync-views.ts';
import { syncHandlers } from './sync-handlers.ts';

const TYPES = { csv: 'text/csv', json: 'application/json', markdown: 'text/markdown', text: 'text/plain' } as const;

/** Syncs: the list, one, what can be done with it, the undo of an import, and what syncs have as files. */
export function syncRoutes(app: Api, context: ServerContext): void {
  const { syncs, dir } = context;

  pageRoute(app, '/syncs');
  pageRoute(app, '/ending');
  pageRoute(app, '/syncs/:id');
  pageRoute(app, '/syncs/new/columns');
  const handlers = syncHandlers(context);
  const send = (reply: FastifyReply, name: string, type: keyof typeof TYPES, bytes: Readable) =>
    sendFile(reply, { type: `${TYPES[type]}; charset=utf-8`, disposition: name, bytes });
  const ofSync = (id: string, tail: string) => attachment(syncs.find(id).file, `${id}-${tail}`);
  const streamed = (pieces: AsyncIterable<string | Uint8Array>) => Readable.from(pieces, { objectMode: false });
  serveAll(app, syncOperations, {
    ...handlers,
    plan: async (wanted, { reply }) => {
      const { id, format = 'csv' } = wanted;
      const bytes = streamed(await handlers.plan(wanted));
      return send(reply, ofSync(id, `plan.${format === 'markdown' ? 'md' : format}`), format, bytes);
    },
    members: async ({ name }, { reply }) =>
      send(reply, attachment(name, 'members.csv'), 'csv', streamed(await handlers.members({ name }))),
    before: async ({ id }, { reply }) => {
      if (!hasBefore(dir, syncs.find(id))) {
        throw new RollcallError('NOT_FOUND', {
          what: `sync ${id} was not carried out, or it takes nothing from anyone.`,
        });
      }
      return send(reply, ofSync(id, 'before.csv'), 'csv', createReadStream(planFiles(dir.sync(id)).before));
    },
  });
}
