import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { rowDetail } from '../api/row-detail.ts';
import {
  callsAnswer,
  callsQuery,
  groupsAnswer,
  groupsQuery,
  problemsAnswer,
  rowsPage,
  rowsQuery,
} from '../api/rows.ts';
import { asParameter } from '../errors/named-options.ts';
import { adviceFor } from '../imports/report/advice.ts';
import { callRates } from '../imports/report/call-bucket.ts';
import { readCursor } from '../imports/report/row-cursor.ts';
import { rowFilterOf } from '../imports/report/row-filter.ts';
import { RETRYABLE } from '../membership/outcome.ts';
import { callerOf, sendJson } from './bounded-answer.ts';
import type { Api, ServerContext } from './context.ts';
import { badCursor } from './paging.ts';
import { Problem } from './problem.ts';
import { refusals } from './problem-schema.ts';

const params = z.object({ id: z.string() });
const tags = ['rows'];
const config = { role: 'viewer' } as const;

/** What an import's file says of its rows, problems, groups and calls. */
export function rowRoutes(app: Api, { coordinator, reading }: ServerContext): void {
  /** @throws UnknownImport; Problem NO_ROWS_YET */
  const rowsOf = (id: string, reply: FastifyReply) => reading.rowsOf(coordinator.find(id).id, callerOf(reply));

  app.get(
    '/v1/imports/:id/rows',
    {
      config,
      schema: {
        tags,
        summary: 'Rows with their outcomes, in the order of the input or sorted',
        description: 'A page may hold fewer rows than `limit` and have a next one: where rows are very long.',
        params,
        querystring: rowsQuery,
        response: {
          200: rowsPage,
          ...refusals('BAD_OPTION', 'BAD_CURSOR', 'UNKNOWN_IMPORT', 'NO_ROWS_YET'),
        },
      },
    },
    async ({ params: { id }, query }, reply) => {
      const { limit, cursor, sort = 'row', order: direction, ...filter } = query;
      const order = { by: sort, descending: direction === 'desc' };
      const after = cursor === undefined ? undefined : readCursor(cursor, order);
      if (cursor !== undefined && after === undefined) throw badCursor(cursor);
      const page = { filter: rowFilterOf(filter), order, limit, ...(after !== undefined && { after }) };
      return sendJson(reply, await reading.rowsPage(coordinator.find(id).id, page, callerOf(reply)));
    },
  );

  app.get(
    '/v1/imports/:id/rows/:row',
    {
      config,
      schema: {
        tags,
        summary: 'One row with its batch and every call that was made for it',
        params: params.extend({
          row: z
            .string()
            .regex(/^\d{1,15}$/, 'allowed is the number of a row: `row` in the list of rows')
            .meta({ description: 'Number of the row in the order of the input: `row` in the list of rows.' }),
        }),
        response: { 200: rowDetail, ...refusals('BAD_OPTION', 'UNKNOWN_IMPORT', 'UNKNOWN_ROW', 'NO_ROWS_YET') },
      },
    },
    async ({ params: { id, row } }, reply) => {
      const found = await reading.rowDetail(coordinator.find(id).id, Number(row), callerOf(reply));
      if (found === undefined) throw new Problem('UNKNOWN_ROW', `Import ${id} has no row ${row}.`);
      return sendJson(reply, found);
    },
  );

  app.get(
    '/v1/imports/:id/problems',
    {
      config,
      schema: {
        tags,
        summary: 'Rows that need attention by outcome and code, with examples and what to do',
        params,
        response: {
          200: problemsAnswer,
          ...refusals('UNKNOWN_IMPORT', 'NO_ROWS_YET'),
        },
      },
    },
    async ({ params: { id } }, reply) => {
      const problems = await rowsOf(id, reply).problems();
      return {
        problems: problems.map((problem) => ({
          ...problem,
          retryable: RETRYABLE.has(problem.status),
          advice: adviceFor(problem.status, problem.code, asParameter),
        })),
      };
    },
  );

  app.get(
    '/v1/imports/:id/groups',
    {
      config,
      schema: {
        tags,
        summary: 'The groups most in need of attention, then the largest',
        params,
        querystring: groupsQuery,
        response: {
          200: groupsAnswer,
          ...refusals('BAD_OPTION', 'UNKNOWN_IMPORT', 'NO_ROWS_YET'),
        },
      },
    },
    async ({ params: { id }, query: { limit } }, reply) => {
      const { groups, total } = await rowsOf(id, reply).groups(limit);
      return { groups: [...groups], total };
    },
  );

  app.get(
    '/v1/imports/:id/calls',
    {
      config,
      schema: {
        tags,
        summary: 'Calls to the chat service over time, by region',
        params,
        querystring: callsQuery,
        response: {
          200: callsAnswer,
          ...refusals('BAD_OPTION', 'UNKNOWN_IMPORT', 'NO_ROWS_YET'),
        },
      },
    },
    async ({ params: { id }, query: { buckets } }, reply) => {
      const calls = await rowsOf(id, reply).calls(buckets);
      const withTime = <T extends { readonly at: number }>({ at, ...rest }: T) => ({
        at: new Date(at).toISOString(),
        ...rest,
      });
      return { buckets: calls.map(withTime), rates: callRates(calls).map(withTime) };
    },
  );
}
