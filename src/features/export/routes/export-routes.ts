import { startRetention } from '../../../imports/life/removal.ts';
import type { Region } from '../../../membership/membership.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { sendFile } from '../../../server/http-answers.ts';
import { serveAll } from '../../../server/serve.ts';
import { exportOperations } from '../operations.ts';
import { exportHandlers } from './export-handlers.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const;
const DAY_MS = 86_400_000;

/** Exports: who is in which group now, read within the budgets of the regions, kept until it is deleted. */
export function exportRoutes(app: Api, { exports, settings, log }: ServerContext): void {
  const retention =
    settings.keepDays === null
      ? undefined
      : startRetention({
          keepMs: settings.keepDays * DAY_MS,
          finishedBefore: (before) => exports.finishedBefore(before),
          remove: (id) => exports.remove(id),
          onError: (err) => log.warn({ err }, 'an old export cannot be removed'),
        });
  app.addHook('preClose', async () => {
    await retention?.stop();
    await exports.stop();
  });

  pageRoute(app, '/exports');

  const handlers = exportHandlers(exports, Object.keys(settings.apps) as Region[]);
  serveAll(app, exportOperations, {
    ...handlers,
    download: async (wanted, { reply }) => {
      const { id, list, format = 'csv' } = wanted;
      const disposition = `attachment; filename="${id}-${list}.${format}"`;
      return sendFile(reply, { type: TYPES[format], disposition, bytes: await handlers.download(wanted) });
    },
  });
}
