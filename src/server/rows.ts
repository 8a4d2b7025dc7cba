import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  callsAnswer,
  callsQuery,
  groupsAnswer,
  groupsQuery,
  problemsAnswer,
  rowsPage,
  rowsQuery,
} from '../api/rows.ts';
import { adviceFor } from '../imports/report/advice.ts';
import { RETRYABLE } from '../membership/outcome.ts';
import { leaving, sendJson } from './bounded-answer.ts';
import type { Api, ServerContext } from './context.ts';
import { numberCursor } from './paging.ts';
import { refusals } from './problem-schema.ts';

const params = z.object({ id: z.string() });
const tags = ['rows'];
const config = { role: 'viewer' } as const;

/** What an import's file says of its rows, problems, groups and calls. */
export function rowRoutes(app: Api, { coordinator, reading }: ServerContext): void {
  /** @throws UnknownImport; Problem NO_ROWS_YET */
  const rowsOf = (id: string, reply: FastifyReply) => reading.rowsOf(coordinator.find(id).id, leaving(reply));

  app.get(
    '/v1/imports/:id/rows',
    {
      config,
      schema: {
        tags,
        summary: 'Rows with what came of them, in the order of the input',
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
      const { status, code, region, guid, uid, limit, cursor } = query;
      const filter = {
        ...(status !== undefined && { statuses: new Set(status) }),
        ...(code !== undefined && { code }),
        ...(region !== undefined && { region }),
        ...(guid !== undefined && { guid }),
        ...(uid !== undefined && { uid }),
      };
      const wish = { filter, after: numberCursor(cursor) ?? 0, limit };
      return sendJson(reply, await reading.rowsPage(coordinator.find(id).id, wish, leaving(reply)));
    },
  );

  app.get(
    '/v1/imports/:id/problems',
    {
      config,
      schema: {
        tags,
        summary: 'Rows that need attention by outcome and code, with an example and what to do',
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
          advice: adviceFor(problem.status, problem.code),
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
      return { buckets: calls.map(({ at, ...bucket }) => ({ at: new Date(at).toISOString(), ...bucket })) };
    },
  );
}
