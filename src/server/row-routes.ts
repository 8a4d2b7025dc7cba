import type { FastifyReply } from 'fastify';
import { rowOperations } from '../api/operations/row-operations.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { readCursor } from '../imports/report/row-search.ts';
import type { Api, ServerContext } from './context.ts';
import { callerOf, sendJson } from './http-answers.ts';
import { problemViews } from './import-reading.ts';
import { serve } from './serve.ts';

/** Serves the rows, problems and calls of an import. */
export function rowRoutes(app: Api, { coordinator, reading, repairs }: ServerContext): void {
  /** @throws UNKNOWN_IMPORT; NO_ROWS_YET */
  const rowsOf = (id: string, reply: FastifyReply) => reading.rowsOf(coordinator.find(id).id, callerOf(reply));

  serve(app, rowOperations.rows, async ({ params: { id }, query }, reply) => {
    const { limit, cursor, sort = 'row', order: direction, ...filter } = query;
    const order = { by: sort, descending: direction === 'desc' };
    const after = cursor === undefined ? undefined : readCursor(cursor, order);
    if (cursor !== undefined && after === undefined) throw new RollcallError('BAD_CURSOR', { cursor });
    const page = { filter, order, limit, ...(after !== undefined && { after }) };
    return sendJson(reply, await reading.rowsPage(coordinator.find(id).id, page, callerOf(reply)));
  });

  serve(app, rowOperations.row, async ({ params: { id, row } }, reply) => {
    const found = await reading.rowDetail(coordinator.find(id).id, Number(row), callerOf(reply));
    if (found === undefined) throw new RollcallError('UNKNOWN_ROW', { id, row: Number(row) });
    return sendJson(reply, found);
  });

  serve(app, rowOperations.problems, async ({ params: { id } }, reply) => {
    const problems = await rowsOf(id, reply).problems();
    return { problems: problemViews(problems, await repairs.progress(id)) };
  });

  serve(app, rowOperations.calls, async ({ params: { id } }, reply) => ({
    rates: await rowsOf(id, reply).callRates(),
  }));
}
