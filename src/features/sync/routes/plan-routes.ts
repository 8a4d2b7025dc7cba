import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Api, ServerContext } from '../../../server/context.ts';
import { attachment } from '../../../server/http-answers.ts';
import { Problem } from '../../../server/problem.ts';
import { serve } from '../../../server/serve.ts';
import { syncOperations } from '../operations.ts';
import { planBytes } from '../plan/plan-download.ts';
import { planFiles } from '../plan/plan-files.ts';
import { hasBefore } from '../sync-views.ts';
import { planHandlers } from './plan-handlers.ts';

const TYPES = { csv: 'text/csv', json: 'application/json', markdown: 'text/markdown', text: 'text/plain' } as const;

/** Serves what syncs have as files: the plan, and who was in its groups before. */
export function planRoutes(app: Api, { syncs, dir }: ServerContext): void {
  const { plan: download } = planHandlers({ find: (id) => syncs.find(id), dir, pieces: planBytes });

  serve(app, syncOperations.plan, async ({ params: { id }, query }, reply) => {
    const plan = await download({ ...query, id });
    const { format = 'csv' } = query;
    reply.type(`${TYPES[format]}; charset=utf-8`);
    reply.header(
      'content-disposition',
      attachment(syncs.find(id).file, `${id}-plan.${format === 'markdown' ? 'md' : format}`),
    );
    // A plan holds people's ids: no cache on the way keeps it.
    reply.header('cache-control', 'private, no-cache').header('accept-ranges', 'none');
    return reply.send(Readable.from(plan, { objectMode: false }));
  });

  serve(app, syncOperations.before, async ({ params: { id } }, reply) => {
    const record = syncs.find(id);
    if (!hasBefore(dir, record)) {
      throw new Problem('NOT_FOUND', `Sync ${id} was not carried out, or it takes nothing from anyone.`);
    }
    reply.type('text/csv; charset=utf-8');
    reply.header('content-disposition', attachment(record.file, `${id}-before.csv`));
    reply.header('cache-control', 'private, no-cache').header('accept-ranges', 'none');
    return reply.send(createReadStream(planFiles(dir.sync(id)).before));
  });
}
