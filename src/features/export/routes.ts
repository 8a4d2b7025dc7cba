import { Readable } from 'node:stream';
import type { HandlersOf } from '../../api/operation.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { Region } from '../../membership/membership.ts';
import { pageRoute } from '../../server/console-files.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { sendFile } from '../../server/http-answers.ts';
import { serveAll } from '../../server/serve.ts';
import { inShort } from '../../text/wording.ts';
import { exportText, listsOf } from './export-store.ts';
import { type ExportList, exportOperations } from './operations.ts';
import type { Exports } from './running-exports.ts';

export function exportRoutes(app: Api, { exports, settings }: ServerContext): void {
  app.addHook('preClose', () => exports.stop());
  pageRoute(app, '/exports');
  const handlers = exportHandlers(exports, settings.apps);
  serveAll(app, exportOperations, {
    ...handlers,
    download: async (wanted, { reply }) => {
      const { id, list, format = 'csv' } = wanted;
      const disposition = `attachment; filename="${id}-${list}.${format}"`;
      return sendFile(reply, format, disposition, await handlers.download(wanted));
    },
  });
}

/** Exports, in any process that reads them. @param apps by region */
export function exportHandlers(exports: Exports, apps: Readonly<Record<string, unknown>>) {
  const having = Object.keys(apps) as Region[];
  return {
    begin: async ({ groups, regions = having, users = false, groupsOnly = false, maxCalls }, { audited }) => {
      const without = regions.filter((region) => !having.includes(region));
      if (without.length > 0) {
        throw new RollcallError('REGION_WITHOUT_APP', { regions: without, possible: having });
      }
      if (users && groupsOnly) {
        const what = 'groupsOnly leaves users out, and users asks for them.';
        throw new RollcallError('BAD_OPTION', { what, field: 'groupsOnly' });
      }
      const wanted = { regions: [...regions], users, groupsOnly, ...(groups !== undefined && { groups }) };
      const id = exports.begin(wanted, maxCalls);
      audited(inShort({ regions: regions.join(','), users, groupsOnly, maxCalls }), id);
      return exports.view(id);
    },
    list: async () => ({ exports: exports.list() }),
    one: async ({ id }) => exports.view(id),
    resume: async ({ id, maxCalls }) => {
      if (exports.record(id).state === 'completed')
        throw new RollcallError('WRONG_STATE', { what: `export ${id} is completed`, remedy: 'download its lists' });
      exports.resume(id, maxCalls);
      return exports.view(id);
    },
    remove: async ({ id }) => exports.remove(id),
    download: async ({ id, list, format = 'csv' }): Promise<Readable> => {
      refuseDownload(id, list, exports.record(id));
      const reader = exports.open(id);
      const text = Readable.from(exportText(reader, list, format), { objectMode: false });
      return text.once('close', () => reader.close());
    },
  } satisfies HandlersOf<typeof exportOperations>;
}

/** @throws WRONG_STATE */
function refuseDownload(id: string, list: ExportList, { state, options }: ReturnType<Exports['record']>) {
  const lists = listsOf(options);
  if (!lists.includes(list)) {
    const remedy = 'ask for one of the lists in `possible`, or begin another export';
    throw new RollcallError('WRONG_STATE', { what: `export ${id} has no list of ${list}`, remedy, possible: lists });
  }
  if (state === 'completed' || state === 'incomplete') return;
  const remedy = state === 'running' ? 'wait until it is completed' : `continue it with POST /v1/exports/${id}/resume`;
  throw new RollcallError('WRONG_STATE', { what: `export ${id} is ${state}: what it has is not whole`, remedy });
}
