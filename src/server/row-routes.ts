import { createReadStream, existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import openFile from '@fastify/send';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { summaryIn } from '../api/import-summary.ts';
import { rowOperations } from '../api/rows.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import type { ReportRequest } from '../imports/report/report-files.ts';
import { reportPaths, retryExtension } from '../imports/report/report-paths.ts';
import type { RowOrder } from '../imports/report/row-search.ts';
import { isFinal } from '../membership/import-state.ts';
import { NEEDS_ATTENTION } from '../membership/outcome.ts';
import { cursorContent } from '../platform/cursors.ts';
import type { Api, ServerContext } from './context.ts';
import { attachment, callerOf, describeFile, sendJson, sendPieces } from './http-answers.ts';
import { problemViews, type WantedReport, wantedBy } from './import-reading.ts';
import { type ServedBy, serveAll } from './serve.ts';

/** The content of a cursor of a list in this order: the row before the page, and the value by which it is sorted. */
export const placeIn = ({ by, descending }: RowOrder) =>
  z
    .tuple([z.literal(by), z.literal(descending), z.int(), z.union([z.string(), z.number()])])
    .transform(([, , row, key]) => ({ row, key }));

export function rowRoutes(app: Api, context: ServerContext) {
  const { coordinator, reading, corrections } = context;
  /** @throws UNKNOWN_IMPORT; NO_ROWS_YET */
  const rowsOf = (id: string, reply: FastifyReply) => reading.rowsOf(coordinator.find(id).id, callerOf(reply));

  serveAll(app, rowOperations, {
    ...reportHandlers(context),
    rows: async ({ id, limit, cursor, sort = 'row', order: direction, ...filter }, { reply }) => {
      const order = { by: sort, descending: direction === 'desc' };
      const after = cursorContent(placeIn(order), cursor);
      const page = { filter, order, limit, ...(after !== undefined && { after }) };
      return sendJson(reply, await rowsOf(id, reply).rowsPageJson(page));
    },
    row: async ({ id, row }, { reply }) => {
      const found = await rowsOf(id, reply).rowJson(Number(row));
      if (found === undefined) throw new RollcallError('UNKNOWN_ROW', { id, row: Number(row) });
      return sendJson(reply, found);
    },
    problems: async ({ id }, { reply }) => {
      const problems = await rowsOf(id, reply).problems();
      return { problems: problemViews(problems, await corrections.progress(id)) };
    },
    calls: async ({ id }, { reply }) => ({ rates: await rowsOf(id, reply).callRates() }),
  });
}

function reportHandlers({ coordinator, dir, reading, views }: ServerContext): ServedBy<typeof rowOperations> {
  return {
    report: async ({ id, ...query }, { request, reply }) => {
      const record = coordinator.find(id);
      const wanted = wantedBy(query);
      const { form } = wanted;
      const input = await reading.rowsOf(id).input();
      const ending = form === 'retry' ? retryExtension(input) : form;
      describeFile(reply, ending, disposition(record, form, ending));
      // The page brings its own policy along, which names its stylesheet by hash; the server's would take that from it.
      if (form === 'html') reply.header('content-security-policy', "sandbox; frame-ancestors 'none'");
      const file = fileFor(wanted, reportPaths(dir.folder(id), input));
      const summary = summaryIn(await views.of(record));
      return send(request, reply, record, file, { ...wanted, summary });
    },
    created: async ({ id }, { request, reply }) => {
      const record = coordinator.find(id);
      describeFile(reply, 'csv', attachment(record.file, `${id}-created.csv`));
      return send(request, reply, record, reportPaths(dir.folder(id), { format: 'csv' }).created, { form: 'created' });
    },
  };

  /** @param file that has it where the import has finished */
  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { id, state }: ImportRecord,
    file: string | undefined,
    asked: ReportRequest,
  ) {
    if (isFinal(state) && file !== undefined && existsSync(file)) return sendStored(request, reply, file);
    return sendPieces(reply, reading.report(id, asked));
  }
}

/** The report file of a finished import that matches the request. */
function fileFor({ form, filter }: WantedReport, paths: ReturnType<typeof reportPaths>) {
  const { status, ...others } = filter;
  if (Object.values(others).some((value) => value !== undefined)) return undefined;
  if (form === 'retry') return status === undefined ? paths.retry : undefined;
  if (form !== 'csv') return undefined;
  if (status === undefined) return paths.all;
  return new Set(status).symmetricDifference(NEEDS_ATTENTION).size === 0 ? paths.failed : undefined;
}

function takesGzip({ headers }: FastifyRequest) {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(String(headers['accept-encoding']));
}

/** Ranges refer to the file on the disk. A whole file may be gzipped on the way; then there are no ranges. */
async function sendStored(request: FastifyRequest, reply: FastifyReply, path: string) {
  if (request.headers.range === undefined && takesGzip(request)) {
    reply.header('accept-ranges', 'none');
    return reply.send(createReadStream(path));
  }
  const options = { root: dirname(path), contentType: false, cacheControl: false };
  const sent = await openFile(request.raw, encodeURIComponent(basename(path)), options);
  if (sent.type === 'error') throw sent.metadata.error;
  return reply.code(sent.statusCode).headers(sent.headers).send(sent.stream);
}

/** The name under which a browser keeps the report. A page is shown instead. */
function disposition({ id, file }: ImportRecord, form: ReportRequest['form'], ending: string) {
  if (form === 'html') return 'inline';
  return attachment(file, `${id}-${form === 'retry' ? 'retry' : 'report'}.${ending}`);
}
