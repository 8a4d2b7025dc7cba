import { startRetention } from '../../../imports/life/removal.ts';
import type { Region } from '../../../membership/membership.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { handled } from '../../../server/perform.ts';
import { serve, serveAll } from '../../../server/serve.ts';
import { exportOperations } from '../operations.ts';
import { createExports } from '../running-exports.ts';
import { exportHandlers, viewsOf } from './export-handlers.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const;
const DAY_MS = 86_400_000;

/** Exports: who is in which group now, read within the budgets of the regions, kept until it is deleted. */
export function exportRoutes(app: Api, { coordinator, dir, settings, log }: ServerContext): void {
  const exports = createExports({
    dir,
    pages: (...which) => coordinator.pages(...which),
    ...coordinator.sendsTo,
    onError: (id, err) => log.error({ err, export: id }, 'the export failed'),
  });
  const unread = (err: unknown) => log.error({ err }, 'an export cannot be read');
  const { readable } = viewsOf(exports, dir, unread);
  const isOver = (before: number) => (id: string) => {
    const record = readable(() => exports.read(id, (reader) => reader.record()));
    const finishedAt = record?.finishedAt ?? null;
    return !exports.isUnderWay(id) && finishedAt !== null && finishedAt < before;
  };
  const retention =
    settings.keepDays === null
      ? undefined
      : startRetention({
          keepMs: settings.keepDays * DAY_MS,
          finishedBefore: (before) => exports.ids().filter(isOver(before)),
          remove: exports.remove,
          onError: (err) => log.warn({ err }, 'an old export cannot be removed'),
        });
  app.addHook('preClose', async () => {
    await retention?.stop();
    await exports.stop();
  });
  const having = Object.keys(settings.apps) as Region[];

  pageRoute(app, '/exports');

  const { download, ...handlers } = exportHandlers({ exports, dir, having, unread });
  serveAll(app, handled(exportOperations, handlers));

  serve(app, exportOperations.download, async ({ params: { id, list }, query: { format = 'csv' } }, reply) => {
    const bytes = await download({ id, list, format });
    reply.type(TYPES[format]);
    reply.header('content-disposition', `attachment; filename="${id}-${list}.${format}"`);
    // It holds people's names: no cache on the way keeps it.
    reply.header('cache-control', 'private, no-cache').header('accept-ranges', 'none');
    return reply.send(bytes);
  });
}
