import { statSync } from 'node:fs';
import { startRetention } from '../../imports/life/removal.ts';
import type { Region } from '../../membership/membership.ts';
import { quietly } from '../../platform/quietly.ts';
import { LedgerError } from '../../platform/sqlite.ts';
import { pageRoute } from '../../server/console-files.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { Problem } from '../../server/problem.ts';
import { serve } from '../../server/serve.ts';
import { inShort } from '../../text/wording.ts';
import type { ExportView } from './api.ts';
import { type ExportList, exportBytes, listsOf } from './export-files.ts';
import { type ExportReader, UnknownExport } from './export-store.ts';
import { exportView } from './export-view.ts';
import { exportOperations } from './operations.ts';
import { createExports, type Exports } from './running-exports.ts';

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
  const { readable, viewOf } = viewsOf(exports, dir, log);
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

  serve(app, exportOperations.begin, async ({ body }, reply, audited) => {
    const { groups, regions = having, users = false, groupsOnly = false, maxCalls } = body;
    const without = regions.filter((region) => !having.includes(region));
    if (without.length > 0) {
      throw new Problem('REGION_WITHOUT_APP', `Region ${without.join(', ')} has no app on this server.`);
    }
    if (users && groupsOnly) {
      const field = 'groupsOnly';
      throw new Problem('BAD_OPTION', 'groupsOnly leaves users out, and users asks for them.', { field });
    }
    const id = exports.begin({ regions, users, groupsOnly, ...(groups !== undefined && { groups }) }, maxCalls);
    audited(inShort({ regions: regions.join(','), users, groupsOnly }), id);
    reply.header('location', `/v1/exports/${id}`);
    return viewOf(id);
  });

  serve(app, exportOperations.list, async () => ({
    exports: exports.ids().flatMap((id) => readable(() => viewOf(id)) ?? []),
  }));

  serve(app, exportOperations.one, async ({ params: { id } }) => viewOf(id));

  serve(app, exportOperations.resume, async ({ params: { id }, query: { maxCalls } }) => {
    const { state } = exports.read(id, (reader) => reader.record());
    if (state === 'completed')
      throw new Problem('WRONG_STATE', `Export ${id} is completed.`, { remedy: 'Download its lists.' });
    exports.resume(id, maxCalls);
    return viewOf(id);
  });

  serve(app, exportOperations.remove, async ({ params: { id } }) => exports.remove(id));

  serve(app, exportOperations.download, async ({ params: { id, list }, query: { format = 'csv' } }, reply) => {
    refuseDownload(
      id,
      list,
      exports.read(id, (reader) => reader.record()),
    );
    const reader = exports.open(id);
    const bytes = exportBytes(reader, list, format).once('close', () => reader.close());
    reply.type(TYPES[format]);
    reply.header('content-disposition', `attachment; filename="${id}-${list}.${format}"`);
    // It holds people's names: no cache on the way keeps it.
    reply.header('cache-control', 'private, no-cache').header('accept-ranges', 'none');
    return reply.send(bytes);
  });
}

/** @throws Problem WRONG_STATE */
function refuseDownload(id: string, list: ExportList, { state, options }: ReturnType<ExportReader['record']>): void {
  const lists = listsOf(options);
  if (!lists.includes(list)) {
    const remedy = 'Ask for one of the lists in `possible`, or begin another export.';
    throw new Problem('WRONG_STATE', `Export ${id} has no list of ${list}.`, { remedy, possible: lists });
  }
  if (state === 'completed' || state === 'incomplete') return;
  const remedy =
    state === 'running' ? 'Wait until it is completed.' : `Continue it with POST /v1/exports/${id}/resume.`;
  throw new Problem('WRONG_STATE', `Export ${id} is ${state}: what it has is not whole.`, { remedy });
}

/** Reads exports, of which some may be damaged. */
function viewsOf(exports: Exports, dir: ServerContext['dir'], log: ServerContext['log']) {
  const unread = quietly((err) => log.error({ err }, 'an export cannot be read'));
  /** Undefined for an export that cannot be read, which must not hide the others, and for one that was just deleted. */
  const readable = <Result>(read: () => Result): Result | undefined => {
    try {
      return read();
    } catch (error) {
      if (error instanceof LedgerError) unread(error);
      else if (!(error instanceof UnknownExport)) throw error;
      return undefined;
    }
  };
  const viewOf = (id: string): ExportView => {
    try {
      return exports.read(id, (reader) => exportView(id, reader, exports.isUnderWay(id), exports.progress(id)));
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      unread(error);
      return unreadableView(id, UNREADABLE[error.code], dir.export(id));
    }
  };
  return { readable, viewOf };
}

/** Reasons why an export is not shown. The log names the file. */
const UNREADABLE: Readonly<Record<LedgerError['code'], string>> = {
  DAMAGED_LEDGER: 'its file is damaged: delete the export, and begin another',
  LEDGER_MISSING: 'its file is not there: delete the export, and begin another',
  UNKNOWN_LEDGER: 'its file was written by another version of rollcall: read it with that one',
};

function unreadableView(id: string, reason: string, folder: string): ExportView {
  const { birthtime } = statSync(folder);
  return {
    id,
    state: 'unreadable',
    underWay: false,
    reason,
    regions: [],
    groups: null,
    lists: [],
    calls: 0,
    price: null,
    sandbox: false,
    createdAt: birthtime.toISOString(),
    finishedAt: null,
    progress: null,
    totals: null,
  };
}
