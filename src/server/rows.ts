import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { adviceFor } from '../imports/report/advice.ts';
import { REGIONS } from '../membership/membership.ts';
import { OUTCOMES, RETRYABLE } from '../membership/outcome.ts';
import { leaving, sendJson } from './bounded-answer.ts';
import type { Api, ServerContext } from './context.ts';
import { cursorOption, limitOption, listOption, numberCursor } from './paging.ts';
import { refusals } from './problem-schema.ts';

const outcome = z.enum(OUTCOMES);
const count = z.int().nonnegative();
const rowCounts = z.record(z.enum(['read', ...OUTCOMES]), count);

const rowView = z
  .strictObject({
    row: z.int().meta({ description: 'Number of the row in the order of the input, from 1.' }),
    line: z.int().meta({ description: 'As a spreadsheet counts.' }),
    status: outcome,
    code: z.string(),
    message: z.string(),
    region: z.string(),
    guid: z.string(),
    uid: z.string(),
    scope: z.string(),
    attempts: count,
    httpStatus: z.int().nullable(),
    batch: z.int().nullable(),
    finishedAt: z.iso.datetime().nullable(),
    original: z.record(z.string(), z.unknown()).meta({ description: 'The row as the input had it, by column.' }),
  })
  .meta({ id: 'Row', description: 'Texts are empty where there is nothing to say.' });

const problemView = z.strictObject({
  status: outcome,
  code: z.string(),
  count,
  retryable: z.boolean().meta({ description: 'Whether `retry` sends these rows again.' }),
  advice: z.string().meta({ description: 'What to do about them.' }),
  example: z.strictObject({ line: z.int(), value: z.string(), message: z.string() }),
});
const groupView = z.strictObject({ region: z.string(), guid: z.string(), rows: rowCounts });
const callBucket = z.strictObject({
  at: z.iso.datetime(),
  widthMs: count,
  calls: count,
  failed: count,
  rateLimited: count,
  p50Ms: z.number(),
  maxMs: z.number(),
  region: z.string(),
});

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
        querystring: z.strictObject({
          status: listOption(OUTCOMES).optional(),
          code: z.string().max(200).optional(),
          region: z.enum(REGIONS).optional(),
          guid: z.string().max(1_000).optional().meta({ description: 'The whole GUID, in any case.' }),
          uid: z.string().max(1_000).optional().meta({ description: 'The whole UID, in any case.' }),
          limit: limitOption(100, 1_000),
          cursor: cursorOption.optional(),
        }),
        response: {
          200: z.strictObject({ rows: z.array(rowView), nextCursor: z.string().nullable() }),
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
          200: z.strictObject({ problems: z.array(problemView) }),
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
        querystring: z.strictObject({ limit: limitOption(50, 1_000) }),
        response: {
          200: z.strictObject({ groups: z.array(groupView), total: count }),
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
        querystring: z.strictObject({ buckets: limitOption(200, 1_000) }),
        response: {
          200: z.strictObject({ buckets: z.array(callBucket) }),
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
